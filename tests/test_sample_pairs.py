"""The sample of pairs: a benchmark, whose partners are small and no copies, and which nothing learns from."""

from __future__ import annotations

import re

import chess
import pytest

from motifsearch.puzzles.pair_files import PairFile, read_pairs
from samples.check_pairs import FILE, LEAST_IDEAS, LEAST_PAIRS, LEAST_PIECES, MOST_PIECES, is_copy
from tests.helpers.paths import ROOT


@pytest.fixture(scope="module")
def sample() -> PairFile:
    return read_pairs(FILE)


def test_all_pairs_are_read(sample: PairFile) -> None:
    assert not sample.skipped


def test_there_are_enough_pairs_and_ideas(sample: PairFile) -> None:
    ideas = {pair.id.rsplit(" ", 1)[0] for pair in sample.pairs}
    assert len(sample.pairs) >= LEAST_PAIRS
    assert len(ideas) >= LEAST_IDEAS


def test_the_id_of_a_pair_has_its_idea() -> None:
    named = re.findall(r'\[PairId "(.+) \d+"\]\n\[Role "\w+"\]\n\[Motif "(.+)"\]', FILE.read_text("utf-8"))
    assert named
    assert all(of_id == idea for of_id, idea in named)


def test_partners_are_legal_positions_of_few_pieces(sample: PairFile) -> None:
    for board in (pair.simplified.board for pair in sample.pairs):
        assert board.is_valid(), board.fen()
        assert LEAST_PIECES <= len(board.piece_map()) <= MOST_PIECES, board.fen()


def test_no_two_partners_are_the_same(sample: PairFile) -> None:
    assert len({pair.simplified.board.epd() for pair in sample.pairs}) == len(sample.pairs)


def test_no_partner_is_a_copy_of_its_base(sample: PairFile) -> None:
    assert not [pair.id for pair in sample.pairs if is_copy(pair.base.board, pair.simplified.board)]


@pytest.mark.parametrize(
    "partner",
    [
        pytest.param("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", id="pieces removed"),
        pytest.param("1k6/ppp5/8/8/8/8/8/1K1R4 w - - 0 1", id="mirrored"),
        pytest.param("4r1k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", id="other colours"),
        pytest.param("5k2/4ppp1/8/8/8/8/8/3R1K2 w - - 0 1", id="moved"),
    ],
)
def test_a_copy_is_noticed(partner: str) -> None:
    base = chess.Board("r5k1/5ppp/2n5/8/8/8/5PPP/4R1K1 w - - 0 1")
    assert is_copy(base, chess.Board(partner))


def test_nothing_is_learned_from_the_pairs() -> None:
    files = list((ROOT / "training").rglob("*.py"))
    assert len(files) > 2
    assert not [file.name for file in files if FILE.name in file.read_text("utf-8")]
