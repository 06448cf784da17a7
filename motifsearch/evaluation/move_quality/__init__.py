"""How good the moves are that something chooses: people's, the human-move model's, or an engine's.

Positions of games and move choosers go in; how the chosen moves rank among Stockfish's scores, and games
against an opponent that moves at random, come out. Knows nothing of how a move is chosen or a report printed.
The metrics are those of Ajith, Gunnarsson & Xu, "Towards Retrieval-based Chess Engines", section 4.1.
"""
