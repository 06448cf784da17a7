"""What all parts share: the version and the tree of exceptions (`chess_motif.errors`)."""

__version__ = "0.1.0"
