"""The order of results in an index that is searched by rescoring, and normalised scores."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from chess_motif.notation import parse_moves, parse_position
from db.store import Store
from motifsearch.index import bm25
from motifsearch.index.bm25 import Clause
from motifsearch.index.directory import Index, Writer
from motifsearch.puzzles.index import MOST_DELETED, Encoded, Row, encode_all, index_in_memory
from motifsearch.puzzles.ranking import Ranked, best, clauses, own_score, scores
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.search import SearchRequest
from motifsearch.terms.encoding import encode, query_terms
from motifsearch.terms.weights import DEFAULT, DYNAMIC_FIELDS, FIELDS, PAPER, Encoding
from puzzlegen.formats import jsonl, lichess_csv
from puzzlegen.formats.entry import Parsed
from puzzlegen.games.archive import open_archive
from puzzlegen.reasons.tactics import Tactics
from tests.helpers.paths import SAMPLE_PUZZLES
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

REAL = 2000


@pytest.fixture
def rescored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rescoring, however small the index is."""
    monkeypatch.setattr(bm25, "LOOKUP", 0)
    monkeypatch.setattr(bm25, "CANDIDATE_POSTINGS", 4000)
    monkeypatch.setattr(bm25, "CANDIDATES", 0)


def query(index: Index, puzzle: Row) -> list[Clause]:
    board = parse_position(puzzle.puzzle_fen)
    terms = query_terms(encode(Tactics(board, parse_moves(board, puzzle.solution))))
    return clauses(index, terms, DEFAULT)


def rows_of(entries: Iterable[tuple[object, object]], count: int) -> list[Row]:
    puzzles = (entry.puzzle for _, entry in entries if isinstance(entry, Parsed))
    return [
        Row(number, puzzle.id, puzzle.fen, puzzle.blunder, puzzle.puzzle_fen, puzzle.solution)
        for number, puzzle in enumerate(islice(puzzles, count), start=1)
    ]


def test_ties_go_by_id_even_across_the_last_place(filled: Store, rescored: None) -> None:
    names = ["d", "b", "e", "a", "f", "c"]
    put(filled, *(row(*PUZZLES["smothered"], id=name) for name in names))
    with PuzzleSearcher(filled) as searcher:
        hits = searcher.similar(SearchRequest(id_of("smothered"), k=3))
    assert [hit.puzzle.id for hit in hits] == ["a", "b", "c"]


def test_hardly_any_of_the_best_real_puzzles_is_missed(data: Path, one_core: None, rescored: None) -> None:
    with open_archive(str(data / "lichess_puzzles.csv.zst")) as archive:
        rows = rows_of(lichess_csv.read(archive), REAL)
    index = index_in_memory(encode_all(rows, 1, DEFAULT))
    common = 0
    for puzzle in rows[:100]:
        asked = query(index, puzzle)
        fast, exhaustive = (
            {one.key for one in best(index, asked, 10, exact=exact)} for exact in (False, True)
        )
        common += len(fast & exhaustive)
    assert common >= 0.99 * 10 * 100


def written(number: int, dynamic: Sequence[str], static: Sequence[str]) -> Encoded:
    return Encoded.of(number, str(number), {"motif_names": dynamic, "static_positions": static})


def in_steps(index: Index, query: Sequence[Clause], k: int, monkeypatch: pytest.MonkeyPatch) -> list[Ranked]:
    """The best documents, found without a search for all terms at once."""
    with monkeypatch.context() as patch:
        patch.setattr(bm25, "search_fast", partial(_of_dynamic_terms, bm25.search_fast))
        return best(index, query, k)


def _of_dynamic_terms(
    search: Callable[..., Any], index: Index, query: list[Clause], *a: Any, **b: Any
) -> Any:
    assert {clause.field for clause in query} == {"motif_names"}
    return search(index, query, *a, **b)


