"""`python -m engines`: says which Stockfish there is, or how to get one."""

import sys

from chess_motif.errors import EngineMissingError
from engines.locate import find_engine

if __name__ == "__main__":
    try:
        print(find_engine())
    except EngineMissingError as error:
        sys.exit(str(error))
