"""What trainers store: the chances of a player's games, training sets, and who solved what when.

Games and puzzles are those of `db`. Knows nothing of how chances are found, or when a puzzle is due again.
"""
