"""The documents of the index of puzzles: one for each puzzle, without terms if it is unreadable.

Counting the documents thus shows whether the index is complete. Each mode has an index of its own.
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
    # Signed: deleting by a term of an unsigned field deletes nothing.
    builder.add_integer_field("number", indexed=True, fast=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option=FREQUENCIES)
    return builder.build()


def document(puzzle: Encoded) -> dict[str, object]:
    """Return the fields of a puzzle's document with their values."""
    return {"key": puzzle.id, "number": puzzle.number, **puzzle.fields}


def origin_of(store: Store, mode: Mode) -> dict[str, object]:
    """Return what an index depends on besides its puzzles: the store, the mode and the terms."""
    return {"store": store.identity(), "mode": str(mode), "terms": TERMS_VERSION, "fields": list(FIELDS)}


def holding(puzzles: Iterable[Encoded]) -> Index:
    """Return an index of these puzzles in memory."""
    index = Index(tantivy.Index(schema()))
    writer = Writer(index)
    for puzzle in puzzles:
        writer.add(document(puzzle))
    writer.commit()
    writer.close()
    return index
