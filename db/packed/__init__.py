"""A packed store of positions: a file in which each takes a few bytes, with random access by material.

Positions come in, with the searches of each as opaque text; out comes a file, and from it all positions of
the same material, or one position, without reading the rest. It knows nothing of databases, engines or games.

After P. McKenzie, "Full Chess Retrieval" (1994).
"""
