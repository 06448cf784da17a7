"""The two engines: each a player behind the options of `motifsearch.retrieval.engine`."""

from __future__ import annotations

from pathlib import Path

from engines.human.model import HumanModel
from engines.uci_server import Combo
from motifsearch.retrieval.chesscone import Chesscone, Form
from motifsearch.retrieval.engine import FORM, MemoryEngine, Style
from motifsearch.retrieval.memory import Memory


def chesscone_engine(database: str | None = None, memory: Path | None = None) -> MemoryEngine:
    """Return Chesscone as a UCI engine, see `MemoryEngine` for its arguments."""
    forms = Combo(FORM, Form.JOINED, [*Form])
    return MemoryEngine("Chesscone", _make_chesscone, database, memory, forms)


def _make_chesscone(memory: Memory | None, model: HumanModel, style: Style) -> Chesscone:
    return Chesscone(memory, model, form=Form(style.form), rating=style.rating, careful=style.careful)
