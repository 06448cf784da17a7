"""A puzzle as text: the terms by which positions and solutions are compared (Bizjak & Guid, ACG 2021).

A board and a solution go in; lists of terms by field come out, and what each field counts (`encoding`). Knows
nothing of the index.
"""
