"""The command `puzzlegen`: arguments go in; text or JSON comes out. Each calls a Python function."""
