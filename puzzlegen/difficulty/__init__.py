"""How hard a puzzle is for people.

A puzzle goes in. An estimate of its rating on Lichess' scale comes out, from features of the puzzle and from
how likely people are to play its moves; or the tree of the moves that make sense to a person, with attributes
and drawings of the tree. Knows nothing of where puzzles come from.
"""
