"""A network that predicts moves, run by onnxruntime on one thread.

It is an ONNX model with these inputs and outputs for N positions, all of 32-bit floats:

| name | shape | what |
|---|---|---|
| `planes` | (N, 112, 8, 8) | the positions, see `engines.human.planes`; the model need not use all of them |
| `rating` | (N,) | the Elo of the players to move; a model of one level of play has no such input |
| `policy` | (N, 4672) | the logits of the moves, see `engines.human.planes` |
| `value` | (N,) | the expected outcomes for the players to move, from -1 (a loss) to 1 (a win) |
| `hidden` | (N, any) | what the last layer before the policy says of the positions; it may be missing |
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from onnxruntime import InferenceSession, SessionOptions
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    NotImplemented,
    RuntimeException,
)

from engines.human.planes import PLANES, POLICY_SIZE, Array

RUNTIME_ERRORS = (Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, NotImplemented, RuntimeException)

# Positions that a new network is tried out on; with one, a model for single positions would seem to work.
TRIAL = 2


def open_session(model: bytes) -> InferenceSession:
    """Open the content of an ONNX file. Raises `ValueError` if onnxruntime cannot."""
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with trying_out():
        return InferenceSession(model, options, ["CPUExecutionProvider"])


@contextmanager
def trying_out() -> Iterator[None]:
    """Raise `ValueError` in place of the errors of onnxruntime, which have no class in common."""
    try:
        yield
    except RUNTIME_ERRORS as error:
        raise ValueError("onnxruntime cannot run it") from error


class Network:
    """A network, see above."""

    def __init__(self, model: bytes) -> None:
        """Open the content of an ONNX file. Raises `ValueError` if it is not such a network."""
        self._session = open_session(model)
        self._rated = "rating" in [tensor.name for tensor in self._session.get_inputs()]
        with trying_out():
            policy, value = self.run(np.zeros((TRIAL, PLANES, 8, 8), np.float32), np.zeros(TRIAL, np.float32))
        if policy.shape != (TRIAL, POLICY_SIZE) or value.shape != (TRIAL,):
            raise ValueError(f"its outputs have the shapes {policy.shape} and {value.shape}")

    def run(self, planes: Array, ratings: Array) -> tuple[Array, Array]:
        """Return the policies and the values of positions."""
        policies, values = self._session.run(["policy", "value"], self._inputs(planes, ratings))
        return policies, values

    def run_hidden(self, planes: Array, ratings: Array) -> tuple[Array, Array]:
        """Return the policies of positions, and the values of the last layer before them.

        Raises `ValueError` if the model does not have that output.
        """
        try:
            policies, hidden = self._session.run(["policy", "hidden"], self._inputs(planes, ratings))
        except (*RUNTIME_ERRORS, ValueError) as error:
            raise ValueError("it does not have the output 'hidden'") from error
        return policies, hidden

    def _inputs(self, planes: Array, ratings: Array) -> dict[str, Array]:
        return {"planes": planes} | ({"rating": ratings} if self._rated else {})
