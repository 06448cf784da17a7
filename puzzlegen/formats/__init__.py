"""Puzzles from files and to files: Lichess CSV, EPD, PGN, JSON lines.

Each format reads and writes one puzzle at a time, so that files may be of any size. Searches nothing.
"""
