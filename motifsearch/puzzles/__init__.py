"""Finding similar puzzles (Bizjak & Guid, ACG 2021).

A stored puzzle, or a position with its solution, goes in; puzzles with the same motif come out, best first. A
search does not change the database, and knows nothing of how results are shown.
"""
