"""Similar puzzles as text, JSON and a web page. A query and its results go in, strings come out."""
