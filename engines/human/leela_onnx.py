"""A network of Leela Chess Zero as an ONNX model, for onnxruntime to run.

Its input and outputs are those of `engines.human.network`, without ratings. This module needs the package
onnx, which the extra `maia` installs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import NodeProto, TensorProto, helper, numpy_helper

from engines.human.leela import Layer, LeelaNetwork, Residual
from engines.human.planes import MOVE_PLANES, PLANES, POLICY_SIZE

# Versions of the format that every onnxruntime for a supported Python can read.
OPSET, IR_VERSION = 17, 8

Weights = npt.NDArray[np.float32] | npt.NDArray[np.int64]


def onnx_model(network: LeelaNetwork) -> bytes:
    """Return the network as the content of an ONNX file."""
    graph = _Graph()
    body = graph.relu(graph.convolution("planes", network.input))
    for block in network.tower:
        body = graph.residual(body, block)
    graph.add("Flatten", body, output="hidden")

    moves = Layer(network.policy.weights[:MOVE_PLANES], network.policy.biases[:MOVE_PLANES])
    policy = graph.convolution(graph.relu(graph.convolution(body, network.policy_hidden)), moves)
    graph.add("Flatten", policy, output="policy")

    value_planes = graph.relu(graph.convolution(body, network.value_planes))
    hidden = graph.relu(graph.dense(graph.add("Flatten", value_planes), network.value_hidden))
    outcome = graph.dense(hidden, network.value)
    if len(network.value.biases) == 1:
        outcome = graph.add("Tanh", outcome)
    else:
        outcome = graph.expectation(graph.add("Softmax", outcome))
    graph.reshape(outcome, [-1], output="value")
    return graph.serialised()


class _Graph:
    """A graph in the making. Its methods add nodes and return the names of their outputs."""

    def __init__(self) -> None:
        self._nodes: list[NodeProto] = []
        self._weights: list[TensorProto] = []

    def add(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add a node of a kind (https://onnx.ai/onnx/operators)."""
        output = output or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def weights(self, values: Weights) -> str:
        name = f"weights_{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(values, name))
        return name

    def relu(self, data: str) -> str:
        return self.add("Relu", data)

    def reshape(self, data: str, shape: list[int], output: str = "") -> str:
        return self.add("Reshape", data, self.weights(np.array(shape, np.int64)), output=output)

    def convolution(self, data: str, layer: Layer) -> str:
        """A convolution whose output has as many squares as its input."""
        border = layer.weights.shape[-1] // 2
        return self.add(
            "Conv", data, self.weights(layer.weights), self.weights(layer.biases), pads=4 * [border]
        )

    def dense(self, data: str, layer: Layer) -> str:
        return self.add("Gemm", data, self.weights(layer.weights), self.weights(layer.biases), transB=1)

    def residual(self, data: str, block: Residual) -> str:
        second = self.convolution(self.relu(self.convolution(data, block.first)), block.second)
        squeezed = self.dense(self.add("Flatten", self.add("GlobalAveragePool", second)), block.squeeze)
        factors, offsets = (
            self.reshape(self.dense(self.relu(squeezed), layer), [-1, len(layer.biases), 1, 1])
            for layer in (block.factors, block.offsets)
        )
        scaled = self.add("Mul", self.add("Sigmoid", factors), second)
        return self.relu(self.add("Add", self.add("Add", scaled, offsets), data))

    def expectation(self, probabilities: str) -> str:
        """The expected outcome, from the probabilities of win, draw and loss."""
        outcomes = self.weights(np.array([[1], [0], [-1]], np.float32))
        return self.add("MatMul", probabilities, outcomes)

    def serialised(self) -> bytes:
        graph = helper.make_graph(
            self._nodes,
            "human moves",
            [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["N", PLANES, 8, 8])],
            [
                helper.make_tensor_value_info("policy", TensorProto.FLOAT, ["N", POLICY_SIZE]),
                helper.make_tensor_value_info("value", TensorProto.FLOAT, ["N"]),
                helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["N", None]),
            ],
            self._weights,
        )
        opset = helper.make_opsetid("", OPSET)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)
        return bytes(model.SerializeToString())
