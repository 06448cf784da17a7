"""Candidates: positions after a blunder, in which there may be a puzzle.

Win chances, or the raw text of games, go in; blunder–blunder triples, and the games that cannot have any,
come out. Makes no searches.
"""
