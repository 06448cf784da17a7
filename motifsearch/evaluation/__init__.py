"""Measuring how well the searches work: pairs of similar puzzles, themes, grades, perturbed positions.

Pairs, themes, grades or a store go in, reports come out. Runs the searches as any user does; knows nothing of
how a report is printed.
"""
