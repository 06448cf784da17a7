"""What a filter may ask for: the tags that a puzzle can have, and the sources that it can come from.

A source may have themes, and a database sources, that are not here; they are known where a puzzle has them.
What each tag means is in `puzzlegen.motifs.table`; a test compares the names.
"""

from __future__ import annotations

TAG_NAMES = frozenset({
    "advancedPawn", "advantage", "anastasiaMate", "arabianMate", "attackingF2F7", "attraction",
    "backRankMate", "betterExchange", "bishopEndgame", "blindSwineMate", "bodenMate",
    "breakthrough", "capturingDefender", "castling", "clearance", "cornerMate", "crushing",
    "defensiveMove", "deflection", "discoveredAttack", "discoveredCheck",
    "doubleAttack", "doubleBishopMate", "doubleCheck", "dovetailMate", "enPassant", "endgame",
    "epauletteMate", "equality", "exposedKing", "fork", "hangingPawn", "hangingPiece", "hookMate",
    "interference", "intermezzo", "killBoxMate", "kingsideAttack", "knightEndgame", "long",
    "master", "masterVsMaster", "mate", "mateIn1", "mateIn2", "mateIn3", "mateIn4", "mateIn5",
    "mateThreat", "middlegame", "morphysMate", "oneMove", "opening", "operaMate", "overloading",
    "pawnEndgame", "perpetualCheck", "pillsburysMate", "pin", "promotion", "queenEndgame",
    "queenRookEndgame", "queensideAttack", "quietMove", "rookEndgame", "sacrifice", "short",
    "skewer", "smotheredMate", "stalemate", "superGM", "swallowstailMate", "trappedPiece",
    "underPromotion", "veryLong", "vukovicMate", "xRayAttack", "zugzwang",
    "holdsDraw", "stopsMate", "winsExchange", "winsMaterial", "winsPawn", "winsPiece", "winsQueen",
    "winsRook", "relativePin", "passedPawn",
})  # fmt: skip

SOURCE_NAMES = frozenset({"mined", "lichess", "pgn", "epd", "jsonl"})
