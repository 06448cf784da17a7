"""Games to candidates: the positions in which a blunder may have left a puzzle.

In go win chances (or the raw text of games); out come blunder–blunder triples, and the games that need no
closer look. Searches nothing itself.
"""
