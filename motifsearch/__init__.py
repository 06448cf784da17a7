"""Puzzles and positions to similar ones (command `motifsearch`).

`PuzzleSearcher` finds the stored puzzles that share a motif with one, `PositionSearcher` the archived games
in which a similar position occurred. Both stay open and answer many queries. Everything else in this package
may change without notice.
"""
