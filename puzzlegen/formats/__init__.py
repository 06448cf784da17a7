"""Importing puzzles from files and exporting them: Lichess CSV, EPD, PGN, JSON lines.

Each format has a module with `read`, `write` or both, and an entry in the table of `importing`, `exporting`
or both. Each handles one puzzle at a time, so that files may be of any size. Knows nothing of engines.
"""
