"""Small encoders of positions, as ONNX files."""

from __future__ import annotations

from pathlib import Path

from onnx import TensorProto, helper

from engines.human.planes import PIECE_PLANES


def encoder(output: str = "embedding", axis: int = 1) -> bytes:
    """Return an encoder whose vectors are the planes: a position differs from any other one.

    With another `axis` than 1, what it returns has another shape.
    """
    graph = helper.make_graph(
        [helper.make_node("Flatten", ["pieces"], [output], axis=axis)],
        "encoder",
        [helper.make_tensor_value_info("pieces", TensorProto.FLOAT, ["N", PIECE_PLANES, 8, 8])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, [None, None])],
    )
    opset = helper.make_opsetid("", 17)
    return bytes(helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString())


def write_encoder(file: Path) -> Path:
    file.write_bytes(encoder())
    return file
