"""The human-move model: how likely a person is to play each move of a position.

Positions with the moves that led to them go in, with the ratings of the players if they are known; the
probabilities of the legal moves and the expected outcome come out. Knows nothing of UCI engines or puzzles.
"""

import os

# Builds of onnxruntime since 1.29 tell Microsoft how they are used, unless this is set before they load.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
