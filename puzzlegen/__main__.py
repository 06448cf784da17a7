"""`python -m puzzlegen`: the command `puzzlegen`."""

from puzzlegen.cli.main import main

main()
