"""Puzzles to their most similar puzzles.

In goes a stored puzzle, or a position with its solution; out come the puzzles that share a motif with it,
best first. A search writes nothing.
"""
