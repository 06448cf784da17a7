"""How hard a puzzle is for a person.

A position goes in; out come the tree of the moves that make sense in it, numbers that describe the tree, and
drawings of it. Knows nothing of where puzzles come from or how they are stored.
"""
