"""Messages of errors that visitors see: what went wrong, but not where on the server. The log says that."""

from __future__ import annotations

import logging
import re

from chess_motif.errors import (
    ChessMotifError,
    IndexBuildingError,
    IndexUnavailableError,
    StoreError,
    reason_of,
)

# The log of the server, which is seen where it was started.
LOG = logging.getLogger("uvicorn.error")

SEE_LOG = "the log of the server says why"


def public_message(error: Exception) -> str:
    """Return the message that visitors see for an error, and log what it leaves out."""
    if isinstance(error, IndexBuildingError):
        return str(error)
    if isinstance(error, StoreError | IndexUnavailableError):
        LOG.error("%s", error)
        what = "database" if isinstance(error, StoreError) else "search index"
        return f"the {what} cannot be used now; {SEE_LOG}"
    if isinstance(error, ChessMotifError):
        # Without the command that lists what there is: here it cannot be run.
        return re.sub(r"; '[a-z ]+' shows them$", "", str(error))
    LOG.error("%s", error, exc_info=error)
    return reason_of(error) if isinstance(error, OSError) else SEE_LOG
