"""Importing puzzles from files and exporting them.

Each format has a module with `read`, `write` or both, which `importing`, `exporting` or both know. Lichess
CSV, EPD, PGN and JSON lines are for other programs; each handles one puzzle at a time, so that files may be
of any size. Anki decks, worksheets and web pages are for people, who solve the puzzles there. Knows nothing
of engines.
"""
