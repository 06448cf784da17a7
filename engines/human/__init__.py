"""The human-move model: how likely a person is to play each move of a position.

Positions with the moves before go in, with the players' ratings if known; the probabilities of the legal
moves and the expected outcome come out. Knows nothing of UCI engines or puzzles.
"""

import os

# Since version 1.29, onnxruntime sends usage data to Microsoft unless this is set before the import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
