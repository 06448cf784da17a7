"""Engines that play from a memory of games (Ajith, Gunnarsson & Xu, *Towards Retrieval-Based Chess Engines*).

A position goes in; a move comes out, with the games that it comes from. `build` makes the memory of the
archived games, `memory` finds similar positions, and `chesscone` and `chessbert` choose moves by these
positions. Nothing here searches a game tree.
"""
