"""Results for people and programs: text, JSON, PGN and HTML pages.

Results go in, strings and files come out. Searches nothing and reads no database.
"""
