DROP TABLE puzzles; CREATE TABLE puzzles (x);
