"""A puzzle as text: the terms by which positions and solutions are compared (Bizjak & Guid, ACG 2021).

A board and a solution go in; lists of terms by field come out, with the weight of each field (`weights`).
This package knows nothing of the index.
"""
