"""Results for people and programs: boards with captions for a terminal, and self-contained HTML pages.

The rooms inside, one for each kind of results, use both. Searches nothing and reads no database.
"""
