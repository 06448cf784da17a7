"""`python -m motifsearch`: the command `motifsearch`."""

from motifsearch.cli.main import main

main()
