"""Networks in Leela Chess Zero's format: reading their files, and computing what they compute."""

from __future__ import annotations

import gzip
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chess_motif.errors import HumanModelError
from engines.human import leela
from engines.human.leela import MOST_FIELDS, onnx_model, read_fields, read_leela_network
from engines.human.network import Network
from tests.helpers.leela_files import SmallNetwork, message, number

CONTENT = SmallNetwork().content()
packed = partial(gzip.compress, mtime=0)
PACKED = packed(CONTENT)
UNUSABLE = "the network cannot be used"


@pytest.mark.parametrize("outcomes", [1, 3])
def test_the_onnx_model_computes_what_the_network_does(outcomes: int, tmp_path: Path) -> None:
    network = SmallNetwork(outcomes)
    planes = np.random.default_rng(2).integers(0, 2, (2, 112, 8, 8)).astype(np.float32)
    model = Network(onnx_model(read_leela_network(network.write(tmp_path / "small.pb.gz"))))
    policy, value = model.run(planes, np.zeros(2, np.float32))
    expected_policy, expected_value = network.outputs(planes.astype(np.float64))
    np.testing.assert_allclose(policy, expected_policy, rtol=0, atol=0.02)
    np.testing.assert_allclose(value, expected_value, rtol=0, atol=0.001)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (CONTENT, "not a gzip file, or a damaged one"),
        (PACKED[: len(PACKED) // 2], "not a gzip file, or a damaged one"),
        (PACKED[:200] + bytes(20) + PACKED[220:], "not a gzip file, or a damaged one"),
        (packed(b"[Event]"), "not a network of Leela Chess Zero"),
        (packed(CONTENT[:-1]), f"{UNUSABLE}: a field is longer than its message"),
        (packed(CONTENT[:5]), f"{UNUSABLE}: it has 0 fields 4 instead of one"),
        (packed(SmallNetwork().content({1: 2})), f"{UNUSABLE}: it does not have classical input planes"),
        (packed(SmallNetwork().content({3: 5})), f"{UNUSABLE}: it does not have squeeze-and-excitation"),
        (packed(SmallNetwork().content({4: 1})), f"{UNUSABLE}: it does not have a convolutional policy"),
    ],
)
def test_another_file_is_an_error(content: bytes, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "network.pb.gz"
    file.write_bytes(content)
    with pytest.raises(HumanModelError) as caught:
        read_leela_network(file)
    assert str(caught.value) == f"{file}: {reason}"


def test_layers_that_do_not_fit_are_an_error(tmp_path: Path) -> None:
    network = SmallNetwork()
    network.value[9] = network.squeeze[1]
    with pytest.raises(HumanModelError, match="a layer of 8 weights that does not fit the others"):
        read_leela_network(network.write(tmp_path / "network.pb.gz"))


@given(st.dictionaries(st.integers(0, len(CONTENT) - 1), st.integers(0, 255), max_size=5))
def test_a_damaged_network_is_read_or_is_an_error(damage: dict[int, int]) -> None:
    content = bytearray(CONTENT)
    for position, byte in damage.items():
        content[position] = byte
    with tempfile.NamedTemporaryFile() as file:
        file.write(gzip.compress(content, compresslevel=0))
        file.flush()
        with suppress(HumanModelError):
            read_leela_network(Path(file.name))


def test_a_file_too_large_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leela, "MOST_BYTES", 1000)
    with pytest.raises(HumanModelError, match="too large for a human-move model"):
        read_leela_network(SmallNetwork().write(tmp_path / "network.pb.gz"))


def test_fields_are_read_by_number_in_their_order() -> None:
    content = number(1, 300) + message(2, b"a") + b"\x1d1234" + message(2, b"") + b"\x2112345678"
    assert read_fields(content) == {1: [300], 2: [b"a", b""], 3: [b"1234"], 4: [b"12345678"]}


@given(st.lists(st.tuples(st.integers(1, 2**29 - 1), st.integers(0, 2**64 - 1) | st.binary(max_size=300))))
def test_what_is_written_is_read(values: list[tuple[int, int | bytes]]) -> None:
    content = b""
    expected: dict[int, list[int | bytes]] = {}
    for field, value in values:
        content += number(field, value) if isinstance(value, int) else message(field, value)
        expected.setdefault(field, []).append(value)
    assert read_fields(content) == expected


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (message(1, b"long")[:-1], "longer than its message"),
        (b"\x0d\x01\x02", "longer than its message"),
        (b"\x08\xff", "does not end"),
        (b"\x08" + 11 * b"\xff", "does not end"),
        (b"\x0b", "no field has wire type 3"),
        (b"\x08\x01" * (MOST_FIELDS + 1), "more than 10,000 fields"),
    ],
)
def test_what_is_no_message_is_an_error(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_fields(content)
