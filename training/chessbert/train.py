"""The training of a ChessBERT, and how good it is. Needs PyTorch (the extra `training`)."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch.nn import functional

from training.chessbert.batches import BATCH, Examples
from training.chessbert.network import ChessBertNetwork
from training.one_cycle import set_rate

HIGHEST_RATE = 2e-3
WEIGHT_DECAY = 1e-2
HIGHEST_NORM = 1.0

# The share of the training in which the rate rises.
WARM_UP = 0.05

# Steps between two lines about the training, and the batches of the test that these lines are of.
STEPS_OF_A_LINE = 200
BATCHES_OF_A_LINE = 10


class NetworkScores(NamedTuple):
    """How good a network is on the test: its own loss, the cross-entropy of the legal moves, and recall.

    Recall at K is the share of positions in which the move that was played is among the first K.
    """

    loss: float
    entropy: float
    recall_at_1: float
    recall_at_3: float

    def __str__(self) -> str:
        return (
            f"loss {self.loss:.4f}  cross-entropy {self.entropy:.4f}  "
            f"recall@1 {self.recall_at_1:.3f}  recall@3 {self.recall_at_3:.3f}"
        )


def train(network: ChessBertNetwork, examples: Examples, share_done: Callable[[int], float]) -> int:
    """Train a network in one cycle of the learning rate, and return the number of steps.

    `share_done` returns which share of the training is done (1 at the end) after a number of steps.
    """
    optimizer = torch.optim.AdamW(network.parameters(), lr=HIGHEST_RATE, weight_decay=WEIGHT_DECAY)
    begun = time.monotonic()
    for steps, batch in enumerate(examples.training_batches()):
        share = share_done(steps)
        if share >= 1:
            return steps
        set_rate(optimizer, HIGHEST_RATE, share, WARM_UP)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = network.loss(batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), HIGHEST_NORM)
        optimizer.step()
        if (steps + 1) % STEPS_OF_A_LINE == 0:
            speed = (steps + 1) * BATCH / (time.monotonic() - begun)
            result = evaluate(network, examples, BATCHES_OF_A_LINE)
            print(f"{share:.1%}  {steps + 1:,} steps  {speed:.0f} examples/s  {result}", flush=True)
    raise AssertionError("there is no end to the batches")


@torch.no_grad()
def evaluate(network: ChessBertNetwork, examples: Examples, batches: int | None = None) -> NetworkScores:
    """Return how good a network is on the test, or on the first batches of it."""
    network.eval()
    results = []
    for batch in itertools.islice(examples.test_batches(), batches):
        logits = network.logits(batch)
        better = (logits[:, 1:] >= logits[:, :1]).sum(1)
        entropy = -functional.log_softmax(logits, 1)[:, 0].mean()
        recalls = [(better < most).float().mean() for most in (1, 3)]
        results.append(torch.stack([network.loss(batch), entropy, *recalls]))
    network.train()
    return NetworkScores(*torch.stack(results).mean(0).tolist())


@torch.no_grad()
def guessed(network: ChessBertNetwork, examples: Examples) -> list[bool]:
    """Return for each position of the test whether the move that was played is the first one."""
    network.eval()
    right = [
        bool(one)
        for logits in map(network.logits, examples.test_batches())
        for one in logits[:, 1:].amax(1) < logits[:, 0]
    ]
    network.train()
    return right
