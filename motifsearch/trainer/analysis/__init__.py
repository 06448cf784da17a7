"""The analysis of a player's games: archives of games go in, and the opportunities of both sides are stored.

Opportunities are stored with the puzzles and exercises made from their positions. This package knows nothing
of reports, training sets or how anything is shown.
"""
