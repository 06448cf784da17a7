"""The command `motifsearch`: arguments in, text, JSON or a page out. It does nothing that Python users cannot."""
