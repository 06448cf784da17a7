"""A puzzle as text: the terms by which positions and solutions are compared (Bizjak & Guid, ACG 2021).

A board and a solution go in; lists of terms by field come out. Knows nothing of the index and its weights.
"""

from motifsearch.terms.encode import (
    DYNAMIC_FIELDS,
    FIELDS,
    STATIC_FIELDS,
    TERMS_VERSION,
    Mode,
    encode,
    query_terms,
)

__all__ = ["DYNAMIC_FIELDS", "FIELDS", "STATIC_FIELDS", "TERMS_VERSION", "Mode", "encode", "query_terms"]
