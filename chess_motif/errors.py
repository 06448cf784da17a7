"""Every exception that the project raises for its callers.

    ChessMotifError
    ├── InputError              an argument or an input file cannot be used (also a ValueError)
    │   ├── ArchiveError        an archive or input file is missing, damaged or not readable as text
    │   ├── PositionError       a FEN or a move is invalid or illegal
    │   ├── TableError          a file of puzzles or pairs, or an entry of it, lacks required fields
    │   └── UnknownPuzzleError  no puzzle has that id
    ├── EngineError             an engine is missing or failed
    │   ├── EngineMissingError  the engine is not installed or cannot be started
    │   └── EngineFailedError   the engine died, hung or sent output that cannot be read
    ├── HumanModelError         the human-move model is missing or cannot be read
    ├── ChessBertError          ChessBERT's network is missing or cannot be read
    ├── ClusterError            the Dask cluster cannot be reached, or its workers cannot be used
    ├── DownloadError           games cannot be downloaded
    ├── LibraryMissingError     an optional library is not installed
    ├── WorkerDiedError         a process that did a part of the work was killed
    ├── StoreError              the database cannot be opened or written
    │   └── PackedFileError     a file of packed positions is missing, damaged or not one
    └── IndexUnavailableError   the search index cannot be opened or written
        ├── IndexBuildingError  the search index is being built
        └── IndexDamagedError   a file of the search index is damaged or missing

Each message is one line for the user and says what is wrong, and where. Only the command line prints them.
"""


class ChessMotifError(Exception):
    """Base class of all errors that a caller may want to handle."""


class InputError(ChessMotifError, ValueError):
    """An argument or an input file cannot be used."""


class ArchiveError(InputError):
    """An archive or input file is missing, damaged or not readable as text."""


class PositionError(InputError):
    """A FEN or a move is invalid or illegal."""


class TableError(InputError):
    """A file of puzzles or pairs, or an entry of it, lacks required fields."""


class UnknownPuzzleError(InputError):
    """No puzzle has that id."""


class EngineError(ChessMotifError):
    """An engine is missing or failed."""


class EngineMissingError(EngineError):
    """The engine is not installed or cannot be started."""


class EngineFailedError(EngineError):
    """The engine died, hung or sent output that cannot be read."""


class HumanModelError(ChessMotifError):
    """The human-move model is missing or cannot be read."""


class ChessBertError(ChessMotifError):
    """ChessBERT's network is missing or cannot be read."""


class ClusterError(ChessMotifError):
    """The Dask cluster cannot be reached, or its workers cannot be used."""


class DownloadError(ChessMotifError):
    """Games cannot be downloaded; the message says from where and why."""


class LibraryMissingError(ChessMotifError):
    """An optional library is not installed; the message names the extra that installs it."""


class WorkerDiedError(ChessMotifError):
    """A process that did a part of the work was killed."""


class StoreError(ChessMotifError):
    """The database cannot be opened or written."""


class PackedFileError(StoreError):
    """A file of packed positions is missing, damaged or not one."""


class IndexUnavailableError(ChessMotifError):
    """The search index cannot be opened or written."""


class IndexBuildingError(IndexUnavailableError):
    """The search index is being built; the message says how far it is."""


class IndexDamagedError(IndexUnavailableError):
    """A file of the search index is damaged or missing."""


def reason_of(error: OSError) -> str:
    """Return what the operating system says of an error, in lower case, for the end of a message."""
    return (error.strerror or str(error)).lower()
