"""Every exception that the project raises for its callers.

    ChessMotifError
    ├── InputError              something handed in cannot be used as it is
    │   ├── ArchiveError        a game archive that is missing, damaged or of no known kind
    │   ├── PositionError       a FEN or a move that is not legal chess
    │   ├── TableError          a file of puzzles or pairs that lacks what it must have
    │   └── UnknownPuzzleError  no puzzle has that id
    ├── EngineError             an engine could not do its work
    │   ├── EngineMissingError  there is no engine to start
    │   └── EngineFailedError   it died, hung or talked nonsense, more often than is forgiven
    ├── ClusterError            the computers that should do the work cannot do it
    ├── LibraryMissingError     an optional library is needed that is not installed
    ├── StoreError              the database cannot be opened or written
    └── IndexUnavailableError   the search index cannot be opened or written

Messages are one line, made for a person, and name the thing and the place. Only the command line
turns them into output.
"""


class ChessMotifError(Exception):
    """Base of all errors that a caller may want to handle."""


class InputError(ChessMotifError):
    """Something handed in cannot be used as it is."""


class ArchiveError(InputError):
    """A game archive is missing, damaged or of no known kind."""


class PositionError(InputError):
    """A FEN or a move is not legal chess."""


class TableError(InputError):
    """A file of puzzles or pairs lacks what it must have."""


class UnknownPuzzleError(InputError):
    """No puzzle has that id."""


class EngineError(ChessMotifError):
    """An engine could not do its work."""


class EngineMissingError(EngineError):
    """There is no engine to start."""


class EngineFailedError(EngineError):
    """An engine died, hung or talked nonsense, more often than is forgiven."""


class ClusterError(ChessMotifError):
    """The computers that should do the work cannot be reached, or are not fit for it."""


class LibraryMissingError(ChessMotifError):
    """An optional library is needed that is not installed; the message names the extra that installs it."""


class StoreError(ChessMotifError):
    """The database cannot be opened or written."""


class IndexUnavailableError(ChessMotifError):
    """The search index cannot be opened or written."""
