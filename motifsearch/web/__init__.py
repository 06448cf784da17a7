"""The web page: what is due, solving, searching, and the puzzles of one's games.

Requests of a browser go in, pages come out; or JSON, for a program. What the page shows is made by the other
rooms; here is how it looks, who may ask, and how far a round of solving is.
"""
