DROP TABLE puzzles;
