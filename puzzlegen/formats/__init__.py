"""Importing puzzles from files and exporting them.

Each format has a module with `read`, `write` or both, for `importing` and `exporting`. Lichess CSV, EPD, PGN
and JSON lines are for other programs; they handle one puzzle at a time, so files may be of any size. Anki
decks, worksheets and web pages are for people who solve the puzzles. Knows nothing of engines.
"""
