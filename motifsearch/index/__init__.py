"""Search indexes: Tantivy directories, kept in sync with the database and queried with BM25.

Documents and weighted terms go in, ranked documents with their scores come out. This package knows nothing of
puzzles and games.
"""
