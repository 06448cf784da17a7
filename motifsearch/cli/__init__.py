"""The command `motifsearch`: arguments in, text, JSON or a page out.

This package only parses and prints. Each command calls a function that Python users can call, too.
"""
