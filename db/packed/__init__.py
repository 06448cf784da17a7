"""A packed store of positions: a file with a few bytes for each position, and random access by material.

Positions with the results of their searches as opaque text go in, and a file comes out. Single positions, or
all positions of a material, can be read without the rest. Knows nothing of databases, engines or games.

After P. McKenzie, "Full Chess Retrieval" (1994).
"""
