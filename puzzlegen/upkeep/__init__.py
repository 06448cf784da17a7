"""Work on stored puzzles: audit, simplify, retag, count.

In go puzzles of the database, out come reports and changed puzzles. Knows nothing of game archives.
"""
