"""Reading games from archives, and downloading a player's games.

PGN archives, plain or compressed, go in; games with moves and evaluations, and a checkpoint of each archive,
come out. Runs no engine and knows nothing of puzzles.
"""
