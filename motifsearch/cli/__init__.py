"""The command `motifsearch`: arguments in, text, JSON or a page out.

Does nothing that a Python user cannot call.
"""
