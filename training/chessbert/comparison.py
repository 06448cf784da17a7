"""Compare four ways to train ChessBERT, with the same examples, number of steps and size.

    python -m training.chessbert.comparison EXAMPLES.npz --steps 2000

The published form (contrastive) and the better one (softmax over the legal moves), each with contexts and
without (Ajith, Gunnarsson & Xu, sections 4.2 and 4.3). Prints the test of each, and the time that it took.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch

from training.chessbert.batches import Examples
from training.chessbert.network import Contrastive, Softmax
from training.chessbert.train import evaluate, train


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--steps", type=int, default=2000)
    options = parser.parse_args()
    lines = []
    for form in (Contrastive, Softmax):
        for contexts in (True, False):
            examples = Examples(options.examples, contexts)
            torch.manual_seed(1)
            network, begun = form(), time.monotonic()
            train(network, examples, lambda steps: steps / options.steps)
            minutes = (time.monotonic() - begun) / 60
            name = f"{form.__name__}, {'with' if contexts else 'without'} contexts"
            lines.append(f"{name:30}  {evaluate(network, examples)}  {minutes:.1f} minutes")
            print(lines[-1], flush=True)
    print("", *lines, sep="\n")


if __name__ == "__main__":
    main()
