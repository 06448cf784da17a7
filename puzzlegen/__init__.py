"""Games to verified puzzles: mining, import and export (command `puzzlegen`)."""
