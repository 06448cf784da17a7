"""The memory of games: positions as vectors, and what was played in them.

Archived games go in; a folder comes out, in which the positions most like a given one are found, and the
moves that were played there. Nothing here chooses a move.
"""
