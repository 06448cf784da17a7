"""What a packed file has: how many positions, in how many bytes, and by what searches."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

from chess_motif.errors import StoreError
from db.packed.file import PackedFile


class Budget(NamedTuple):
    """An engine, and what its searches were allowed: nodes, variations, and a depth in plies, if any."""

    engine: str
    nodes: int
    lines: int
    depth: int | None


@dataclass(frozen=True)
class Contents:
    """The contents of a packed file: counts, the bytes of each part, and the verdicts by budget.

    `damage` has a line for each block that is damaged.
    """

    positions: int
    verdicts: int
    blocks: int
    position_bytes: int
    index_bytes: int
    verdict_bytes: int
    searches: dict[Budget, int]
    damage: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return the contents as the keys and values of their JSON object."""
        searches = [{**budget._asdict(), "verdicts": count} for budget, count in self.searches.items()]
        return vars(self) | {"searches": searches}


def contents_of(file: PackedFile) -> Contents:
    """Return the contents of a packed file. No position is decoded."""
    searches: Counter[Budget] = Counter()
    for slot in file.slots:
        try:
            verdicts = file.verdicts(slot)
        except StoreError:
            continue
        for verdict in (verdict for each in verdicts for verdict in each):
            searches[Budget(verdict.settings, verdict.nodes, verdict.lines, verdict.depth)] += 1
    return Contents(
        file.header.positions,
        file.header.verdicts,
        file.header.blocks,
        sum(slot.position_bytes for slot in file.slots),
        file.header.index_bytes,
        sum(slot.verdict_bytes for slot in file.slots),
        dict(searches.most_common()),
        file.damage(),
    )
