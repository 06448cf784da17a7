"""A network for ChessBERT that can be worked out by hand."""

from __future__ import annotations

from onnx import TensorProto, helper

from motifsearch.retrieval.chessbert import FIRST_CONTEXT

# A token as one number: these times its square, its piece and its segment.
WEIGHTS = (100, 1, 10_000)


def copying_network(output: str = "logits", keepdims: int = 0) -> bytes:
    """Return an ONNX model: the logit of a move is 1 if it is the move of the first context, and 0 if not.

    Another name of the output, or another shape, makes it a model that is none of ours.
    """
    int64, float32 = TensorProto.INT64, TensorProto.FLOAT
    nodes = [
        helper.make_node("MatMul", ["tokens", "weights"], ["token_numbers"]),
        helper.make_node("MatMul", ["moves", "weights_of_moves"], ["part"]),
        helper.make_node("Add", ["part", "segment"], ["column"]),
        helper.make_node("Transpose", ["column"], ["move_numbers"]),
        helper.make_node("Equal", ["token_numbers", "move_numbers"], ["same"]),
        helper.make_node("Cast", ["same"], ["ones"], to=float32),
        helper.make_node("ReduceSum", ["ones", "axis"], [output], keepdims=keepdims),
    ]
    graph = helper.make_graph(
        nodes,
        "copying",
        [
            helper.make_tensor_value_info("tokens", int64, ["T", 3]),
            helper.make_tensor_value_info("moves", int64, ["M", 3]),
        ],
        [helper.make_tensor_value_info(output, float32, ["M"])],
        [
            helper.make_tensor("weights", int64, [3, 1], WEIGHTS),
            helper.make_tensor("weights_of_moves", int64, [3, 1], [*WEIGHTS[:2], 0]),
            helper.make_tensor("segment", int64, [1], [WEIGHTS[2] * (FIRST_CONTEXT + 1)]),
            helper.make_tensor("axis", int64, [1], [0]),
        ],
    )
    opset = helper.make_opsetid("", 17)
    return bytes(helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString())
