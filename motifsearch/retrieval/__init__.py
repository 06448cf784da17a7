"""Engines that play by similar positions of other games (Ajith, Gunnarsson & Xu).

A position goes in; scores of its legal moves come out. Knows nothing of UCI and of puzzles.
"""
