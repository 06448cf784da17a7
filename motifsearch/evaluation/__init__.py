"""How well the searches work: pairs of similar puzzles, themes, feature sets, perturbed positions.

Reads from the searches and the database; nothing that searches depends on it.
"""
