ALTER TABLE puzzles RENAME TO other; CREATE VIEW puzzles AS SELECT * FROM other;
