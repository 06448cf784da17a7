"""Results for people and programs: plain values for JSON, text for a terminal, and self-contained HTML pages.

The request and its results go in. This package does not search, and reads no database.
"""
