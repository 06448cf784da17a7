"""Search indexes: Tantivy directories derived from the database, kept in step with it, and asked by BM25.

Knows documents, fields and terms, but not what a puzzle or a game is.
"""
