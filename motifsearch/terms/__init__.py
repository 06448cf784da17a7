"""A puzzle as text: the terms by which positions and solutions are compared (Bizjak & Guid, ACG 2021).

A board and a solution go in; lists of terms by field come out, and what each field counts. Knows nothing of
the index.
"""

from motifsearch.terms.encoding import (
    DEFAULT,
    DYNAMIC_FIELDS,
    ENCODINGS,
    FIELDS,
    PAPER,
    STATIC_FIELDS,
    TERMS_VERSION,
    Encoding,
    encode,
    encoding_named,
    query_terms,
)

__all__ = [
    "DEFAULT",
    "DYNAMIC_FIELDS",
    "ENCODINGS",
    "FIELDS",
    "PAPER",
    "STATIC_FIELDS",
    "TERMS_VERSION",
    "Encoding",
    "encode",
    "encoding_named",
    "query_terms",
]
