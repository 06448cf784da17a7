"""Positions to verified solutions.

In go a position and something that searches it; out comes the one line that wins, or the reason why there is
none. Knows nothing of games or of the database.
"""
