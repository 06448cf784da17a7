"""Puzzles for people to solve, on paper, in Anki, or in a browser.

Stored puzzles go in; a PDF file, an Anki deck or a web page comes out. Each has a `write`. Knows nothing of
engines or the database.
"""
