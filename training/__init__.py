"""Programs that fit the models of the packages, and other models that the packages can use.

The docstring of each program says how to run it. The programs are not installed. They have nothing to do with
the training of players.
"""
