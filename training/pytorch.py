"""Shared by all networks: the cycle of the learning rate, the curve of measurements during training, and
export to ONNX. Needs PyTorch.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

# The learning rate at the end, as a share of the highest.
LOWEST = 1e-3


def set_rate(optimizer: torch.optim.Optimizer, highest: float, share: float, warm_up: float = 0.03) -> None:
    """Set the learning rate after a `share` (0…1) of the training; it rises for the share `warm_up`."""
    for group in optimizer.param_groups:
        group["lr"] = highest * min(share / warm_up, 0.5 + 0.5 * math.cos(math.pi * share) + LOWEST)


class Curve:
    """Measurements during training: printed and, if a file is given, written as CSV."""

    def __init__(self, file: Path | None = None, name: str = "") -> None:
        self._file, self._name = file, name and f"{name}: "
        self._begun = time.monotonic()

    def add(self, steps: int, figures: Mapping[str, float]) -> None:
        """Add the measurements after `steps` steps. Raises `OSError`."""
        minutes = (time.monotonic() - self._begun) / 60
        texts = {name: f"{figure:.4f}" for name, figure in figures.items()}
        print(
            f"{self._name}{steps:,} steps, {minutes:.0f} min:",
            *(f"{name} {text}" for name, text in texts.items()),
            flush=True,
        )
        if self._file is not None:
            new = not steps
            with self._file.open("w" if new else "a", encoding="utf-8") as out:
                if new:
                    print("steps", "minutes", *texts, sep=",", file=out)
                print(steps, f"{minutes:.1f}", *texts.values(), sep=",", file=out)


def write_onnx(
    network: nn.Module,
    inputs: Mapping[str, Tensor],
    outputs: list[str],
    file: Path,
    rows: Mapping[str, torch.export.Dim] | None = None,
) -> None:
    """Write a network, with example inputs of two rows or more, and the names of its outputs.

    `rows` is the number of rows of each input (default: a row for each position). Raises `OSError`.
    """
    network.eval()
    rows = rows or dict.fromkeys(inputs, torch.export.Dim("positions", min=1))
    program = torch.onnx.export(
        network,
        tuple(inputs.values()),
        dynamo=True,
        input_names=list(inputs),
        output_names=outputs,
        dynamic_shapes={name: {0: rows[name]} for name in inputs},
    )
    assert program is not None
    model = program.model_proto
    # Paths of source code do not belong in the file.
    for part in (model, model.graph, *model.graph.node, *model.graph.value_info):
        del part.metadata_props[:]
    for node in model.graph.node:
        node.doc_string = ""
    file.write_bytes(model.SerializeToString())
