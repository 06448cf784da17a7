"""Maintaining stored puzzles: audit, simplify, retag, rate, delete, count.

Puzzles of the database go in; reports and changed puzzles come out. Knows nothing of game archives.
"""
