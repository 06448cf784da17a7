"""The command `motifsearch`: arguments in, text, JSON or a page out. Python users can call all it does."""
