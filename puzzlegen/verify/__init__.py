"""Positions to verified solutions.

In goes a position and something that searches it; out comes its one winning line with a stable end, or the
reason why there is none. Knows nothing of games or of the database.
"""
