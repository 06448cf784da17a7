"""Recognising motifs in solutions: fork, pin, deflection, back-rank mate and others, one rule for each.

A solution goes in and is replayed once; its motifs and the tags of the puzzle come out. Knows nothing of
engines or the database.
"""
