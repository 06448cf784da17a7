"""Similar positions as text, JSON, PGN and a web page.

A `PositionSearch` goes in, the search as it is shown; strings and files come out.
"""
