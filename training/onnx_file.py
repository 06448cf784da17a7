"""A trained network as an ONNX file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn


def write_onnx(
    network: nn.Module,
    inputs: Mapping[str, Tensor],
    outputs: list[str],
    file: Path,
    rows: Mapping[str, torch.export.Dim] | None = None,
) -> None:
    """Write a network with these inputs, examples of two rows or more, and these outputs.

    `rows` says how many rows each input may have (default: all have one for each position). Raises `OSError`.
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
    # Where the code was that made each part does not belong into the file.
    for part in (model, model.graph, *model.graph.node, *model.graph.value_info):
        del part.metadata_props[:]
    for node in model.graph.node:
        node.doc_string = ""
    file.write_bytes(model.SerializeToString())
