"""Why the moves of a solution work.

A replayed solution goes in. Out come its goals (what the solver captures, checks, promotes or mates) and for
each of them the reasons: which defenders are gone and how, how the target came to its square and the attacker
to attack it, and what was threatened. Nothing is searched: attacks and the moves of the solution are enough.
"""
