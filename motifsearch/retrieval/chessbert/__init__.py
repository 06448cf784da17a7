"""ChessBERT: a transformer that reads a position together with similar ones and the moves played in them.

A position and its contexts go in; scores of the legal moves come out. Where the contexts come from, it does
not know. Needs no PyTorch: `training/chessbert` makes the network.
"""
