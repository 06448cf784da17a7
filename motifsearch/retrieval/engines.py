"""The two engines: each a player behind the options of `motifsearch.retrieval.engine`."""

from __future__ import annotations

from pathlib import Path

from engines.human.model import HumanModel
from engines.uci_server import Combo
from motifsearch.retrieval.chessbert import ChessBertPlayer, load_chessbert
from motifsearch.retrieval.chesscone import Chesscone, Form
from motifsearch.retrieval.engine import FORM, MemoryEngine, Style
from motifsearch.retrieval.memory import Memory


def chesscone_engine(database: str | None = None, memory: Path | None = None) -> MemoryEngine:
    """Return Chesscone as a UCI engine, see `MemoryEngine` for its arguments."""
    forms = Combo(FORM, Form.JOINED, [*Form])
    return MemoryEngine("Chesscone", _make_chesscone, database, memory, forms)


def chessbert_engine(database: str | None = None, memory: Path | None = None) -> MemoryEngine:
    """Return ChessBERT as a UCI engine, see `MemoryEngine` for its arguments."""
    return MemoryEngine("ChessBERT", _make_chessbert, database, memory)


def _make_chesscone(memory: Memory | None, model: HumanModel, style: Style) -> Chesscone:
    return Chesscone(memory, model, form=Form(style.form), rating=style.rating, careful=style.careful)


def _make_chessbert(memory: Memory | None, model: HumanModel, style: Style) -> ChessBertPlayer:
    return ChessBertPlayer(memory, load_chessbert(), careful=style.careful)
