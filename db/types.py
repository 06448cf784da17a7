"""Column types that check what they read: SQLite keeps any value in any column, and files get damaged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Dialect
from sqlalchemy.types import Text, TypeDecorator, TypeEngine

from chess_motif.errors import StoreError
from chess_motif.text import clean


class Checked(TypeDecorator[Any]):
    """A column of the type `stored`, with values of the Python type `kind`, or NULL.

    Reading any other value raises `StoreError`. Text is cleaned: another program may have written it.
    """

    impl = Text
    cache_ok = True

    def __init__(self, stored: TypeEngine[Any], kind: type) -> None:
        super().__init__()
        self.stored = stored
        # The class attribute is the default.
        self.impl = stored  # type: ignore[assignment]
        self.kind = kind

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        """Return the function that makes a Python value of a stored one."""
        convert, kind = super().result_processor(dialect, coltype), self.kind

        def checked(value: Any) -> Any:
            try:
                converted = convert(value) if convert else value
            except (TypeError, ValueError) as error:
                raise _damaged(value) from error
            if converted is not None and not isinstance(converted, kind):
                raise _damaged(value)
            if isinstance(converted, str) and not converted.isprintable():
                return clean(converted)
            return converted

        return checked


def _damaged(value: object) -> StoreError:
    return StoreError(f"the database is damaged: it holds {value!r:.40} where that cannot be")
