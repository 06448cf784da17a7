"""Game archives to games.

In go the paths of archives (PGN, plain or compressed); out come the texts of whole games, their moves and
evaluations, and a checkpoint of how far each archive was read. Knows nothing of engines or puzzles.
"""
