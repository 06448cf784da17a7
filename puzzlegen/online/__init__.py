"""Downloading the games of players from Lichess and Chess.com.

A player's account goes in; PGN files in a folder come out, which a later download adds to. Knows nothing of
what the games are for.
"""
