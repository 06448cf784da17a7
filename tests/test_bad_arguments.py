"""What cannot be meant is an error of ours, whatever public function it is given to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import chess
import chess.pgn
import pytest

from chess_motif.errors import ChessMotifError, InputError
from db import GameFilter, PuzzleFilter, Selection, Store, count_puzzles, find_puzzles, get_puzzle
from db.tags import TAG_NAMES
from motifsearch import (
    Chesscone,
    ExerciseRules,
    Grade,
    Memory,
    PuzzleSearcher,
    add_positions,
    find_opportunities,
    make_set,
    record_attempt,
    remember_games,
    set_results,
)
from motifsearch.search import SearchRequest
from puzzlegen import (
    ExportOptions,
    MiningRules,
    delete,
    explain_solution,
    export_puzzles,
    find_solution,
    mine,
    rate_solution,
    simplify,
    tag_solution,
    write_puzzles,
)
from puzzlegen.games.pgn import played_game
from puzzlegen.motifs.table import TAGS
from tests.helpers.agreeing_engine import AgreeingEngine
from tests.helpers.sample_puzzles import PUZZLES, put, row

START = chess.Board()
ILLEGAL = [chess.Move.from_uci("e2e5")]
NO_KING = chess.Board("8/8/8/8/8/8/8/K7 w - - 0 1")
MATED = chess.Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
ENGINE = AgreeingEngine(START, [])
KNOWN = row(*PUZZLES["fork"]).id
# These arguments are looked at before the memory.
NO_MEMORY = cast(Memory, None)


def variant() -> chess.pgn.Game:
    return chess.pgn.Game({"Variant": "Atomic"})


def found(store: Store, filters: PuzzleFilter, limit: int | None = None) -> object:
    with store.reading() as session:
        return list(find_puzzles(session, filters, limit))


def counted(store: Store, filters: PuzzleFilter) -> int:
    with store.reading() as session:
        return count_puzzles(session, filters)


def named(store: Store, name: str) -> object:
    with store.reading() as session:
        return get_puzzle(session, name)


WRONG: dict[str, Callable[[Store], object]] = {
    "gap": lambda store: PuzzleFilter(gap=9),
    "gap of rules": lambda store: MiningRules(gap=9),
    "share of rules": lambda store: ExerciseRules(most_share=9),
    "kind": lambda store: PuzzleFilter(kind="puzle"),  # type: ignore[arg-type]
    "ratings": lambda store: GameFilter(elo=(2500, 2000)),
    "bounds": lambda store: PuzzleFilter(rating=(1800, 1200)),
    "tags as text": lambda store: PuzzleFilter(tags="fork"),  # type: ignore[arg-type]
    "limit": lambda store: Selection(limit=-1),
    "sample": lambda store: Selection(sample=-1),
    "limit of a search": lambda store: found(store, PuzzleFilter(), -1),
    "unknown tag": lambda store: found(store, PuzzleFilter(tags=("frok",))),
    "unknown tag to leave out": lambda store: counted(store, PuzzleFilter(no_tags=("frok",))),
    "unknown source": lambda store: counted(store, PuzzleFilter(source="lichss")),
    "unknown id": lambda store: named(store, "nothing"),
    "unknown id to delete": lambda store: delete(store, ["nothing"]),
    "no such file": lambda store: mine(["no.pgn"], store),
    "no such file of a player": lambda store: find_opportunities(["no.pgn"], store, ["Ann"]),
    "no such file to archive": lambda store: add_positions(["no.pgn"], store),
    "no such file to remember": lambda store: remember_games(["no.pgn"], store),
    "a path for paths": lambda store: mine("no.pgn", store),
    "workers": lambda store: mine([], store, workers=0),
    "unknown format": lambda store: write_puzzles("x.csv", [], "xls"),
    "no format": lambda store: write_puzzles("x.xls", []),
    "unknown tag to export": lambda store: export_puzzles(
        "-", store, "csv", selection=PuzzleFilter(tags=("frok",))
    ),
    "diagrams": lambda store: ExportOptions(per_page=5),
    "illegal move": lambda store: tag_solution(START, ILLEGAL),
    "no move": lambda store: explain_solution(START, []),
    "illegal move to simplify": lambda store: simplify(START, ILLEGAL),
    "illegal position": lambda store: rate_solution(NO_KING, ILLEGAL),
    "illegal position to verify": lambda store: find_solution(NO_KING, ENGINE),
    "the game is over": lambda store: find_solution(MATED, ENGINE),
    "variant": lambda store: played_game(variant()),
    "bad FEN": lambda store: PuzzleSearcher(store).query("8/8/8 w"),
    "k": lambda store: SearchRequest("4k3/8/4K3/8/8/8/8/7R w - - 0 1", k=0),
    "unknown mode": lambda store: PuzzleSearcher(store, "papre"),
    "set without a name": lambda store: make_set(store, " "),
    "unknown set": lambda store: set_results(store, "nothing"),
    "unknown puzzle solved": lambda store: record_attempt(store, "Ann", "nothing", Grade.GOOD, seconds=1),
    "a time below 0": lambda store: record_attempt(store, "Ann", KNOWN, Grade.GOOD, seconds=-1),
    "nobody solved it": lambda store: record_attempt(store, " ", KNOWN, Grade.GOOD, seconds=1),
    "unknown grade": lambda store: record_attempt(store, "Ann", KNOWN, "god", seconds=1),  # type: ignore[arg-type]
    "unknown form": lambda store: Chesscone(NO_MEMORY, form="joind"),  # type: ignore[arg-type]
    "rating of people": lambda store: Chesscone(NO_MEMORY, rating=-1),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_cannot_be_meant_is_an_error(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Store], object]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(sqlite_store, row(*PUZZLES["fork"]))
    with pytest.raises(InputError) as raised:
        wrong(sqlite_store)
    assert isinstance(raised.value, ChessMotifError)
    assert isinstance(raised.value, ValueError)


def test_a_filter_knows_all_tags() -> None:
    assert TAGS.keys() == TAG_NAMES
