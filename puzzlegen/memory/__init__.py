"""The long-term memory: every position that was ever searched, with its verdicts, as one packed file.

The searches of the store, the positions of games or of an EPD file, or other packed files come in; a packed
file goes out, and the verdicts in it can be looked up instead of searching again. It knows nothing of mining.
"""
