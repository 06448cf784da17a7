"""How the models that the packages ship were fitted, and others that they can use.

Each program begins with how to run it. Nothing here is installed, or has to do with the training of players.
"""
