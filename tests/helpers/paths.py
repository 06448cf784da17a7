"""Where the repository and its samples are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SAMPLE_GAMES = ROOT / "samples" / "games.pgn.zst"
SAMPLE_PUZZLES = ROOT / "motifsearch" / "web" / "samples.jsonl.zst"
