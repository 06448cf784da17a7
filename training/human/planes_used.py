"""Which of the 112 planes the human-move model sees: the pieces of two positions, and the castling rights."""

PLANES_USED = [*range(12), *range(13, 25), *range(104, 108)]
