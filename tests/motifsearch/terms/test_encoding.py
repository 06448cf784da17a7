"""Encoding as a whole: both encodings, and what must hold for every position and line."""

from __future__ import annotations

import re
from collections import Counter

import chess
import pytest
from hypothesis import given, settings

from chess_motif.errors import InputError
from chess_motif.material import Capture
from motifsearch.terms.encoding import encode, query_terms
from motifsearch.terms.weights import DEFAULT, PAPER, encoding_named
from puzzlegen.reasons.tactics import Tactics
from tests.helpers.solutions import Solution, colours_swapped, parsed, random_lines


def term_of_the_other_colour(term: str) -> str:
    if term.startswith(("?", "!S", "!#")):
        return term
    if term.startswith(("!-", "!x")):
        return term[:2] + term[2:].swapcase()
    if term.startswith("!"):
        return term.swapcase()
    text, mark, weight = term.partition("|")

    def swap(found: re.Match[str]) -> str:
        word = found.group()
        return f"{word[0]}{9 - int(word[1])}" if len(word) == 2 else word.swapcase()

    swapped = re.sub("[a-h][1-8]|[A-Za-z]", swap, text)
    if swapped[0] in "Ss" and "-" in swapped:
        swapped = swapped[0] + "-".join(sorted(swapped[1:].split("-")))
    return swapped + mark + weight


@settings(deadline=None, max_examples=60)
@given(random_lines())
def test_default_mode_does_not_see_colours(puzzle: Solution) -> None:
    assert encode(Tactics(*puzzle)) == encode(Tactics(*colours_swapped(puzzle)))


@settings(deadline=None, max_examples=60)
@given(random_lines())
def test_paper_mode_treats_both_colours_alike(puzzle: Solution) -> None:
    swapped = encode(Tactics(*colours_swapped(puzzle)), PAPER)
    for field, terms in encode(Tactics(*puzzle), PAPER).items():
        assert Counter(map(term_of_the_other_colour, terms)) == Counter(swapped[field])


@settings(deadline=None, max_examples=30)
@given(random_lines())
def test_terms_are_words(puzzle: Solution) -> None:
    for terms in encode(Tactics(*puzzle)).values():
        assert " ".join(terms).split() == terms


@settings(deadline=None, max_examples=30)
@given(random_lines())
def test_only_reach_terms_have_a_weight(puzzle: Solution) -> None:
    terms = encode(Tactics(*puzzle))
    assert query_terms({**terms, "static_positions": []}) == {**terms, "static_positions": []}


@settings(deadline=None, max_examples=30)
@given(random_lines())
def test_the_same_puzzle_gives_the_same_terms_and_is_left_alone(puzzle: Solution) -> None:
    board, moves = puzzle
    before = board.fen()
    assert encode(Tactics(board, moves)) == encode(Tactics(chess.Board(before), list(moves)))
    assert board.fen() == before


BLACK_TO_MOVE = (chess.Board("r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1"), [chess.Move.from_uci("a8a1")])


def test_default_mode_makes_the_solver_white() -> None:
    terms = encode(Tactics(*BLACK_TO_MOVE))
    assert "Ra1" in terms["static_positions"]
    assert "0:l#" in terms["end_moves"]


def test_paper_mode_takes_colours_as_they_are() -> None:
    terms = encode(Tactics(*BLACK_TO_MOVE), PAPER)
    assert "ra8" in terms["static_positions"]
    assert "!-r" in terms["dynamic_solution"]


def test_paper_mode_has_sacrifices_and_mating_pieces_among_the_general_terms() -> None:
    """As Figure 2 of the paper prints them."""
    back_rank = (
        chess.Board("3r2k1/5ppp/8/8/8/8/4QPPP/4R1K1 w - - 0 1"),
        [chess.Move.from_uci(move) for move in ("e2e8", "d8e8", "e1e8")],
    )
    published = encode(Tactics(*back_rank), PAPER)
    assert {"?S", "!Sq", "?#", "!#r"} <= set(published["dynamic_general"])
    assert not any(term.startswith(("!S", "!#")) for term in published["dynamic_solution"])


def paper_terms(fen: str, moves: str) -> dict[str, list[str]]:
    return encode(Tactics(chess.Board(fen), [chess.Move.from_uci(move) for move in moves.split()]), PAPER)


