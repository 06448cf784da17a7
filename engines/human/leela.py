"""Networks of Leela Chess Zero (`.pb.gz`), such as those of Maia, as ONNX models for onnxruntime to run.

A file is a gzipped protocol buffer message (https://protobuf.dev/programming-guides/encoding), which is read
without its schema. Each array of weights is stored as 16-bit numbers between a minimum and a maximum.
Networks must have the classical input planes, squeeze-and-excitation and a convolutional policy head, as
Maia's have. The inputs and outputs of the model are those of `engines.human.network`, without ratings. This
module needs the package onnx, which the extra `maia` installs.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import NodeProto, TensorProto, helper, numpy_helper

from chess_motif.errors import HumanModelError, reason_of
from engines.human.planes import MOVE_PLANES, PLANES, POLICY_SIZE, Array

# The first bytes of a network file: field 1, four bytes, and their value.
MAGIC = bytes.fromhex("0dc0010000")

# Bytes of an uncompressed file that can be a human-move model. Maia's have 1.7 million.
MOST_BYTES = 2**26

# Leela's policy head has 80 planes, the first 73 of which are moves.
POLICY_PLANES = 80

# Added to the variances of the batch normalisation.
EPSILON = 1e-5

# The numbers of the fields in Leela's messages.
FORMAT, WEIGHTS = 4, 10
NETWORK_FORMAT = 2
INPUT_FORMAT, NETWORK_STRUCTURE, POLICY_FORMAT = 1, 3, 4
CLASSICAL_INPUT, SE_WITH_HEADS, CONVOLUTIONAL_POLICY = 1, 4, 2

# The types of fields on the wire.
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

# The most bytes of a varint.
LONGEST_VARINT = 10

# A message of a network has dozens of fields. One of a million takes seconds to read.
MOST_FIELDS = 10_000

# Versions of the ONNX format that every onnxruntime for a supported Python can read.
OPSET, IR_VERSION = 17, 8

# The values of each field, in the order of the message: a number of type VARINT, otherwise the bytes.
Fields = Mapping[int, Sequence[int | bytes]]

Weights = Array | npt.NDArray[np.int64]


@dataclass(frozen=True)
class Layer:
    """Weights of shape (outputs, inputs, height, width), without the last two if the layer is dense."""

    weights: Array
    biases: Array


@dataclass(frozen=True)
class Residual:
    """A block of the tower: two convolutions, squeeze-and-excitation, and the input of the block added."""

    first: Layer
    second: Layer
    squeeze: Layer
    factors: Layer
    offsets: Layer


@dataclass(frozen=True)
class LeelaNetwork:
    """A network. Its value head has three outputs (win, draw, loss) or one (from -1 to 1)."""

    input: Layer
    tower: tuple[Residual, ...]
    policy_hidden: Layer
    policy: Layer
    value_planes: Layer
    value_hidden: Layer
    value: Layer


def read_leela_network(path: Path) -> LeelaNetwork:
    """Return the network of a file. Raises `HumanModelError` if the file has no usable network."""
    message = _decompress(path)
    if not message.startswith(MAGIC):
        raise HumanModelError(f"{path}: not a network of Leela Chess Zero")
    try:
        file = read_fields(message)
        _check_format(_message(_message(file, FORMAT), NETWORK_FORMAT))
        with np.errstate(all="raise", under="ignore"):
            return _network(_message(file, WEIGHTS))
    except (ValueError, FloatingPointError, struct.error) as error:
        raise HumanModelError(f"{path}: the network cannot be used: {error}") from error


def _decompress(path: Path) -> bytes:
    try:
        with gzip.open(path) as file:
            message = file.read(MOST_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise HumanModelError(f"{path}: not a gzip file, or a damaged one") from error
    except OSError as error:
        raise HumanModelError(f"{path}: {reason_of(error)}") from error
    if len(message) > MOST_BYTES:
        raise HumanModelError(f"{path}: more than {MOST_BYTES >> 20} MiB, too large for a human-move model")
    return message


def _check_format(network: Fields) -> None:
    for name, field, expected in (
        ("classical input planes", INPUT_FORMAT, CLASSICAL_INPUT),
        ("squeeze-and-excitation", NETWORK_STRUCTURE, SE_WITH_HEADS),
        ("a convolutional policy", POLICY_FORMAT, CONVOLUTIONAL_POLICY),
    ):
        if network.get(field) != [expected]:
            raise ValueError(f"it does not have {name}")


def _network(weights: Fields) -> LeelaNetwork:
    """Return the network of a message of weights.

    The fields are 1 input, 2 blocks, 3 and 11 policy, and of the value head 6 planes, 7–10 two dense layers.
    """
    first = _convolution(_message(weights, 1), PLANES, 3)
    filters = len(first.biases)
    value_planes = _convolution(_message(weights, 6), filters, 1)
    value_hidden = _dense(weights, 7, 64 * len(value_planes.biases))
    return LeelaNetwork(
        input=first,
        tower=tuple(_residual(read_fields(block), filters) for block in _several(weights, 2)),
        policy_hidden=_convolution(_message(weights, 11), filters, 3, filters),
        policy=_convolution(_message(weights, 3), filters, 3, POLICY_PLANES),
        value_planes=value_planes,
        value_hidden=value_hidden,
        value=_dense(weights, 9, len(value_hidden.biases)),
    )


def _residual(block: Fields, filters: int) -> Residual:
    """Return a block. The fields are two convolutions (1, 2) and squeeze-and-excitation (3)."""
    excitation = _message(block, 3)
    squeeze = _dense(excitation, 1, filters)
    scaling = _dense(excitation, 3, len(squeeze.biases), 2 * filters)
    return Residual(
        first=_convolution(_message(block, 1), filters, 3, filters),
        second=_convolution(_message(block, 2), filters, 3, filters),
        squeeze=squeeze,
        factors=Layer(scaling.weights[:filters], scaling.biases[:filters]),
        offsets=Layer(scaling.weights[filters:], scaling.biases[filters:]),
    )


def _convolution(block: Fields, inputs: int, size: int, outputs: int = -1) -> Layer:
    """Return a convolution that includes the batch normalisation after it, if any.

    Fields 2–6 are biases, means, variances (Leela calls them standard deviations), factors and offsets.
    """
    weights = _array(block, 1, (outputs, inputs, size, size))
    shape = (len(weights),)
    biases = _array(block, 2, shape) if 2 in block else np.zeros(shape, np.float32)
    if 4 in block:
        means, variances, factors, offsets = (_array(block, field, shape) for field in (3, 4, 5, 6))
        scale = factors / np.sqrt(variances + EPSILON)
        weights, biases = weights * scale[:, None, None, None], offsets + (biases - means) * scale
    return Layer(weights, biases)


def _dense(fields: Fields, number: int, inputs: int, outputs: int = -1) -> Layer:
    """Return the fully connected layer with weights in field `number` and biases in the next field."""
    weights = _array(fields, number, (outputs, inputs))
    return Layer(weights, _array(fields, number + 1, (len(weights),)))


def _array(fields: Fields, number: int, shape: tuple[int, ...]) -> Array:
    """Return an array of weights: 16-bit numbers (field 3) between a minimum and a maximum (1 and 2)."""
    layer = _message(fields, number)
    (least,), (most,) = (struct.unpack("<f", _single(layer, field)) for field in (1, 2))
    steps = np.frombuffer(_single(layer, 3), "<u2")
    if not steps.size or not np.isfinite([least, most]).all():
        raise ValueError("it has a layer without weights")
    weights = np.asarray(least + (most - least) / 0xFFFF * steps, np.float32)
    try:
        return weights.reshape(shape)
    except ValueError as error:
        raise ValueError(f"it has a layer of {steps.size} weights that does not fit the others") from error


def _message(fields: Fields, number: int) -> Fields:
    return read_fields(_single(fields, number))


def _single(fields: Fields, number: int) -> bytes:
    values = _several(fields, number)
    if len(values) != 1:
        raise ValueError(f"it has {len(values)} fields {number} instead of one")
    return values[0]


def _several(fields: Fields, number: int) -> list[bytes]:
    values = fields.get(number, ())
    return [value for value in values if isinstance(value, bytes)]


def read_fields(message: bytes) -> Fields:
    """Return the fields of a message. Raises `ValueError` for other bytes, or too many fields."""
    fields: dict[int, list[int | bytes]] = {}
    count = position = 0
    while position < len(message):
        count += 1
        if count > MOST_FIELDS:
            raise ValueError(f"a message has more than {MOST_FIELDS:,} fields")
        key, position = _read_varint(message, position)
        number, wire_type = key >> 3, key & 7
        value: int | bytes
        if wire_type == VARINT:
            value, position = _read_varint(message, position)
        else:
            size, position = _size(message, position, wire_type)
            value, position = message[position : position + size], position + size
            if position > len(message):
                raise ValueError("a field is longer than its message")
        fields.setdefault(number, []).append(value)
    return fields


def _size(message: bytes, position: int, wire_type: int) -> tuple[int, int]:
    """Return how many bytes a value has, and where it begins."""
    if wire_type == BYTES:
        return _read_varint(message, position)
    sizes = {FIXED32: 4, FIXED64: 8}
    if wire_type not in sizes:
        raise ValueError(f"no field has wire type {wire_type}")
    return sizes[wire_type], position


def _read_varint(message: bytes, position: int) -> tuple[int, int]:
    """Return a number and where the next value begins."""
    number = 0
    for count, byte in enumerate(message[position : position + LONGEST_VARINT]):
        number |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return number, position + count + 1
    raise ValueError("a number does not end")


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
    """A graph to which the methods add nodes. They return the names of the nodes' outputs."""

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
