"""The command `puzzlegen`: arguments in, text or JSON out. Does nothing that a Python user cannot call."""
