"""Reports on chances, training sets and puzzles to solve, as text for a terminal."""
