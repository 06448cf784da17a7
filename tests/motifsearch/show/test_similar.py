"""Similar puzzles as text and as a page: what is said, and nothing from a file becomes markup."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Any

import chess
import pytest
from chess.engine import Cp, Mate

from chess_motif.notation import parse_line
from db.games import game_number
from db.models import Game
from db.store import Store
from motifsearch.puzzles.searcher import PuzzleHit, PuzzleSearcher
from motifsearch.search import By, PuzzleQuery, SearchRequest, resolve
from motifsearch.show.similar import (
    PuzzleSearch,
    similar_document,
    similar_page,
    similar_text,
)
from motifsearch.terms.weights import DEFAULT, PAPER, Encoding
from puzzlegen.reasons import explained
from puzzlegen.verify.ending import Ending
from puzzlegen.verify.idea import Idea, NoTactic, WinningMove
from puzzlegen.verify.won_line import WonLine
from tests.helpers.rows import puzzle_row
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

QUIET = ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e4 e5 Nf3")


@pytest.fixture
def query(filled: Store) -> PuzzleQuery:
    return resolve(filled, id_of("fork"))


def search(
    query: PuzzleQuery, *normalised: float, by: By = By.COMBINED, encoding: Encoding = DEFAULT
) -> PuzzleSearch:
    """Return a search with results of these normalised scores."""
    found = puzzle_row("x")
    return PuzzleSearch(query, by, encoding, [PuzzleHit(1, 1.0, 1.0, score, found) for score in normalised])


def test_a_close_result(query: PuzzleQuery) -> None:
    shown = search(query, 0.724)
    assert shown.likeness(shown.hits[0]) == "72 % alike"
    assert list(shown.notices()) == []


def test_a_distant_result(query: PuzzleQuery) -> None:
    shown = search(query, 0.2)
    assert shown.likeness(shown.hits[0]) == "20 %, not close"
    assert list(shown.notices()) == ["No close results: the best is 20 % alike, less than 30 %."]


def test_a_result_that_may_have_another_idea(query: PuzzleQuery) -> None:
    shown = search(query, 0.35)
    assert shown.likeness(shown.hits[0]) == "35 % loosely alike"


def test_results_have_three_scores_and_with_why_the_heaviest_terms_of_both_kinds(filled: Store) -> None:
    with PuzzleSearcher(filled, PAPER) as searcher:
        asked = searcher.query(id_of("fork"))
        (hit, *_) = searcher.similar(SearchRequest(asked, why=True))
    plain, why = (
        similar_text(PuzzleSearch(asked, By.COMBINED, PAPER, [hit], why), 80) for why in (False, True)
    )
    scores = f"static {hit.static:.1f}, dynamic {hit.dynamic:.1f}, all {hit.score:.1f}"
    assert scores in " ".join(plain.split())
    assert "Static:" not in plain
    for name in ("Static", "Dynamic"):
        said = " ".join(why.split()).partition(f"{name}: ")[2].partition(" Dynamic:")[0]
        terms = re.findall(r"\S+ \d+\.\d,?", said)
        assert 1 <= len(terms) <= 5


@pytest.mark.parametrize(("by", "encoding"), [(By.STATIC, DEFAULT), (By.COMBINED, PAPER)])
def test_where_no_level_is_known(query: PuzzleQuery, by: By, encoding: Encoding) -> None:
    shown = search(query, 0.2, by=by, encoding=encoding)
    assert shown.likeness(shown.hits[0]) == "20 % alike"
    assert list(shown.notices()) == []


def test_nothing_is_found(query: PuzzleQuery) -> None:
    (notice,) = search(query).notices()
    assert notice.startswith("No puzzle that passes the filters")


def test_a_line_without_a_tactic(filled: Store) -> None:
    (notice,) = search(resolve(filled, *QUIET), 0.9, by=By.DYNAMIC).notices()
    assert notice.startswith("This line shows no known tactic")


def test_a_position_needs_no_tactic(filled: Store) -> None:
    assert list(search(resolve(filled, *QUIET), 0.9, by=By.STATIC).notices()) == []


def found_in(board: chess.Board, idea: Idea | NoTactic) -> PuzzleSearch:
    """Return a search for a position in which the engine found this."""
    query = PuzzleQuery(board, idea.moves, "x", idea=idea)
    return search(query, 0.9, by=query.compared_by(By.COMBINED))


LEGAL = chess.Board("rn1qkbnr/ppp2p1p/3p2p1/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 5")


def legal_idea(**more: Any) -> Idea:
    moves = tuple(parse_line(LEGAL, "Nxe5 Bxd1 Bxf7+ Ke7 Nd5#"))
    return Idea(WinningMove(moves[0], Cp(180)), WonLine(moves, Ending.MATE, 1.0), **more)


def test_the_query_says_its_motif_the_best_defence_and_what_else_wins() -> None:
    other = tuple(parse_line(LEGAL, "Nxe5 dxe5 Qxg4"))
    also = (
        WinningMove(chess.Move.from_uci("d2d4"), Cp(93)),
        WinningMove(chess.Move.from_uci("h2h3"), Mate(7)),
    )
    shown = found_in(LEGAL, legal_idea(instead=other, is_taken=True, also=also))
    assert shown.notes() == [
        "Motif: attacking f2f7, mate in 3, sacrifice",
        "Best defence: 5. Nxe5 dxe5 6. Qxg4",
        "Also wins: d4 (+0.9), h3 (mate in 7); the line begins with Nxe5 (+1.8).",
    ]
    assert list(shown.notices()) == []
    assert "Best defence: 5. Nxe5 dxe5 6. Qxg4" in similar_text(shown, 80)
    assert "Best defence: 5. Nxe5 dxe5 6. Qxg4" in similar_page(shown)


def test_the_line_in_which_the_offer_is_taken_may_be_the_other_one() -> None:
    other = tuple(parse_line(LEGAL, "Nxe5 dxe5 Qxg4"))
    assert "If the offer is taken: 5. Nxe5 dxe5 6. Qxg4" in found_in(LEGAL, legal_idea(instead=other)).notes()


@pytest.mark.parametrize(
    ("wins", "note"),
    [
        (False, "No tactic: no move wins. The best one is d4 (+0.3)."),
        (True, "No tactic: d4 (+0.3) wins, but neither mates nor wins material soon."),
    ],
)
def test_a_position_without_a_tactic_is_compared_by_itself(wins: bool, note: str) -> None:
    board = chess.Board()
    move = chess.Move.from_uci("d2d4")
    shown = found_in(board, NoTactic(WinningMove(move, Cp(30)), (move,), wins))
    assert shown.by is By.STATIC
    assert shown.notes() == [note]
    assert list(shown.notices()) == ["The results are like the position only."]
    assert "1. d4" not in similar_text(shown, 80) + similar_page(shown)
    assert not similar_document(shown)["query"]["tactic"]


def searched(store: Store, name: str, why: bool = False, k: int = 10) -> PuzzleSearch:
    query = resolve(store, id_of(name))
    with PuzzleSearcher(store) as searcher:
        return PuzzleSearch(
            query, By.COMBINED, DEFAULT, searcher.similar(SearchRequest(query, why=why, k=k)), why
        )


def text_for(store: Store, name: str, why: bool) -> str:
    return " ".join(similar_text(searched(store, name, why, k=1), 80).split())


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param(
            "The knight on d5 takes the pawn on c7 with check and also attacks the rook on a8.", id="query"
        ),
        pytest.param("The knight on d4 goes to c2 with check and also attacks the rook on a1.", id="result"),
    ],
)
def test_the_text_tells_reasons_only_when_asked_for(filled: Store, sentence: str) -> None:
    assert sentence in text_for(filled, "fork", why=True)
    assert sentence not in text_for(filled, "fork", why=False)


@pytest.mark.parametrize("view", [lambda shown: similar_text(shown, 80), similar_page, similar_document])
def test_reasons_are_not_even_looked_for_unless_asked_for(
    filled: Store, monkeypatch: pytest.MonkeyPatch, view: Callable[[PuzzleSearch], object]
) -> None:
    monkeypatch.setattr(explained, "SolutionReasons", None)
    assert view(searched(filled, "fork"))


def test_the_text_has_raw_terms_only_when_asked_for(filled: Store) -> None:
    assert "fork:1" in text_for(filled, "fork", why=True)
    assert "fork:1" not in text_for(filled, "fork", why=False)


def markup(place: str) -> str:
    return f"<script>{place}</script>"


def page_for(store: Store, name: str, why: bool = False) -> str:
    return similar_page(searched(store, name, why))


def test_a_board_for_the_query_and_each_hit(filled: Store) -> None:
    assert page_for(filled, "back rank").count('class="board') == len(PUZZLES)


def test_solutions_are_readable(filled: Store) -> None:
    assert "1. Qe8+ Rxe8 2. Rxe8#" in page_for(filled, "back rank")


def test_a_diagram_says_who_may_castle_if_it_matters(filled: Store) -> None:
    said = "White may still castle kingside. Black may still castle on either side."
    assert f"<p>{said}</p>" in page_for(filled, "fork")
    assert f'<p class="small">{said}</p>' in page_for(filled, "black's fork")


def test_terms_are_shown_when_asked_for(filled: Store) -> None:
    assert "mates:r " not in page_for(filled, "back rank")
    assert "mates:r " in page_for(filled, "back rank", why=True)


def test_terms_are_behind_a_fold(filled: Store) -> None:
    page = page_for(filled, "back rank", why=True)
    assert page.count('<ul class="terms">') == page.count("<summary") == len(PUZZLES) - 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("takes the pawn on c7 with check and also attacks the rook on a8.", id="of the query"),
        pytest.param("goes to c2 with check and also attacks the rook on a1.", id="of a result"),
    ],
)
def test_reasons_are_told_when_asked_for(filled: Store, text: str) -> None:
    assert text not in page_for(filled, "fork")
    assert text in page_for(filled, "fork", why=True)


def test_a_board_shows_what_is_told(filled: Store) -> None:
    assert 'class="ring attack"' not in page_for(filled, "fork")
    # Both pieces that the knight attacks, on the boards of the query and of the result.
    assert page_for(filled, "fork", why=True).count('class="ring attack"') == 4


def test_nothing_is_loaded_from_elsewhere(filled: Store) -> None:
    page = page_for(filled, "back rank")
    assert "<script" not in page
    assert "<link" not in page
    assert " src=" not in page


def test_markup_in_the_database_is_text(filled: Store) -> None:
    with filled.session() as session:
        game = game_number(session, Game(key="evil", white=markup("white"), event=markup("event")))
    put(filled, row("7k/R7/1R6/8/8/8/8/6K1 w - - 0 1", "b6b8", tags=markup("tags"), game_number=game))
    put(filled, row("7k/1R6/R7/8/8/8/8/6K1 w - - 0 1", "a6a8", source_id=markup("id")))
    page = page_for(filled, "back rank")
    for place in ("white", "event", "tags", "id"):
        assert escape(markup(place)) in page
    assert "<script" not in page


def test_only_web_addresses_are_links(filled: Store) -> None:
    put(filled, row("7k/R7/1R6/8/8/8/8/6K1 w - - 0 1", "b6b8", game_url="javascript:alert(1)"))
    put(filled, row("7k/1R6/R7/8/8/8/8/6K1 w - - 0 1", "a6a8", game_url="https://example.org/a?b&c"))
    page = page_for(filled, "back rank")
    assert 'href="https://example.org/a?b&amp;c"' in page
    assert 'href="javascript' not in page
