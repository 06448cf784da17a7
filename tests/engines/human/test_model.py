"""The human-move model: its predictions, which network it opens, and what is known of Maia's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer

import chess
import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto, helper

from chess_motif.errors import HumanModelError, LibraryMissingError
from engines.human import model, network
from engines.human.model import BATCH, MODEL_VARIABLE, HumanModel, load_human_model
from engines.human.network import Network
from engines.human.planes import PLANES, POLICY_SIZE, policy_index
from tests.helpers.leela_files import SmallNetwork
from tests.helpers.paths import ROOT
from tests.helpers.systems import UNIX

Array = npt.NDArray[np.float32]

KNIGHT_OUT = chess.Move.from_uci("g1f3")


class FixedNetwork(Network):
    """A network with fixed logits for moves of the start position; the value is the rating over 2000."""

    def __init__(self, logits: dict[chess.Move, float]) -> None:
        self.sizes: list[int] = []
        self._policy = np.zeros(POLICY_SIZE, np.float32)
        for move, logit in logits.items():
            self._policy[policy_index(chess.Board(), move)] = logit

    def run(self, planes: Array, ratings: Array) -> tuple[Array, Array]:
        self.sizes.append(len(planes))
        return np.tile(self._policy, (len(planes), 1)), ratings / np.float32(2000)


def rated_network() -> bytes:
    """Return an ONNX model whose policy is the first planes, and whose value is the rating in thousands."""
    float32 = TensorProto.FLOAT
    nodes = [
        helper.make_node("Slice", ["planes", "first", "last", "axis"], ["moves"]),
        helper.make_node("Flatten", ["moves"], ["policy"]),
        helper.make_node("Div", ["rating", "thousand"], ["value"]),
    ]
    graph = helper.make_graph(
        nodes,
        "rated",
        [
            helper.make_tensor_value_info("planes", float32, ["N", PLANES, 8, 8]),
            helper.make_tensor_value_info("rating", float32, ["N"]),
        ],
        [
            helper.make_tensor_value_info("policy", float32, ["N", POLICY_SIZE]),
            helper.make_tensor_value_info("value", float32, ["N"]),
        ],
        [
            helper.make_tensor(name, TensorProto.INT64, [1], [value])
            for name, value in (("first", 0), ("last", POLICY_SIZE // 64), ("axis", 1))
        ]
        + [helper.make_tensor("thousand", float32, [], [1000])],
    )
    opset = helper.make_opsetid("", 17)
    return bytes(helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString())


def test_the_most_likely_move_is_the_first() -> None:
    (prediction,) = HumanModel(FixedNetwork({KNIGHT_OUT: 2.0})).predict([chess.Board()])
    assert next(iter(prediction.moves)) == KNIGHT_OUT


def test_probabilities_are_those_of_the_legal_moves() -> None:
    (prediction,) = HumanModel(FixedNetwork({KNIGHT_OUT: np.log(21)})).predict([chess.Board()])
    assert prediction.moves[KNIGHT_OUT] == pytest.approx(21 / 40)
    assert set(prediction.moves) == set(chess.Board().legal_moves)
    assert sum(prediction.moves.values()) == pytest.approx(1)


def test_a_finished_game_has_no_moves() -> None:
    mated = chess.Board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
    (prediction,) = HumanModel(FixedNetwork({})).predict([mated])
    assert prediction.moves == {}


def test_many_positions_are_run_in_batches() -> None:
    network = FixedNetwork({})
    assert len(HumanModel(network).predict((BATCH + 1) * [chess.Board()])) == BATCH + 1
    assert network.sizes == [BATCH, 1]


def test_no_positions_have_no_predictions() -> None:
    assert HumanModel(FixedNetwork({})).predict([]) == []


def test_each_position_has_its_own_rating() -> None:
    predictions = HumanModel(FixedNetwork({})).predict(2 * [chess.Board()], [1000, 2000])
    assert [prediction.value for prediction in predictions] == [0.5, 1.0]


def test_a_player_without_a_rating_is_a_typical_one() -> None:
    (prediction,) = HumanModel(FixedNetwork({})).predict([chess.Board()])
    assert prediction.value == 0.75


def test_a_rating_is_missing() -> None:
    with pytest.raises(ValueError, match="1 ratings for 2 positions"):
        HumanModel(FixedNetwork({})).predict(2 * [chess.Board()], [1500])


def test_an_onnx_file_gets_the_ratings(tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(rated_network())
    (prediction,) = load_human_model(file).predict([chess.Board()], [1200])
    assert prediction.value == pytest.approx(1.2)


def test_the_environment_names_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = SmallNetwork().write(tmp_path / "network.pb.gz")
    monkeypatch.setenv(MODEL_VARIABLE, str(file))
    assert load_human_model().predict([chess.Board()])


def test_without_a_name_the_network_of_the_package_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(MODEL_VARIABLE, raising=False)
    monkeypatch.setattr(model, "SHIPPED_MODEL", tmp_path / "network.onnx")
    with pytest.raises(HumanModelError, match=r"network\.onnx: no such file or directory"):
        load_human_model()


@pytest.mark.parametrize("name", ["network.onnx", "network.pb.gz"])
def test_no_file_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(HumanModelError, match=f"{name}: no such file or directory"):
        load_human_model(tmp_path / name)


def test_a_file_that_is_no_onnx_model_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(b"[Event]")
    with pytest.raises(HumanModelError) as caught:
        load_human_model(file)
    assert str(caught.value) == f"{file}: not a human-move model: onnxruntime cannot run it"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"policy", b"police", "onnxruntime cannot run it"),
        (b"planes", b"planet", "Required inputs"),
    ],
)
def test_an_onnx_model_of_something_else_is_an_error(old: bytes, new: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Network(rated_network().replace(old, new))


def test_an_onnx_model_with_other_moves_is_an_error() -> None:
    content = onnx.load_from_string(rated_network())
    del content.graph.output[0].type.tensor_type.shape.dim[:]
    content.graph.initializer[1].int64_data[0] = 80
    with pytest.raises(ValueError, match=r"its outputs have the shapes \(2, 5120\)"):
        Network(content.SerializeToString())


def rated_model(*nodes: onnx.NodeProto, policy: str = "planes") -> bytes:
    """Return a model as above with further nodes, from one of which its policy comes."""
    content = onnx.load_from_string(rated_network())
    content.graph.node[0].input[0] = policy
    for place, node in enumerate(nodes):
        content.graph.node.insert(place, node)
    return bytes(content.SerializeToString())


def test_a_network_that_returns_no_number_is_an_error() -> None:
    # The planes of the trial are zeros.
    nodes = helper.make_node("Div", ["planes", "planes"], ["quotient"])
    with pytest.raises(ValueError, match="it returns numbers that are not finite"):
        Network(rated_model(nodes, policy="quotient"))


def test_a_network_that_fails_later_is_an_error() -> None:
    class Failing(FixedNetwork):
        def run(self, planes: Array, ratings: Array) -> tuple[Array, Array]:
            raise ValueError("onnxruntime cannot run it")

    with pytest.raises(HumanModelError, match="the human-move model fails: onnxruntime cannot run it"):
        HumanModel(Failing({})).predict([chess.Board()])


def endless_network() -> bytes:
    """Return a model with a loop that does not end."""
    boolean, float32 = TensorProto.BOOL, TensorProto.FLOAT
    body = helper.make_graph(
        [helper.make_node("Identity", ["go on"], ["still"]), helper.make_node("Identity", ["x"], ["y"])],
        "body",
        [
            helper.make_tensor_value_info("number", TensorProto.INT64, []),
            helper.make_tensor_value_info("go on", boolean, []),
            helper.make_tensor_value_info("x", float32, None),
        ],
        [
            helper.make_tensor_value_info("still", boolean, []),
            helper.make_tensor_value_info("y", float32, None),
        ],
    )
    true = helper.make_node("Constant", [], ["true"], value=helper.make_tensor("", boolean, [], [True]))
    loop = helper.make_node("Loop", ["", "true", "planes"], ["never"], body=body)
    return rated_model(true, loop, policy="never")


def test_a_network_that_does_not_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "MOST_SECONDS", 0.1)
    with pytest.raises(ValueError, match=r"it takes more than 0\.1 seconds"):
        Network(endless_network())


@UNIX
def test_ctrl_c_ends_a_network_that_does_not_end() -> None:
    interruption = Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    interruption.start()
    with pytest.raises(KeyboardInterrupt):
        Network(endless_network())


def test_the_library_for_other_networks_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = SmallNetwork().write(tmp_path / "network.pb.gz")
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.delitem(sys.modules, "engines.human.leela", raising=False)
    with pytest.raises(LibraryMissingError, match=r"chess-motif\[maia\]"):
        load_human_model(file)


def test_nobody_is_told_about_a_prediction(tmp_path: Path) -> None:
    """onnxruntime can report how it is used; it then keeps an id of the device in the home folder."""
    code = "import chess, engines; engines.load_human_model().predict([chess.Board()])"
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    home = environment | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-B", "-c", code], env=home, cwd=ROOT, check=True)
    assert list(tmp_path.rglob("*")) == []


@pytest.fixture(scope="module")
def maia(data: Path) -> HumanModel:
    file = data / "maia" / "maia-1500.pb.gz"
    if not file.exists():
        pytest.skip("the folder of CHESS_MOTIF_DATA has no network of Maia")
    return load_human_model(file)


def test_the_first_moves_of_players_rated_1500(maia: HumanModel) -> None:
    (prediction,) = maia.predict([chess.Board()])
    likely = [(move.uci(), round(chance, 2)) for move, chance in list(prediction.moves.items())[:2]]
    assert likely == [("e2e4", 0.65), ("d2d4", 0.23)]


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", "O-O"),
        ("rnbqk2r/pppp1ppp/4pn2/8/1bPP4/2N1P3/PP3PPP/R1BQKBNR b KQkq - 0 4", "O-O"),
        ("8/4P1k1/8/8/8/8/8/K7 w - - 0 1", "e8=Q"),
        ("8/8/8/8/8/8/1p4k1/K1N5 b - - 0 1", "bxc1=Q+"),
    ],
)
def test_people_make_obvious_moves(maia: HumanModel, fen: str, move: str) -> None:
    board = chess.Board(fen)
    (prediction,) = maia.predict([board])
    assert board.san(next(iter(prediction.moves))) == move


def test_the_answer_to_the_first_move(maia: HumanModel) -> None:
    board = chess.Board()
    board.push_san("e4")
    (prediction,) = maia.predict([board])
    assert board.san(next(iter(prediction.moves))) == "e5"


def test_the_value_is_that_of_the_side_to_move(maia: HumanModel) -> None:
    queen_up = chess.Board("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    queen_down = chess.Board("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")
    winning, losing = maia.predict([queen_up, queen_down])
    assert winning.value > 0.5 > -0.5 > losing.value
