"""Fit the models of packed files to examples made by `training.packed_examples`.

    python -m training.packed EXAMPLES.npz db/packed/models.npz --minutes 30

Two networks are turned into integers, see `db.packed.models`. Files that were packed with other models can no
longer be read, so that the format needs a new version. Needs PyTorch (the extra `training`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from db.packed.models import EXPONENTIALS, LOWEST, MOVES, PLACEMENT, STEPS, TABLE, TOP
from db.packed.position import CONTENTS
from training.about import from_array, origin_of, write_about
from training.packed_examples import NONE
from training.pytorch import set_rate

PLACEMENT_UNITS = 256
MOVE_UNITS = 64

# The largest value of hidden units, whose inputs are rounded to multiples of 1 / UNIT_STEPS.
CUT = 8.0
UNIT_STEPS = (TOP + 1) / CUT

# The largest weight of an output, which is stored as a byte.
BYTE = 127

BATCH = 512
RATE = 2e-3

# The share of the time for the moves, which are learned sooner.
MOVES_SHARE = 0.2

# The pieces that a material counts: White's queen, rook, bishop, knight and pawn, then Black's.
COUNTED = (5, 4, 3, 2, 1, 11, 10, 9, 8, 7)
MOST_ALIKE = 10

Arrays = dict[str, npt.NDArray[Any]]


class PlacementNetwork(nn.Module):
    """See `db.packed.models`. Its loss is the bits of the 64 squares of a position."""

    def __init__(self) -> None:
        super().__init__()

        def added(*shape: int) -> nn.Parameter:
            return nn.Parameter(0.02 * torch.randn(*shape, PLACEMENT_UNITS))

        self.base = nn.Parameter(torch.zeros(PLACEMENT_UNITS))
        self.material = added(len(COUNTED), MOST_ALIKE + 1)
        self.turn = added(2)
        self.rights = added(4, 2)
        self.squares = added(64, CONTENTS)
        self.outputs = nn.Parameter(0.02 * torch.randn(64, PLACEMENT_UNITS, CONTENTS))
        self.bias = nn.Parameter(torch.zeros(64, CONTENTS))

    def forward(self, squares: Tensor, state: Tensor) -> Tensor:
        known = functional.one_hot(squares, CONTENTS)
        left = known.sum(1, keepdim=True) - known.cumsum(1) + known
        counts = left[:, 0, list(COUNTED)].clamp(max=MOST_ALIKE)
        hidden = self.base + self.material[torch.arange(len(COUNTED)), counts].sum(1) + self.turn[state[:, 0]]
        flags = state[:, 1:] >> torch.arange(4) & 1
        hidden = hidden + self.rights[torch.arange(4), flags].sum(1)
        each = self.squares[torch.arange(64), squares]
        active = torch.cat([hidden[:, None], each[:, :-1]], 1).cumsum(1).clamp(0, CUT)
        logits = (active.transpose(0, 1) @ self.outputs).transpose(0, 1) + self.bias
        logits = logits + left.log().clamp(min=-1e4)
        loss = functional.cross_entropy(logits.flatten(0, 1), squares.flatten(), reduction="sum")
        return loss / len(squares) / np.log(2)

    def arrays(self) -> Arrays:
        """Return the network as integers, see `db.packed.models.PlacementModel`."""
        values = {name: value.detach().double().numpy() for name, value in self.named_parameters()}
        flags = np.arange(16)[:, None] >> np.arange(4) & 1
        rights = values["rights"][np.arange(4), flags].sum(1)
        scales = np.abs(values["outputs"]).max((1, 2)) / BYTE
        return {
            PLACEMENT + "base": np.round(values["base"] * UNIT_STEPS).astype(np.int32),
            PLACEMENT + "material": np.round(values["material"] * UNIT_STEPS).astype(np.int16),
            PLACEMENT + "state": np.round((values["turn"][:, None] + rights) * UNIT_STEPS).astype(np.int16),
            PLACEMENT + "squares": np.round(values["squares"] * UNIT_STEPS).astype(np.int16),
            PLACEMENT + "outputs": np.round(values["outputs"] / scales[:, None, None]).astype(np.int8),
            PLACEMENT + "bias": np.round(values["bias"] * UNIT_STEPS / scales[:, None]).astype(np.int32),
            PLACEMENT + "scales": (scales * STEPS / UNIT_STEPS).astype(np.float32),
        }


class MoveNetwork(nn.Module):
    """See `db.packed.models`. Its loss is the bits of a move."""

    def __init__(self) -> None:
        super().__init__()

        def added(size: float) -> nn.Embedding:
            table = nn.Embedding(NONE + 1, MOVE_UNITS, padding_idx=NONE)
            nn.init.normal_(table.weight[:NONE], std=size)
            return table

        self.base = nn.Parameter(torch.full((MOVE_UNITS,), 0.2))
        self.squares, self.origins, self.targets = added(0.05), added(0.02), added(0.02)

    def forward(self, pieces: Tensor, origins: Tensor, targets: Tensor, played: Tensor) -> Tensor:
        active = (self.squares(pieces).sum(1) + self.base).clamp(0, CUT)
        logits = ((self.origins(origins) + self.targets(targets)) @ active[:, :, None])[:, :, 0]
        return functional.cross_entropy(logits.masked_fill(origins == NONE, -1e9), played) / np.log(2)

    def arrays(self) -> Arrays:
        """Return the network as integers, see `db.packed.models.MoveModel`."""
        squares, origins, targets = (
            table.weight.detach().double().numpy()[:NONE]
            for table in (self.squares, self.origins, self.targets)
        )
        scale = max(np.abs(origins).max(), np.abs(targets).max()) / BYTE
        base = self.base.detach().double().numpy()
        return {
            MOVES + "base": np.round(base * UNIT_STEPS).astype(np.int32),
            MOVES + "squares": np.round(squares * UNIT_STEPS).astype(np.int16),
            MOVES + "origins": np.round(origins / scale).astype(np.int8),
            MOVES + "targets": np.round(targets / scale).astype(np.int8),
            MOVES + "scale": np.float32(scale * STEPS / UNIT_STEPS),
        }


def exponentials() -> npt.NDArray[np.uint32]:
    """Return the weights of logits that are 0, 1, … steps below the highest logit."""
    return np.round(2**24 * np.exp(-np.arange(LOWEST + 1) / STEPS)).astype(np.uint32)


def train(
    network: nn.Module,
    rows: Mapping[str, npt.NDArray[np.generic]],
    minutes: float,
    show: Callable[[str], None],
) -> None:
    """Train a network for `minutes` minutes on `rows`, which have the names of its arguments."""
    columns = [torch.tensor(row.astype(np.int64)) for row in rows.values()]
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    begun, steps, bits = time.monotonic(), 0, 0.0
    while (share := (time.monotonic() - begun) / (60 * minutes)) < 1:
        set_rate(optimizer, RATE, share)
        chosen = torch.randint(len(columns[0]), (BATCH,))
        loss = network(*[column[chosen] for column in columns])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        steps += 1
        bits += (loss.item() - bits) / min(steps, 300)
        if steps % 300 == 0:
            show(f"{share:.0%}  {steps * BATCH:,} examples  {bits:.2f} bits")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("examples", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--minutes", type=float, default=30)
    arguments = parser.parse_args()

    torch.manual_seed(0)
    rows = dict(np.load(arguments.examples))
    placement, moves = PlacementNetwork(), MoveNetwork()
    train(
        moves,
        {name: rows[name] for name in ("pieces", "origins", "targets", "played")},
        MOVES_SHARE * arguments.minutes,
        lambda line: print("moves", line, flush=True),
    )
    train(
        placement,
        {name: rows[name] for name in ("squares", "state")},
        (1 - MOVES_SHARE) * arguments.minutes,
        lambda line: print("placement", line, flush=True),
    )
    tables = {name: table for name, table in rows.items() if name.startswith(TABLE)}
    arrays = {EXPONENTIALS: exponentials(), **placement.arrays(), **moves.arrays(), **tables}
    np.savez_compressed(arguments.models, allow_pickle=False, **arrays)
    write_about(
        [arguments.models],
        origin_of({}, from_array(rows["origin"])),
        what="how likely positions and moves are in packed files: two networks, and tables of counts",
        held_out="the squares of all positions of the games held out and of the puzzles for the test "
        "(chess_motif.held_out.puzzle_is_for_test), also where they occur in other games; "
        "not the moves there",
        figures={"measured by": "python -m benchmarks.packed"},
    )


if __name__ == "__main__":
    main()
