"""How hard a puzzle is for people.

A puzzle goes in. Out comes its rating on Lichess' scale, estimated from what the puzzle looks like and from
how likely people are to play its moves; or the tree of the moves that make sense to a person, with numbers
that describe it and drawings. Knows nothing of where puzzles come from.
"""
