"""The chances of a player's games.

Games go in; every position that a blunder has made a won one comes out, with what the player made of it and
with a puzzle or an exercise if there is one. Knows nothing of training sets.
"""
