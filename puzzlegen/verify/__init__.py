"""Verifying puzzles.

A position and an engine go in; the only line that wins, or the reason why there is none, comes out. Knows
nothing of games or the database.
"""
