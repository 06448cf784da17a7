"""Fit an encoder of positions to games, and write it as ONNX for `motifsearch.retrieval`.

    python -m training.embedding ENCODER.onnx --games GAMES.pgn.zst... --epochs 6 --curve CURVE.csv

The encoder learns as ChessPos does (Ajith, Gunnarsson & Xu, *Towards Retrieval-Based Chess Engines*, section
2.2): a position x has to be nearer to the next position x⁺ of its game than to a random position x⁻, and a
second network has to reconstruct the pieces from the vector of 64 numbers. The games are those of the paper
(section 3.1): both players rated 2000 or more, no bullet.

Both x and x⁺ are seen from the side to move in x. The paper does not give the sizes of the networks, the
margin or the lengths of vectors. Here, vectors have the length 1, since longer vectors would satisfy the
margin more easily. The loss is that of the triplets plus the cross-entropy of a square. Needs PyTorch (the
extra `training`).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.about import origin_of, write_about
from training.embedding_examples import CONTENTS, Positions, from_the_other_side, pairs, read_positions
from training.pytorch import Curve, set_rate, write_onnx

DIMENSIONS = 64
HIDDEN = 512

# How much nearer x⁺ has to be than x⁻, in squared distance (at most 4).
MARGIN = 0.2

BATCH = 512
HIGHEST_RATE = 3e-3
WEIGHT_DECAY = 1e-4

# Steps between two validations, and the number of batches of a validation.
STEPS_OF_A_LINE = 1000
VALIDATED_BATCHES = 40


def layers(inputs: int, outputs: int) -> nn.Sequential:
    """Return two dense layers."""
    return nn.Sequential(
        nn.Linear(inputs, HIDDEN, bias=False), nn.BatchNorm1d(HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, outputs)
    )


class EncoderNetwork(nn.Module):
    """Turns planes of pieces (N, 12, 8, 8) into vectors (N, 64)."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = layers(64 * (CONTENTS - 1), DIMENSIONS)

    def forward(self, pieces: Tensor) -> Tensor:
        return functional.normalize(self.layers(pieces.flatten(1)))


class Autoencoder(nn.Module):
    """Turns the contents of squares (N, 64) into vectors, and into the logits of contents (N, 13, 64)."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = EncoderNetwork()
        self.decoder = layers(DIMENSIONS, 64 * CONTENTS)

    def forward(self, squares: Tensor) -> tuple[Tensor, Tensor]:
        pieces = squares[:, None].eq(torch.arange(1, CONTENTS)[:, None])
        vectors = self.encoder(pieces.float())
        return vectors, self.decoder(vectors).unflatten(1, (CONTENTS, 64))


class Triplets:
    """The triplets of some games, in batches. The x⁻ of a triplet is the x of another, chosen at random."""

    def __init__(self, positions: Positions, chosen: npt.NDArray[np.bool_]) -> None:
        self.squares = positions.squares
        rows = pairs(positions.games)
        self.rows = rows[chosen[rows]]

    def batches(self, order: np.random.Generator) -> list[npt.NDArray[np.int64]]:
        shuffled = order.permutation(self.rows)
        return np.array_split(shuffled, max(1, len(shuffled) // BATCH))

    def batch(self, rows: npt.NDArray[np.int64]) -> Tensor:
        """Return the squares of x of all rows, followed by those of x⁺."""
        following = from_the_other_side(self.squares[rows + 1])
        return torch.from_numpy(np.concatenate([self.squares[rows], following])).long()


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


class Validation(NamedTuple):
    """The results of an encoder on held-out games.

    `ordered` is the share of triplets in which x⁺ is nearer than x⁻, `squares` the share of squares that are
    reconstructed, and `pieces` the share of squares with pieces that are reconstructed.
    """

    triplet_loss: float
    cross_entropy: float
    ordered: float
    squares: float
    pieces: float


def train(triplets: Triplets, held_out: Triplets, epochs: int, curve: Curve) -> Autoencoder:
    """Return a network that was trained for `epochs` epochs, in one cycle of the learning rate."""
    torch.manual_seed(1)
    network = Autoencoder()
    optimizer = torch.optim.AdamW(network.parameters(), lr=HIGHEST_RATE, weight_decay=WEIGHT_DECAY)
    order = np.random.default_rng(1)
    batches = (rows for _ in range(epochs) for rows in triplets.batches(order))
    all_steps = epochs * len(triplets.batches(order))
    for step, rows in enumerate(batches):
        set_rate(optimizer, HIGHEST_RATE, step / all_steps)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            triplet, entropy, *_ = losses(network, triplets.batch(rows))
        optimizer.zero_grad()
        (triplet + entropy).backward()
        optimizer.step()
        if step % STEPS_OF_A_LINE == 0:
            curve.add(step, validate(network, held_out)._asdict())
    curve.add(all_steps, validate(network, held_out)._asdict())
    return network


@torch.no_grad()
def validate(network: Autoencoder, triplets: Triplets) -> Validation:
    """Return the results of a network on a sample of triplets, which is always the same."""
    network.eval()
    results = []
    for rows in triplets.batches(np.random.default_rng(1))[:VALIDATED_BATCHES]:
        squares = triplets.batch(rows)
        triplet, entropy, vectors, logits = losses(network, squares)
        near, far = distances(vectors)
        right, piece = logits.argmax(1).eq(squares).float(), squares > 0
        results.append(
            torch.stack([triplet, entropy, (near < far).float().mean(), right.mean(), right[piece].mean()])
        )
    network.train()
    return Validation(*torch.stack(results).mean(0).tolist())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("--games", nargs="+", required=True)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--curve", type=Path, help="file for measurements during training, CSV")
    options = parser.parse_args()
    positions = read_positions(options.games)
    print(
        f"{len(positions.games):,} positions of {positions.games[-1] + 1:,} games, "
        f"{positions.test.sum():,} of them for the test",
        flush=True,
    )
    held_out = Triplets(positions, positions.test)
    network = train(Triplets(positions, ~positions.test), held_out, options.epochs, Curve(options.curve))
    pieces = torch.zeros(2, CONTENTS - 1, 8, 8)
    write_onnx(network.encoder, {"pieces": pieces}, ["embedding"], options.encoder)
    write_about(
        [options.encoder],
        origin_of({Path(games): "games of players rated 2000 or more, no bullet" for games in options.games}),
        what="ChessPos, which turns positions into 64 numbers",
        held_out="games chosen by a hash of their key (chess_motif.held_out.game_is_for_test)",
        figures={
            "positions": len(positions.games),
            "on the games held out": validate(network, held_out)._asdict(),
        },
    )


if __name__ == "__main__":
    main()
