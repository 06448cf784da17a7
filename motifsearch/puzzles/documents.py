"""The documents of a puzzle index: one for each puzzle, without terms if the puzzle is unreadable.

The number of documents thus shows whether the index is complete. Each mode has an index of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

import tantivy

from db.store import Store
from motifsearch.index.directory import FREQUENCIES, Index, Writer
from motifsearch.puzzles.encoding import Encoded
from motifsearch.terms import FIELDS, TERMS_VERSION, Mode


def schema() -> tantivy.Schema:
    """Return the fields of a puzzle's document."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    # Signed: Tantivy deletes nothing by a term of an unsigned field.
    builder.add_integer_field("number", indexed=True, fast=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option=FREQUENCIES)
    return builder.build()


def document(puzzle: Encoded) -> dict[str, object]:
    """Return the fields of a puzzle's document with their values."""
    return {"key": puzzle.id, "number": puzzle.number, **puzzle.fields}


def origin_of(store: Store, mode: Mode) -> dict[str, object]:
    """Return the origin of a puzzle index: the store, the mode, the version of the terms and the fields."""
    return {"store": store.identity(), "mode": str(mode), "terms": TERMS_VERSION, "fields": list(FIELDS)}


def index_in_memory(puzzles: Iterable[Encoded]) -> Index:
    """Return an index of these puzzles that is kept in memory only."""
    index = Index(tantivy.Index(schema()))
    writer = Writer(index)
    for puzzle in puzzles:
        writer.add(document(puzzle))
    writer.commit()
    writer.close()
    return index
