"""How close results are: 1 for the query itself, less for others, and what is said about it."""

from __future__ import annotations

import pytest

from chess_motif.notation import parse_moves, parse_position
from motifsearch.index.directory import Index
from motifsearch.puzzles.index import Encoded, index_in_memory
from motifsearch.puzzles.ranking import CLOSE, clauses, own_score, scores
from motifsearch.terms import DYNAMIC_FIELDS, FIELDS, Mode, encode, query_terms
from tests.helpers.sample_puzzles import PUZZLES

Terms = dict[str, list[str]]


def terms_of(name: str, mode: Mode) -> Terms:
    fen, moves = PUZZLES[name]
    board = parse_position(fen)
    return encode(board, parse_moves(board, moves), mode)


def index_of(mode: Mode, without: str = "") -> Index:
    names = [name for name in PUZZLES if name != without]
    return index_in_memory(
        Encoded(number, name, {field: " ".join(words) for field, words in terms_of(name, mode).items()})
        for number, name in enumerate(names)
    )


@pytest.mark.parametrize(
    ("mode", "fields"),
    [(Mode.DEFAULT, FIELDS), (Mode.DEFAULT, DYNAMIC_FIELDS), (Mode.PAPER, DYNAMIC_FIELDS)],
    ids=["default, all", "default, dynamic", "paper, dynamic"],
)
@pytest.mark.parametrize("name", ["fork", "greek gift", "black's fork"])
def test_a_puzzle_in_the_index_scores_its_own_score(name: str, mode: Mode, fields: tuple[str, ...]) -> None:
    index, document = index_of(mode), terms_of(name, mode)
    found = scores(index, clauses(index, query_terms(document), mode, fields), [name])[name]
    # Tantivy rounds the lengths of fields.
    assert own_score(index, document, mode, fields) == pytest.approx(found, rel=0.03)


def test_terms_that_no_puzzle_has_count() -> None:
    known, unknown = index_of(Mode.DEFAULT), index_of(Mode.DEFAULT, without="smothered")
    document = terms_of("smothered", Mode.DEFAULT)
    asked = query_terms(document)
    best = max(scores(unknown, clauses(unknown, asked, Mode.DEFAULT), list(PUZZLES)).values())
    assert best / own_score(unknown, document, Mode.DEFAULT, FIELDS) < 0.5
    assert own_score(known, document, Mode.DEFAULT, FIELDS) > best


def test_an_empty_index_has_a_score_too() -> None:
    assert own_score(index_in_memory([]), terms_of("fork", Mode.DEFAULT), Mode.DEFAULT, FIELDS) >= 0


def test_the_level_is_a_share() -> None:
    assert 0 < CLOSE < 1
