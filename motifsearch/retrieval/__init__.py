"""Engines that play from a memory of games (Ajith, Gunnarsson & Xu, *Towards Retrieval-Based Chess Engines*).

A position goes in; a move comes out, with the games that it comes from. The room `memory` finds similar
positions, `chessbert` is a network that reads them. Nothing here searches for moves as an engine does.
"""
