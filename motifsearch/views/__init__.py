"""Results for people and programs: text, JSON, PGN and HTML pages.

In go results, out come strings. Searches nothing and reads no database.
"""