# Reconstructions: the paper's diagrams are not at hand. The pieces are where the printed terms and moves need
# them; what they leave open was chosen.
FIGURE_1C = ("r4rk1/pp2npp1/6p1/3p1q2/4n2R/1P4P1/PBPQ2P1/R6K w - - 0 1", "h4h8 g8h8 d2h6 h8g8 h6g7")
FIGURE_3_BASE = ("r3n1k1/pp3p1p/2p3pQ/3q4/8/2B5/PP3PPP/4R1K1 w - - 0 1", "e1e8 a8e8 h6g7")
FIGURE_3_SIMPLIFIED = ("3rn1k1/4Rp1p/6pQ/4B3/7K/8/8/8 w - - 0 1", "e7e8 d8e8 h6g7")


@pytest.mark.parametrize(
    ("kind", "printed"),
    [
        ("", "Ra1 Kh1 Pa2 Bb2 Pc2 Qd2 Pg2"),
        ("|", "Rb1|0.89 Rc1|0.78 Rd1|0.67"),
        (">", "B>pg7 Q>pd5 n>Qd2 n>Pg3"),
        ("<", "R<Kh1 R<Pa2 K<Pg2 P<Pb3"),
        ("=", "R=pa7 R=ra8 q=Pc2 r=Ra1 r=Pa2"),
    ],
)
def test_the_positions_of_figure_2_begin_as_printed(kind: str, printed: str) -> None:
    terms = paper_terms(*FIGURE_1C)["static_positions"]
    of_this_kind = [term for term in terms if (kind in term if kind else len(term) == 3)]
    assert of_this_kind[: len(printed.split())] == printed.split()


@pytest.mark.parametrize(
    ("field", "printed"),
    [
        ("static_pawns", "Ig2 Ig3 id5 Lc2 Sg2-g3 sg6-g7 P(2) p(3)"),
        (
            "dynamic_general",
            "?px ?0x ?p+ ?# ?S !Sr !#b !#n !#q !#r !#bn !#bq !#br !#nq !#nr !#qr",
        ),
    ],
)
def test_the_pawns_and_general_features_of_figure_2_are_as_printed(field: str, printed: str) -> None:
    assert sorted(paper_terms(*FIGURE_1C)[field]) == sorted(printed.split())


def test_the_solution_of_figure_2_is_as_printed() -> None:
    terms = paper_terms(*FIGURE_1C)["dynamic_solution"]
    moves_and_captures = "!-R !-k !-Q !-k !-Q !-Rk !-kQ !-Qk !-kQ !xR !xp !xRp"
    assert " ".join(term for term in terms if ">" not in term) == moves_and_captures
    assert {"!k>R", "!R>k", "!Q>k", "!p>Q", "!Q>r"} <= set(terms)


@pytest.mark.parametrize("term", ["r<ne8", "R>ne8", "!xnR", "!#bq", "!-rQ"])
def test_both_puzzles_of_figure_3_have_the_terms_printed_there(term: str) -> None:
    for puzzle in (FIGURE_3_BASE, FIGURE_3_SIMPLIFIED):
        assert any(term in terms for terms in paper_terms(*puzzle).values())


def test_queries_have_all_terms_but_reach() -> None:
    document = encode(Tactics(*BLACK_TO_MOVE))
    query = query_terms(document)
    assert "Ra2|0.89" in document["static_positions"]
    assert set(document["static_positions"]) - set(query["static_positions"]) == {
        term for term in document["static_positions"] if "|" in term
    }
    assert all(query[field] == document[field] for field in document if field != "static_positions")


def test_each_field_of_a_document_has_a_weight() -> None:
    tactics = Tactics(*BLACK_TO_MOVE)
    assert {encoding.name: set(encode(tactics, encoding)) for encoding in (DEFAULT, PAPER)} == {
        "default": set(DEFAULT.weights),
        "paper": set(PAPER.weights),
    }


def test_the_capture_before_the_solution_counts() -> None:
    """A pawn that has just taken a pawn does not hang: taking it only takes back."""
    board, moves = parsed("4k3/8/8/3p4/8/2N5/8/4K3 w - - 0 1", "c3d5")
    taken = Capture(chess.D5, chess.PAWN)
    assert "hangingPawn" in encode(Tactics(board, moves))["motif_names"]
    assert "hangingPawn" not in encode(Tactics(board, moves, taken))["motif_names"]


def test_an_encoding_goes_by_its_name() -> None:
    assert encoding_named("paper") is PAPER
    with pytest.raises(InputError, match="'best'"):
        encoding_named("best")
