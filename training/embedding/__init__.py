"""How an encoder of positions is trained that needs no predictions of moves."""
