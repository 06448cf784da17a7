"""The analysis of a player's games: archives of games go in; what there was to find in them is stored.

These are opportunities of both sides, with the puzzles and exercises that their positions make. Knows nothing
of reports, training sets or how anything is shown.
"""
