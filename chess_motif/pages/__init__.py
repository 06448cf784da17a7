"""HTML pages: the layout that all of them share, and how templates become files."""
