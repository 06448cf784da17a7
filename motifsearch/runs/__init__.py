"""The runs by which positions are searched for: by their terms, by their vectors, or by both.

A position and the name of a run go in; the archived games in which a similar position occurred come out, best
first. The terms are those of `motifsearch.positions`, the vectors those of the memory of games. A search does
not change either, and knows nothing of how results are shown.
"""
