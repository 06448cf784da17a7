"""Why the moves of a solution work.

A replayed solution goes in. Its goals are what the solver captures, checks, promotes or mates. For each goal
there are reasons: which defenders are gone and why, how the target came to its square, how the attacker came
to attack the target, and what the move before threatened. Reasons follow from the attacks and the moves of
the solution alone, and are search terms. For people, reasons become facts, and more facts are found by trying
other moves and captures. The facts to tell are chosen by their values, and put into words last. No engine is
needed.
"""
