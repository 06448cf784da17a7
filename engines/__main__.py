"""`python -m engines`: prints the path of Stockfish, or how to get it."""

import sys

from chess_motif.errors import EngineMissingError
from engines.finding import find_engine

if __name__ == "__main__":
    try:
        print(find_engine())
    except EngineMissingError as error:
        sys.exit(str(error))
