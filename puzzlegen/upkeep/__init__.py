"""Work on puzzles that are stored already: audit, simplify, retag, count.

In go puzzles of the database, out come reports and changed puzzles. Knows nothing of game archives.
"""
