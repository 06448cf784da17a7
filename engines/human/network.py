"""A network that predicts moves, run by onnxruntime on one thread.

The network is an ONNX model with these inputs and outputs for N positions, all of 32-bit floats:

| name | shape | what |
|---|---|---|
| `planes` | (N, 112, 8, 8) | the positions, see `engines.human.planes`; the model need not use all of them |
| `rating` | (N,) | the Elo of the players to move; a model of one level of play has no such input |
| `policy` | (N, 4672) | the logits of the moves, see `engines.human.planes` |
| `value` | (N,) | the expected outcomes for the players to move, from -1 (a loss) to 1 (a win) |
| `hidden` | (N, any) | the outputs of the last layer before the policy; may be missing |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from onnxruntime import InferenceSession, RunOptions, SessionOptions
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    NotImplemented,
    RuntimeException,
)

from engines.human.planes import PLANES, POLICY_SIZE, Array

# These exceptions have no base class of their own.
RUNTIME_ERRORS = (Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, NotImplemented, RuntimeException)

# Positions on which a new network is tried out. With one, a model for single positions would seem to work.
TRIAL = 2

# Seconds that a network may take for a batch of positions. Ours need less than one on a busy computer.
MOST_SECONDS = 60.0

# The level at which onnxruntime prints no messages of its own.
_SILENT = 4


class Session:
    """An ONNX model, run by onnxruntime on one thread.

    The model runs in a thread of its own, so that the caller can react to Ctrl-C while it waits, and can give
    up a network that does not end.
    """

    def __init__(self, model: bytes) -> None:
        """Open the content of an ONNX file. Raises `ValueError` if onnxruntime cannot."""
        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = _SILENT
        try:
            self._session = InferenceSession(model, options, ["CPUExecutionProvider"])
        except RUNTIME_ERRORS as error:
            raise ValueError("onnxruntime cannot run it") from error
        self.inputs = [tensor.name for tensor in self._session.get_inputs()]
        self.outputs = [tensor.name for tensor in self._session.get_outputs()]
        self._thread = ThreadPoolExecutor(1, "onnxruntime")

    def run(self, outputs: Sequence[str], inputs: Mapping[str, Any]) -> list[Array]:
        """Return outputs, by their names, as arrays of 32-bit floats.

        Raises `ValueError` if the model cannot be run, does not end, or returns numbers that are not finite.
        """
        options = RunOptions()
        options.log_severity_level = _SILENT
        running = self._thread.submit(self._session.run, outputs, inputs, options)
        try:
            returned = [np.asarray(output, np.float32) for output in running.result(MOST_SECONDS)]
        except TimeoutError as error:
            raise ValueError(f"it takes more than {MOST_SECONDS:g} seconds") from error
        except (*RUNTIME_ERRORS, TypeError) as error:
            raise ValueError("onnxruntime cannot run it") from error
        finally:
            # Ends a run that nobody waits for any longer.
            options.terminate = True
        if not all(np.isfinite(output).all() for output in returned):
            raise ValueError("it returns numbers that are not finite")
        return returned


class Network:
    """A network as described at the top of this module."""

    def __init__(self, model: bytes) -> None:
        """Open the content of an ONNX file. Raises `ValueError` unless it is such a network."""
        self._session = Session(model)
        self.run(np.zeros((TRIAL, PLANES, 8, 8), np.float32), np.zeros(TRIAL, np.float32))

    def run(self, planes: Array, ratings: Array) -> tuple[Array, Array]:
        """Return the policies and the values of positions. Raises `ValueError`, see `Session.run`."""
        return self._run("value", 1, planes, ratings)

    def run_hidden(self, planes: Array, ratings: Array) -> tuple[Array, Array]:
        """Return the policies of positions, and the outputs of the last layer before the policy.

        Raises `ValueError` if the model does not have the output `hidden`, and as `Session.run` does.
        """
        if "hidden" not in self._session.outputs:
            raise ValueError("it does not have the output 'hidden'")
        return self._run("hidden", 2, planes, ratings)

    def _run(self, output: str, dimensions: int, planes: Array, ratings: Array) -> tuple[Array, Array]:
        """Return the policies of positions, and another `output` with this number of `dimensions`."""
        inputs = {"planes": planes} | ({"rating": ratings} if "rating" in self._session.inputs else {})
        policies, others = self._session.run(["policy", output], inputs)
        count = len(planes)
        if policies.shape != (count, POLICY_SIZE) or others.ndim != dimensions or len(others) != count:
            raise ValueError(f"its outputs have the shapes {policies.shape} and {others.shape}")
        return policies, others
