"""Why the moves of a solution work.

A replayed solution goes in. Out come its goals (what the solver captures, checks, promotes or mates) and for
each of them the reasons: which defenders are gone and how, how the target came to its square and the attacker
to attack it, and what was threatened. For these, which are search terms, attacks and the moves of the
solution are enough. For people there are facts: the reasons, and what is found by looking at other moves and
searching captures. What is told of them is chosen by values, and put into words last. No engine is asked.
"""
