"""Small networks in Leela Chess Zero's format, and what they compute, worked out without onnx."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engines.human.planes import PLANES

Array = npt.NDArray[np.float64]

# Arrays by the fields that they are in.
Layer = dict[int, Array]

MAGIC = bytes.fromhex("0dc0010000")

FILTERS, SQUEEZED, VALUE_PLANES, VALUE_HIDDEN = 4, 2, 3, 5


class SmallNetwork:
    """A network with random weights and one block."""

    def __init__(self, outcomes: int = 3) -> None:
        self._random = np.random.default_rng(1)
        self.input = self._convolution(FILTERS, PLANES)
        self.first = self._convolution(FILTERS, FILTERS)
        self.second = self._convolution(FILTERS, FILTERS)
        self.squeeze = self._dense(1, SQUEEZED, FILTERS)
        self.scaling = self._dense(3, 2 * FILTERS, SQUEEZED)
        self.policy_hidden = self._convolution(FILTERS, FILTERS)
        self.policy = self._dense(1, 80, FILTERS, 3, 3)
        self.value_planes = self._convolution(VALUE_PLANES, FILTERS, 1)
        self.value_hidden = self._dense(7, VALUE_HIDDEN, 64 * VALUE_PLANES)
        self.value = self._dense(9, outcomes, VALUE_HIDDEN)

    def write(self, file: Path) -> Path:
        file.write_bytes(gzip.compress(self.content()))
        return file

    def content(self, formats: Mapping[int, int] | None = None) -> bytes:
        """Return the content of a file, not compressed; `formats` replaces fields of its format."""
        numbers = {1: 1, 2: 2, 3: 4, 4: 2, 5: 2} | dict(formats or {})
        network_format = b"".join(number(field, value) for field, value in numbers.items())
        convolutions = message(1, layers(self.first)) + message(2, layers(self.second))
        block = convolutions + message(3, layers(self.squeeze | self.scaling))
        weights = (
            message(1, layers(self.input))
            + message(2, block)
            + message(3, layers(self.policy))
            + message(6, layers(self.value_planes))
            + message(11, layers(self.policy_hidden))
            + layers(self.value_hidden | self.value)
        )
        return MAGIC + message(4, number(1, 1) + message(2, network_format)) + message(10, weights)

    def outputs(self, planes: Array) -> tuple[Array, Array]:
        """Return the logits of all moves, and the expected outcomes."""
        body = relu(convolve(planes, self.input))
        inner = convolve(relu(convolve(body, self.first)), self.second)
        scaling = multiply(relu(multiply(inner.mean((2, 3)), self.squeeze)), self.scaling)
        factors, offsets = np.split(scaling[..., None, None], 2, axis=1)
        body = relu(inner / (1 + np.exp(-factors)) + offsets + body)

        policy = convolve(relu(convolve(body, self.policy_hidden)), self.policy)[:, :73]
        seen = relu(convolve(body, self.value_planes)).reshape(len(planes), -1)
        outcome = multiply(relu(multiply(seen, self.value_hidden)), self.value)
        if outcome.shape[1] == 1:
            return policy.reshape(len(planes), -1), np.tanh(outcome[:, 0])
        wins, draws, losses = np.exp(outcome).T
        return policy.reshape(len(planes), -1), (wins - losses) / (wins + draws + losses)

    def _convolution(self, outputs: int, inputs: int, size: int = 3) -> Layer:
        """Return weights, biases, and the four vectors of a batch normalisation."""
        vectors = {field: self._random.uniform(0.5, 1.5, outputs) for field in range(3, 7)}
        return self._dense(1, outputs, inputs, size, size) | vectors

    def _dense(self, field: int, *shape: int) -> Layer:
        """Return weights as the field `field`, and biases as the next."""
        return {field: self._random.normal(0, 0.3, shape), field + 1: self._random.normal(0, 1, shape[0])}


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    if value < 128:
        return bytes([value])
    return bytes([value & 127 | 128]) + varint(value >> 7)


def layers(arrays: Layer) -> bytes:
    return b"".join(message(field, layer(values)) for field, values in arrays.items())


def layer(values: Array) -> bytes:
    """Return weights as 16-bit numbers between the least and the most of them."""
    least, most = values.min(), values.max()
    steps = np.round((values - least) / max(most - least, 1e-9) * 0xFFFF).astype("<u2")
    bounds = b"\x0d" + struct.pack("<f", least) + b"\x15" + struct.pack("<f", most)
    return bounds + message(3, steps.tobytes())


def relu(values: Array) -> Array:
    return np.maximum(values, 0)


def multiply(values: Array, dense: Layer) -> Array:
    weights, biases = dense.values()
    return values @ weights.T + biases


def convolve(values: Array, layer: Layer) -> Array:
    """Return a convolution with its batch normalisation, if it has one."""
    weights, *vectors = layer.values()
    size = weights.shape[-1]
    border = size // 2
    padded = np.pad(values, ((0, 0), (0, 0), (border, border), (border, border)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), (2, 3))
    biases, *normalisation = (vector[:, None, None] for vector in vectors)
    result = np.einsum("nirchw,oihw->norc", windows, weights) + biases
    if normalisation:
        means, variances, factors, offsets = normalisation
        result = (result - means) / np.sqrt(variances + 1e-5) * factors + offsets
    return np.asarray(result)
