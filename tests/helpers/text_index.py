"""A small index of texts, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import tantivy

from motifsearch.index.directory import FREQUENCIES, Index, Writer


def index_of(texts: Iterable[tuple[int, Sequence[str]]]) -> Index:
    """Return an index of the words of some texts, each with its number."""
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("number", indexed=True, fast=True)
    builder.add_text_field("text", tokenizer_name="whitespace", index_option=FREQUENCIES)
    index = Index(tantivy.Index(builder.build()))
    # With several segments, one may be deleted as a whole.
    with Writer(index, threads=1) as writer:
        for number, words in texts:
            writer.add({"number": number, "text": " ".join(words)})
    return index
