"""Results for people and programs: plain values for JSON, text for a terminal, and self-contained HTML pages.

Results go in, with what was asked for. Searches nothing and reads no database.
"""
