"""Fit the human-move model to positions made by `training.human_examples`, and write the model as ONNX.

    python -m training.human POSITIONS.npz engines/human/network.onnx --minutes 60

The model is a residual tower with squeeze-and-excitation (Hu et al., 2018), like Leela Chess Zero's but far
smaller. Its inputs are the position, the position before, the castling rights and the player's rating, so
that one network plays like players of any strength. Needs PyTorch (the extra `training`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.about import LICENCE, from_array, origin_of, write_about
from training.human_examples import PLANES_USED
from training.pytorch import set_rate, write_onnx

PLANES = 112

FILTERS = 48
BLOCKS = 4
SQUEEZED = 8
POLICY_PLANES = 73

# The rating is an input plane with the value (rating - MEAN_RATING) / SPREAD_RATING.
MEAN_RATING, SPREAD_RATING = 1600.0, 400.0

BATCH = 1024
HIGHEST_RATE = 4e-3
WEIGHT_DECAY = 1e-4
# The outcome counts less than the moves, which the model is made for.
VALUE_WEIGHT = 0.25

# One in this many examples is held out for validation.
VALIDATION = 200


class ResidualBlock(nn.Module):
    """Two convolutions with squeeze-and-excitation and a shortcut."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(FILTERS, FILTERS, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(FILTERS)
        self.second = nn.Conv2d(FILTERS, FILTERS, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(FILTERS)
        self.squeeze = nn.Linear(FILTERS, SQUEEZED)
        self.excite = nn.Linear(SQUEEZED, 2 * FILTERS)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        scale, shift = self.excite(functional.relu(self.squeeze(y.mean((2, 3))))).chunk(2, dim=1)
        return functional.relu(x + y * torch.sigmoid(scale)[..., None, None] + shift[..., None, None])


class HumanMoveNetwork(nn.Module):
    """Turns planes (N, 112, 8, 8) and ratings (N) into logits (N, 73·64), outcomes (N), the last layer."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Conv2d(len(PLANES_USED) + 1, FILTERS, 3, padding=1, bias=False)
        self.enter_norm = nn.BatchNorm2d(FILTERS)
        self.tower = nn.Sequential(*(ResidualBlock() for _ in range(BLOCKS)))
        self.policy = nn.Conv2d(FILTERS, POLICY_PLANES, 1)
        self.value = nn.Sequential(nn.Linear(2 * FILTERS, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
        self.register_buffer("used", torch.tensor(PLANES_USED), persistent=False)

    def forward(self, planes: Tensor, rating: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.of_used(planes[:, self.used], rating)

    def of_used(self, planes: Tensor, rating: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        level = ((rating - MEAN_RATING) / SPREAD_RATING)[:, None, None, None].expand(-1, 1, 8, 8)
        x = functional.relu(self.enter_norm(self.enter(torch.cat((planes, level), 1))))
        x = self.tower(x)
        pooled = torch.cat((x.mean((2, 3)), x.amax((2, 3))), 1)
        return self.policy(x).flatten(1), self.value(pooled)[:, 0], x.flatten(1)


class ExampleBatches:
    """The examples of a file, in batches in random order."""

    def __init__(self, file: Path) -> None:
        with np.load(file) as arrays:
            self.arrays = {name: arrays[name] for name in arrays.files}
        self.count = len(self.arrays["rating"])
        shuffled = np.random.default_rng(1).permutation(self.count)
        self.validation, self.training = np.split(shuffled, [self.count // VALIDATION])

    def batch(self, rows: np.ndarray) -> dict[str, Tensor]:
        planes = np.unpackbits(self.arrays["planes"][rows], axis=1)
        planes = planes.reshape(len(rows), len(PLANES_USED), 8, 8).astype(np.float32)
        values = {
            name: self.arrays[name][rows].astype(np.float32) for name in ("rating", "probabilities", "value")
        }
        moves = torch.from_numpy(self.arrays["moves"][rows].astype(np.int64))
        return {
            "planes": torch.from_numpy(planes).to(memory_format=torch.channels_last),
            "moves": moves,
            **{name: torch.from_numpy(array) for name, array in values.items()},
        }


def losses(
    predict: Callable[[Tensor, Tensor], tuple[Tensor, Tensor, Tensor]], batch: dict[str, Tensor]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the cross-entropy of moves, the squared error of outcomes, the share of equal best moves."""
    logits, value, _ = predict(batch["planes"], batch["rating"])
    legal = batch["moves"] >= 0
    logits = logits.float().gather(1, batch["moves"].clamp(min=0)).masked_fill(~legal, -1e9)
    entropy = -(batch["probabilities"] * functional.log_softmax(logits, 1)).sum(1).mean()
    agree = (logits.argmax(1) == batch["probabilities"].argmax(1)).float().mean()
    return entropy, functional.mse_loss(value.float(), batch["value"]), agree


def train(positions: ExampleBatches, minutes: float) -> HumanMoveNetwork:
    """Return a network that was trained for `minutes` minutes, in one cycle of the learning rate."""
    torch.manual_seed(1)
    network = HumanMoveNetwork().to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(network.parameters(), lr=HIGHEST_RATE, weight_decay=WEIGHT_DECAY)
    order, begun, steps = np.random.default_rng(2), time.monotonic(), 0
    # Makes training a quarter faster.
    predict = torch.compile(network.of_used)
    share = 0.0
    while share < 1:
        rows = order.permutation(positions.training)
        for first in range(0, len(rows) - BATCH + 1, BATCH):
            share = (time.monotonic() - begun) / (60 * minutes)
            if share >= 1:
                break
            set_rate(optimizer, HIGHEST_RATE, share)
            batch = positions.batch(np.sort(rows[first : first + BATCH]))
            with torch.autocast("cpu", dtype=torch.bfloat16):
                entropy, error, _ = losses(predict, batch)
            optimizer.zero_grad()
            (entropy + VALUE_WEIGHT * error).backward()
            optimizer.step()
            steps += 1
            if steps % 200 == 0:
                print(f"{share:.1%}  {steps * BATCH:,} positions  {validate(network, positions)}", flush=True)
    return network


@torch.no_grad()
def validate(network: HumanMoveNetwork, positions: ExampleBatches) -> str:
    network.eval()
    results = [
        torch.stack(losses(network.of_used, positions.batch(rows)))
        for rows in np.array_split(positions.validation, max(1, len(positions.validation) // BATCH))
    ]
    network.train()
    entropy, error, agree = torch.stack(results).mean(0).tolist()
    return f"cross-entropy {entropy:.4f}  outcome {error:.4f}  same move {agree:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("positions", type=Path)
    parser.add_argument("network", type=Path)
    parser.add_argument("--minutes", type=float, default=60)
    options = parser.parse_args()
    positions = ExampleBatches(options.positions)
    network = train(positions, options.minutes)
    weights = sum(weight.numel() for weight in network.parameters())
    validation = validate(network, positions)
    print(f"{weights:,} weights, {validation}")
    inputs = {"planes": torch.zeros(2, PLANES, 8, 8), "rating": torch.full((2,), MEAN_RATING)}
    write_onnx(network, inputs, ["policy", "value", "hidden"], options.network)
    write_about(
        [options.network],
        origin_of({}, from_array(positions.arrays["origin"])),
        what=f"how likely people are to play each move: a network of {weights:,} weights",
        held_out=f"one position in {VALIDATION} of the examples, at random; puzzles for the test "
        "(chess_motif.held_out.puzzle_is_for_test)",
        licence=f"{LICENCE}; teachers under their own terms (Maia: GPL-3.0)",
        figures={"positions": positions.count, "on the positions held out": validation},
    )


if __name__ == "__main__":
    main()
