"""The trainer: what a player misses, puzzles like it, and when to solve them again.

Analysed games and stored puzzles go in; reports, training sets and schedules come out. Knows nothing of how
they are shown.
"""
