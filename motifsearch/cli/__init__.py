"""The command `motifsearch`: arguments in, text, JSON or a page out.

Parses and prints only. What a command does is a function that Python users can call, too.
"""
