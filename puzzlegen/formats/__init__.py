"""Puzzles from files and to files: Lichess CSV, EPD, PGN, JSON lines.

Each format has a module of its own with `read`, `write` or both, and an entry in the table of `importing`,
`exporting` or both. Each handles one puzzle at a time, so that files may be of any size. Searches nothing.
"""
