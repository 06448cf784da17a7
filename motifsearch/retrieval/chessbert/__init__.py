"""ChessBERT: a transformer that reads a position together with similar ones and the moves played in them.

A position and its contexts go in; scores of the legal moves come out. Where the contexts come from, it does
not know. Needs no PyTorch: `training/chessbert` makes the network.
"""

import os

# Builds of onnxruntime since 1.29 tell Microsoft how they are used, unless this is set before they load.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
