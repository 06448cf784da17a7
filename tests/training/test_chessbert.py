"""ChessBERT's network. Needs PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chess
import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from motifsearch.retrieval.chessbert import Context, load_chessbert, move_tokens, tokens_of
from tests.helpers.sample_games import RUY_LOPEZ
from training.chessbert import ChessBertNetwork, Contrastive, Examples, Softmax, evaluate, export, train
from training.chessbert_examples import Position, make_examples
from training.pytorch import Curve

FORMS = [Contrastive, Softmax]


# Keys of games: one for the test, and one to learn from.
TEST, TRAINING = "00", "ff"


def positions() -> list[Position]:
    """Return the positions of a game; the first two are for the test."""
    board = chess.Board()
    found: list[Position] = []
    for san in (word for word in RUY_LOPEZ.split() if not word.endswith(".")):
        move = board.parse_san(san)
        found.append(Position(board.copy(), move, TEST if len(found) < 2 else TRAINING))
        board.push(move)
    return found


def contexts_of(count: int) -> list[Context]:
    return [Context(board, move) for board, move, _ in positions()[:count]]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Examples with 0, 1, 2, 3, 4, 0, 1... contexts."""

    def neighbours(chunk: Sequence[Position], count: int) -> list[list[Context]]:
        return [contexts_of(number % (count + 1)) for number in range(len(chunk))]

    out = tmp_path_factory.mktemp("examples") / "examples.npz"
    make_examples(out, positions(), neighbours)
    return out


def fresh(form: type[ChessBertNetwork]) -> ChessBertNetwork:
    torch.manual_seed(1)
    network = form()
    network.eval()
    return network


def of_one(network: ChessBertNetwork, position: Position, contexts: list[Context]) -> np.ndarray:
    board = position.board
    moves = [position.move, *(move for move in board.legal_moves if move != position.move)]
    inputs = tokens_of(board, contexts), move_tokens(board, moves)
    with torch.no_grad():
        return np.asarray(network(*(torch.from_numpy(rows.astype(np.int64)) for rows in inputs)))


@pytest.mark.parametrize("form", FORMS)
def test_padding_does_not_matter(form: type[ChessBertNetwork], file: Path) -> None:
    network, second = fresh(form), positions()[1]
    (batch,) = Examples(file).test_batches()
    with torch.no_grad():
        in_batch = network.logits(batch)[1].numpy()
    alone = of_one(network, second, contexts_of(1))
    np.testing.assert_allclose(in_batch[: len(alone)], alone, atol=1e-4)


@pytest.mark.parametrize("form", FORMS)
def test_without_contexts_the_query_is_alone(form: type[ChessBertNetwork], file: Path) -> None:
    network, second = fresh(form), positions()[1]
    (batch,) = Examples(file, contexts=False).test_batches()
    with torch.no_grad():
        in_batch = network.logits(batch)[1].numpy()
    alone = of_one(network, second, [])
    np.testing.assert_allclose(in_batch[: len(alone)], alone, atol=1e-4)


@pytest.mark.parametrize("form", FORMS)
def test_a_network_learns(form: type[ChessBertNetwork], file: Path) -> None:
    network, examples = fresh(form), Examples(file)
    batch = next(examples.training_batches())
    with torch.no_grad():
        before = network.loss(batch)
    train(network, examples, 15, Curve())
    with torch.no_grad():
        assert network.loss(batch) < 0.8 * before


def test_recall_of_one_is_within_that_of_three(file: Path) -> None:
    result = evaluate(fresh(Softmax), Examples(file))
    assert 0 <= result.recall_at_1 <= result.recall_at_3 <= 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.filterwarnings("ignore")
def test_the_exported_network_computes_the_same(form: type[ChessBertNetwork], tmp_path: Path) -> None:
    network, exported = fresh(form), tmp_path / "network.onnx"
    export(network, exported)
    position, contexts = positions()[5], contexts_of(3)
    logits = of_one(network, position, contexts).astype(np.float64)
    expected = np.sort(np.exp(logits) / np.exp(logits).sum())[::-1]
    scores = load_chessbert(exported).scores(position.board, contexts)
    np.testing.assert_allclose(list(scores.values()), expected, atol=1e-5)