def test_static_terms_are_looked_up_in_the_puzzles_with_the_best_dynamic_terms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(3)
    words = [f"w{rank}" for rank in range(40)]
    index = index_in_memory(
        written(number, chance.sample(words, number // 20 + 1), chance.sample(words, 10))
        for number in range(400)
    )
    asked = clauses(index, {"motif_names": words, "static_positions": words[:5]}, DEFAULT)
    found, exhaustive = in_steps(index, asked, 5, monkeypatch), best(index, asked, 5, exact=True)
    assert [one.key for one in found] == [one.key for one in exhaustive]
    for parts in zip(found, exhaustive, strict=True):
        assert parts[0][1:] == pytest.approx(parts[1][1:], abs=0.002)


def test_a_puzzle_with_the_best_static_terms_is_found_however_little_its_dynamic_terms_score() -> None:
    static, others = [f"s{number}" for number in range(50)], ["other"] * 50
    # The same term scores less in a longer document. Puzzles without it make it rare.
    forks = [written(number, ["fork", *["pin"] * number], others) for number in range(40)]
    without = [written(number, ["pin"], others) for number in range(100, 400)]
    index = index_in_memory([*forks, *without, written(99, ["fork", *["pin"] * 99], static)])
    asked = clauses(index, {"motif_names": ["fork"], "static_positions": static}, DEFAULT)
    assert best(index, asked, 1)[0].key == "99"


Terms = dict[str, list[str]]


def terms_of(name: str, encoding: Encoding) -> Terms:
    fen, moves = PUZZLES[name]
    board = parse_position(fen)
    return encode(Tactics(board, parse_moves(board, moves)), encoding)


def index_of(encoding: Encoding, without: str = "") -> Index:
    names = [name for name in PUZZLES if name != without]
    return index_in_memory(
        Encoded.of(number, name, terms_of(name, encoding)) for number, name in enumerate(names)
    )


@pytest.mark.parametrize(
    ("encoding", "fields"),
    [(DEFAULT, FIELDS), (DEFAULT, DYNAMIC_FIELDS), (PAPER, DYNAMIC_FIELDS)],
    ids=["default, all", "default, dynamic", "paper, dynamic"],
)
@pytest.mark.parametrize("name", ["fork", "greek gift", "black's fork"])
def test_a_puzzle_in_the_index_scores_its_own_score(
    name: str, encoding: Encoding, fields: tuple[str, ...]
) -> None:
    index, document = index_of(encoding), terms_of(name, encoding)
    found = scores(index, clauses(index, query_terms(document), encoding, fields), [name])[name]
    # Tantivy rounds the lengths of fields.
    assert own_score(index, document, encoding, fields) == pytest.approx(found, rel=0.03)


def test_terms_that_no_puzzle_has_count() -> None:
    known, unknown = index_of(DEFAULT), index_of(DEFAULT, without="smothered")
    document = terms_of("smothered", DEFAULT)
    asked = query_terms(document)
    best = max(scores(unknown, clauses(unknown, asked, DEFAULT), list(PUZZLES)).values())
    assert best / own_score(unknown, document, DEFAULT, FIELDS) < 0.5
    assert own_score(known, document, DEFAULT, FIELDS) > best


def test_terms_that_only_a_deleted_puzzle_has() -> None:
    index = index_of(DEFAULT)
    with Writer(index) as writer:
        writer.remove(list(PUZZLES).index("promotion"))
    document = terms_of("promotion", DEFAULT)
    without = index_of(DEFAULT, without="promotion")
    scored = [own_score(each, document, DEFAULT, FIELDS) for each in (index, without)]
    assert scored[0] == pytest.approx(scored[1], rel=0.1)


def average_length(puzzles: Sequence[Encoded], field: str) -> float:
    return sum(len(puzzle.fields[field].split()) for puzzle in puzzles) / len(puzzles)


def test_deleted_puzzles_change_scores_at_most_as_they_change_average_lengths(one_core: None) -> None:
    with open_archive(str(SAMPLE_PUZZLES)) as archive:
        rows = rows_of(jsonl.read(archive), 100)
    puzzles = list(encode_all(rows, 1, DEFAULT))
    gone = puzzles[:: round(1 / MOST_DELETED)]
    left = [puzzle for puzzle in puzzles if puzzle not in gone]
    index, new = index_in_memory(puzzles), index_in_memory(left)
    with Writer(index) as writer:
        for puzzle in gone:
            writer.remove(puzzle.number)
    for field in DEFAULT.weights:
        tolerance = abs(average_length(puzzles, field) / average_length(left, field) - 1)
        for asked in rows[:5]:
            before, after = ([c for c in query(each, asked) if c.field == field] for each in (index, new))
            expected = {one.key: one.score for one in best(new, after, 20)}
            found = scores(index, before, list(expected))
            assert found == pytest.approx(expected, rel=tolerance, abs=0.002)
