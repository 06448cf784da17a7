"""Search indexes: Tantivy directories built from the database, kept in step with it, and queried with BM25.

Knows documents, fields and terms, but not what a puzzle or a game is.
"""
