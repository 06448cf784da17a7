"""Train ChessBERT in four ways, with the same examples, number of steps and size, and compare them.

    python -m training.chessbert.comparison EXAMPLES.npz network.onnx --steps 1000

The published form (contrastive) and the better one (softmax over the legal moves), each with contexts and
without (Ajith, Gunnarsson & Xu, sections 4.2 and 4.3). Prints the test of each, and by how much contexts
change the share of moves that are guessed. The better form with contexts is what the package has: it is
written as ONNX. Needs PyTorch (the extra `training`).
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch

from benchmarks.intervals import paired_share_difference
from chess_motif.intervals import Interval
from chess_motif.parallel import in_processes
from training.chessbert.batches import Examples
from training.chessbert.network import Contrastive, Softmax, export
from training.chessbert.train import NetworkScores, evaluate, guessed, train

FORMS = {"contrastive": Contrastive, "softmax": Softmax}

# Those with contexts take longer, and so are the first to begin.
VARIANTS = [(form, contexts) for contexts in (True, False) for form in FORMS]
SHIPPED = ("softmax", True)


class Trained(NamedTuple):
    """The test of a variant, and for each of its positions whether the move was guessed."""

    result: NetworkScores
    guessed: list[bool]


def train_variant(examples: Path, network: Path, steps: int, variant: tuple[str, bool]) -> Trained:
    """Train one of the `VARIANTS`; write it if it is the shipped one."""
    # Two that run at the same time would wait for each other's threads.
    torch.set_num_threads(1)
    form, contexts = variant
    torch.manual_seed(1)
    chessbert, given = FORMS[form](), Examples(examples, contexts)
    train(chessbert, given, lambda done: done / steps)
    if variant == SHIPPED:
        export(chessbert, network)
    return Trained(evaluate(chessbert, given), guessed(chessbert, given))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("examples", type=Path)
    parser.add_argument("network", type=Path)
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args()
    work = partial(train_variant, options.examples, options.network, options.steps)
    trained = dict(zip(VARIANTS, in_processes(work, VARIANTS), strict=True))
    for (form, contexts), variant in trained.items():
        print(f"{form:12} {'with' if contexts else 'without':8} contexts  {variant.result}")
    for form in FORMS:
        with_them, without = trained[form, True].guessed, trained[form, False].guessed
        print(f"{form}: contexts change recall@1 by {_shown(paired_share_difference(with_them, without))}")


def _shown(difference: Interval) -> str:
    return f"{difference.mean:+.3f} ({difference.low:+.3f} to {difference.high:+.3f})"


if __name__ == "__main__":
    main()
