"""What a filter may ask for: the tags that a puzzle can have, and the sources that it can come from.

Other themes and sources are known only if a puzzle in the database has them. `puzzlegen.motifs.table` says
what each tag means; a test compares the names.
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
