"""The command `puzzlegen`: arguments go in; text or JSON comes out. Each command calls a Python function."""
