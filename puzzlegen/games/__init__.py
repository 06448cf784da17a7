"""Reading games from archives, and downloading a player's games.

PGN archives, plain or compressed, go in; the games with their moves and evaluations, and a checkpoint of how
far each archive was read, come out. Runs no engine and knows nothing of puzzles.
"""
