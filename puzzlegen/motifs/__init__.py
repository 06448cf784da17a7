"""Recognising motifs in solutions: fork, pin, deflection, back-rank mate and others, one rule for each.

In goes a solution, which is replayed once; out come its motifs and the tags of the puzzle. No engine and no
database is needed.
"""
