"""Engines that play from a memory of games (Ajith, Gunnarsson & Xu, *Towards Retrieval-Based Chess Engines*).

A position goes in; the most similar positions of archived games come out with the moves that were played, and
a move that is chosen from them. No position is searched by an engine, and nothing here knows of UCI.
"""
