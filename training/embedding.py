"""Fit an encoder of positions to games, and write it as ONNX for `motifsearch.retrieval`.

    python -m training.embedding ENCODER.onnx --games GAMES.pgn.zst... --minutes 10

It learns as ChessPos does (see Ajith, Gunnarsson & Xu, *Towards Retrieval-Based Chess Engines*, section 2.2):
a position x has to be nearer to a later position x⁺ of its game than to a random position x⁻, and a second
network has to reconstruct the pieces from the 64 numbers that it becomes.

Positions are seen from the side to move, so x⁺ is not the next position of the game, in which the other side
is to move, but the one after that. Both are then seen from the same end, and the encoder learns only from
positions as it will see them. Vectors have the length 1: otherwise they could satisfy the margin by being
longer. The loss is that of the triplets plus the cross-entropy of a square. It needs no predictions of moves.
Needs PyTorch (the extra `training`).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.embedding_examples import APART, CONTENTS, Positions, pairs, read_positions
from training.pytorch import set_rate, write_onnx

DIMENSIONS = 64
HIDDEN = 512

# How much nearer x⁺ has to be than x⁻, in squared distance (at most 4).
MARGIN = 0.2

BATCH = 512
HIGHEST_RATE = 3e-3
WEIGHT_DECAY = 1e-4

# One in this many games is held out, and never learned from.
HELD_OUT = 50


def layers(inputs: int, outputs: int) -> nn.Sequential:
    """Return two dense layers."""
    return nn.Sequential(
        nn.Linear(inputs, HIDDEN, bias=False), nn.BatchNorm1d(HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, outputs)
    )


class EncoderNetwork(nn.Module):
    """Planes of pieces (N, 12, 8, 8) to vectors (N, 64)."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = layers(64 * (CONTENTS - 1), DIMENSIONS)

    def forward(self, pieces: Tensor) -> Tensor:
        return functional.normalize(self.layers(pieces.flatten(1)))


class Autoencoder(nn.Module):
    """The contents of squares (N, 64) to vectors, and to the logits of the contents (N, 13, 64)."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = EncoderNetwork()
        self.decoder = layers(DIMENSIONS, 64 * CONTENTS)

    def forward(self, squares: Tensor) -> tuple[Tensor, Tensor]:
        pieces = squares[:, None].eq(torch.arange(1, CONTENTS)[:, None])
        vectors = self.encoder(pieces.float())
        return vectors, self.decoder(vectors).unflatten(1, (CONTENTS, 64))


class Triplets:
    """The triplets of some games, in batches. The x⁻ of each is the x of another, in random order."""

    def __init__(self, positions: Positions, chosen: npt.NDArray[np.bool_]) -> None:
        self.squares = positions.squares
        rows = pairs(positions.games)
        self.rows = rows[chosen[rows]]

    def batches(self, order: np.random.Generator) -> list[npt.NDArray[np.int64]]:
        shuffled = order.permutation(self.rows)
        return np.array_split(shuffled, max(1, len(shuffled) // BATCH))

    def batch(self, rows: npt.NDArray[np.int64]) -> Tensor:
        """Return the squares of x, and then of x⁺, for each of the rows."""
        return torch.from_numpy(self.squares[np.concatenate([rows, rows + APART])]).long()


def distances(vectors: Tensor) -> tuple[Tensor, Tensor]:
    """Return the squared distances of each x from its x⁺ and from its x⁻."""
    first, later = vectors.float().chunk(2)
    return (first - later).square().sum(1), (first - first.roll(1, 0)).square().sum(1)


def losses(network: Autoencoder, squares: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the loss of the triplets and of the squares, the vectors, and the logits of the contents."""
    vectors, logits = network(squares)
    near, far = distances(vectors)
    triplet = functional.relu(near - far + MARGIN).mean()
    return triplet, functional.cross_entropy(logits.float(), squares), vectors, logits


def train(triplets: Triplets, held_out: Triplets, minutes: float) -> Autoencoder:
    """Return a network trained for that long, with one cycle of the learning rate over the time."""
    torch.manual_seed(1)
    network = Autoencoder()
    optimizer = torch.optim.AdamW(network.parameters(), lr=HIGHEST_RATE, weight_decay=WEIGHT_DECAY)
    order, begun, steps = np.random.default_rng(1), time.monotonic(), 0
    share = 0.0
    while share < 1:
        for rows in triplets.batches(order):
            share = (time.monotonic() - begun) / (60 * minutes)
            if share >= 1:
                break
            set_rate(optimizer, HIGHEST_RATE, share)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                triplet, entropy, *_ = losses(network, triplets.batch(rows))
            optimizer.zero_grad()
            (triplet + entropy).backward()
            optimizer.step()
            steps += 1
            if steps % 1000 == 0:
                print(f"{share:.1%}  {steps * BATCH:,} triplets  {validate(network, held_out)}", flush=True)
    return network


@torch.no_grad()
def validate(network: Autoencoder, triplets: Triplets) -> str:
    network.eval()
    results = []
    for rows in triplets.batches(np.random.default_rng(1)):
        squares = triplets.batch(rows)
        triplet, entropy, vectors, logits = losses(network, squares)
        near, far = distances(vectors)
        right, piece = logits.argmax(1).eq(squares).float(), squares > 0
        results.append(
            torch.stack([triplet, (near < far).float().mean(), entropy, right.mean(), right[piece].mean()])
        )
    network.train()
    triplet, ordered, entropy, right, pieces = torch.stack(results).mean(0).tolist()
    return (
        f"triplet loss {triplet:.4f}  right order {ordered:.2%}  "
        f"cross-entropy {entropy:.4f}  right squares {right:.2%}, of those with pieces {pieces:.2%}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("--games", nargs="+", required=True)
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    positions = read_positions(options.games)
    held_out = positions.games % HELD_OUT == 0
    print(f"{len(held_out):,} positions, {held_out.sum():,} of them held out")
    network = train(Triplets(positions, ~held_out), Triplets(positions, held_out), options.minutes)
    print(validate(network, Triplets(positions, held_out)))
    pieces = torch.zeros(2, CONTENTS - 1, 8, 8)
    write_onnx(network.encoder, {"pieces": pieces}, ["embedding"], options.encoder)


if __name__ == "__main__":
    main()
