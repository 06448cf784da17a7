"""Which puzzles are picked, and what a set becomes when it is extended."""

from __future__ import annotations

import pytest

from chess_motif.errors import InputError
from db.models import Puzzle
from db.puzzles import change_puzzles, get_puzzle, get_puzzles, mark_shown, shown_counts
from db.sets import SetEntry, get_set, set_entries
from db.store import Store
from motifsearch import search as filters
from motifsearch.puzzles.searcher import PuzzleHit, PuzzleSearcher
from motifsearch.trainer import picks, sets
from motifsearch.trainer.picks import pick
from motifsearch.trainer.sets import extend_training_set, set_statuses
from puzzlegen.motifs.tags import solution_tags
from tests.helpers.missed_opportunities import BACK_RANK, BLACKS_FORK, FORK, opportunity_row, store_game
from tests.helpers.sample_puzzles import PUZZLES, id_of, put, row

# The fork with pieces elsewhere, at several levels.
FORKS = {
    "easy": ("r3k2r/ppp2ppp/8/3N4/8/8/PPP2PPP/R3K3 w kq - 0 1", "d5c7 e8d8 c7a8", 900),
    "middling": ("r3k3/ppp3pp/8/3N4/8/7P/PPP2PP1/4K2R w - - 0 1", "d5c7 e8d8 c7a8", 1300),
    "hard": ("r3k3/1pp3pp/8/3N4/8/6PP/PPP2P2/4K2R w - - 0 1", "d5c7 e8d8 c7a8", 2400),
}


def estimated(fen: str, solution: str, level: float, first_move_chance: float = 0.4) -> Puzzle:
    """Return a puzzle of a level that needs no estimate."""
    return row(fen, solution, difficulty=level, first_move_chance=first_move_chance)


@pytest.fixture
def trained(sqlite_store: Store) -> Store:
    return with_a_missed_fork(sqlite_store)


@pytest.fixture
def trained_everywhere(store: Store) -> Store:
    return with_a_missed_fork(store)


def with_a_missed_fork(store: Store) -> Store:
    """Fill a database with puzzles, and a game in which Ann missed a fork (of level 1500)."""
    put(store, *(estimated(fen, solution, 600) for fen, solution in PUZZLES.values()))
    put(store, *(estimated(fen, solution, level) for fen, solution, level in FORKS.values()))
    store_game(store, opportunity_row(*FORK))
    return store


def fork(name: str) -> str:
    fen, solution, _ = FORKS[name]
    return row(fen, solution).id


def picked(store: Store, k: int = 8, taken: tuple[str, ...] = (), level: float | None = None) -> list[str]:
    with PuzzleSearcher(store) as searcher:
        query = searcher.query(opportunity_row(*FORK).puzzle_id)
        return [hit.puzzle.id for hit in pick(searcher, query, k, "Ann", taken, level)]


def test_easier_puzzles_come_first_and_hard_ones_not_at_all(trained: Store) -> None:
    names = picked(trained)
    assert [name for name in names if name in (fork("easy"), fork("middling"))] == [
        fork("easy"),
        fork("middling"),
    ]
    assert fork("hard") not in names


@pytest.mark.parametrize(("level", "name"), [(1000, "easy"), (1300, "middling"), (2400, "hard")])
def test_the_players_level_comes_first(trained: Store, level: float, name: str) -> None:
    with trained.session() as session:
        mark_shown(session, "Ann", [id_of("fork")])
    assert picked(trained, k=1, level=level) == [fork(name)]


def test_what_is_hard_for_the_player_is_not_picked(trained: Store) -> None:
    assert fork("hard") not in picked(trained, level=1900)
    assert fork("hard") in picked(trained, level=2100)


def test_a_pick_without_a_level_is_estimated(trained: Store) -> None:
    fen = "r3k3/1pp3pp/8/3N4/8/5P2/PPP3PP/4K2R w - - 0 1"
    unrated = row(fen, "d5c7 e8d8 c7a8").id
    put(trained, row(fen, "d5c7 e8d8 c7a8"))
    picked(trained)
    with trained.reading() as session:
        puzzle = get_puzzles(session, [unrated])[unrated]
    assert puzzle.level is not None
    assert puzzle.first_move_chance is not None


@pytest.mark.parametrize(("outcome", "is_picked"), [("material", False), ("held", True)])
def test_what_only_saves_is_picked_for_a_chance_to_save(
    trained: Store, outcome: str, is_picked: bool
) -> None:
    fen = "r3k3/1pp3pp/8/3N4/8/5P2/PPP3PP/4K2R w - - 0 1"
    saves = estimated(fen, "d5c7 e8d8 c7a8", 1400)
    saves.themes = "equality"
    put(trained, saves)
    with trained.session() as session:
        number = get_puzzle(session, opportunity_row(*FORK).puzzle_id).number
        change_puzzles(session, [{"number": number, "outcome": outcome}])
    assert (saves.id in picked(trained)) is is_picked


def test_what_was_shown_or_taken_is_not_picked(trained_everywhere: Store) -> None:
    with trained_everywhere.session() as session:
        mark_shown(session, "Ann", [fork("easy")])
        mark_shown(session, "Bob", [id_of("fork")])
    names = picked(trained_everywhere, taken=(fork("middling"),), level=1000)
    assert fork("easy") not in names
    assert fork("middling") not in names
    assert id_of("fork") in names


def test_what_nearly_everyone_would_play_is_not_picked(trained: Store) -> None:
    fen = "r3k3/p1p3pp/8/3N4/8/5PPP/PPP5/4K2R w - - 0 1"
    put(trained, estimated(fen, "d5c7 e8d8 c7a8", 900, first_move_chance=0.95))
    assert row(fen, "d5c7").id not in picked(trained)


def test_what_is_not_close_is_not_picked(trained: Store) -> None:
    assert id_of("promotion") not in picked(trained, k=50)


def test_the_same_position_with_another_tactic_is_not_picked(
    trained: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picks, "ALIKE", 0.0)
    fen, _, _ = FORKS["easy"]
    put(trained, estimated(fen, "d5e3 e8e7 e3c4", 1200))
    assert row(fen, "d5e3").id not in picked(trained, k=50)


# White takes on a square that is attacked twice and defended only once.
OUTNUMBERED = (
    "2rq1rk1/pb1nbpp1/1p1ppn1p/2p5/3PNB2/P2QPN1P/1PP1BPP1/R4RK1 w - - 0 13",
    "e4d6 e7d6 f4d6",
)


# A king is hunted, and mated in the seventh move.
HUNT = (
    "rnbq2k1/pppP2pp/5r2/2b5/8/1P6/P1PP1PPP/RN1QKBNR b KQ - 0 7",
    "c5f2 e1e2 d8e7 e2d3 e7d7 d3e2 d7e6 e2d3 e6d5 d3c3 d5d4",
)


ATTACKED_TWICE = ("6rk/p1nb1nr1/1p5p/2pPp3/2P1Pp1q/P1QN1P2/2B1N1P1/1R3KR1 w - - 8 33", "d3e5 f7e5 c3e5")
ELSEWHERE = ("r4r1k/2p3bp/1p1p1q2/p2P1b2/2P1pP2/2NnB2P/PP1Q2BK/3R2R1 w - - 2 23", "c3e4 f5e4 g2e4")
# A bishop is exchanged for the other piece that defends a knight.
EXCHANGED = ("1k4r1/1bpp1p2/1p2q3/p3nNb1/2P1B1p1/P5Pr/1BRR1Q1P/6K1 w - - 2 31", "e4b7 b8b7 b2e5")
EXCHANGED_TOO = ("5r2/4Rpbk/6pp/p2n4/3B4/5B1P/P1r2PP1/R5K1 w - - 2 25", "d4g7 h7g7 f3d5")
HUNT_ENDS = ("rnb2rk1/pp2Bppp/1q2p3/2bpP3/8/2N2N2/PPP2PPP/R2QKB1R b KQ - 0 8", "c5f2 e1d2 b6e3")


@pytest.mark.parametrize(
    ("missed", "found", "score", "is_picked"),
    [
        pytest.param(OUTNUMBERED, ATTACKED_TWICE, 0.42, True, id="the same point"),
        pytest.param(OUTNUMBERED, ATTACKED_TWICE, 0.4, False, id="the same point is not enough"),
        pytest.param(OUTNUMBERED, ELSEWHERE, 0.5, False, id="the same captures, but another square"),
        pytest.param(EXCHANGED, EXCHANGED_TOO, 0.52, True, id="no fact is found"),
        pytest.param(EXCHANGED, EXCHANGED_TOO, 0.5, False, id="no fact is found, and less alike"),
        pytest.param(HUNT, HUNT_ENDS, 0.7, True, id="a long line, and its end"),
        pytest.param(HUNT, HUNT_ENDS, 0.6, False, id="a long line is not like its end"),
    ],
)
def test_a_pick_is_like_what_was_missed(
    sqlite_store: Store,
    monkeypatch: pytest.MonkeyPatch,
    missed: tuple[str, str],
    found: tuple[str, str],
    score: float,
    is_picked: bool,
) -> None:
    """A result with a normalised score."""
    own, other = estimated(*missed, 1500), estimated(*found, 1500)
    for puzzle in (own, other):
        puzzle.tags = " ".join(solution_tags(puzzle.position(), puzzle.moves()))
    put(sqlite_store, own)
    hit = PuzzleHit(1, static=0.0, dynamic=score, likeness=score, puzzle=other)
    monkeypatch.setattr(PuzzleSearcher, "similar", lambda *_, **__: [hit])
    with PuzzleSearcher(sqlite_store) as searcher:
        hits = pick(searcher, searcher.query(row(*missed).id), 3, "Ann")
    assert (hits == [hit]) is is_picked


@pytest.mark.parametrize(
    ("fen", "solution", "is_picked"),
    [
        ("7k/6pp/8/8/8/8/8/KQ6 w - - 0 1", "b1b8", True),
        ("7k/6pp/8/8/8/8/8/KR6 w - - 0 1", "b1b8", False),
    ],
)
def test_a_mate_is_like_one_by_the_same_piece(
    trained: Store, monkeypatch: pytest.MonkeyPatch, fen: str, solution: str, is_picked: bool
) -> None:
    monkeypatch.setattr(picks, "ALIKE", 0.0)
    missed = ("6k1/5ppp/8/8/8/8/5PPP/Q5K1 b - - 0 1", "g8h8", "a1a8")
    row_of_mate = opportunity_row(*missed, tags="mate mateIn1")
    store_game(trained, row_of_mate, key="mate")
    mate = estimated(fen, solution, 1200)
    mate.tags = "mate mateIn1"
    put(trained, mate)
    with PuzzleSearcher(trained) as searcher:
        hits = pick(searcher, searcher.query(row_of_mate.puzzle_id), 50, "Ann")
    assert (row(fen, solution).id in [hit.puzzle.id for hit in hits]) is is_picked


def entries(store: Store, name: str) -> list[SetEntry]:
    with store.reading() as session:
        return set_entries(session, name)


def test_a_set_ends_each_group_with_the_missed_chance(trained_everywhere: Store) -> None:
    report = extend_training_set(trained_everywhere, "evening", ["ann"], solver="Ann", k=2)
    shown = entries(trained_everywhere, "evening")
    assert [entry.is_own for entry in shown] == [False, False, True]
    assert (report.own, report.picked, report.alone) == (1, 2, 0)
    with trained_everywhere.reading() as session:
        assert shown_counts(session) == {"Ann": 3}


def test_extending_a_set_again_changes_nothing(trained: Store) -> None:
    extend_training_set(trained, "evening", ["ann"])
    before = [entry.puzzle.id for entry in entries(trained, "evening")]
    assert extend_training_set(trained, "evening", ["ann"]).own == 0
    assert [entry.puzzle.id for entry in entries(trained, "evening")] == before


def test_new_opportunities_come_at_the_end_with_other_puzzles(trained_everywhere: Store) -> None:
    extend_training_set(trained_everywhere, "evening", ["ann"])
    before = [entry.puzzle.id for entry in entries(trained_everywhere, "evening")]
    store_game(trained_everywhere, opportunity_row(*BACK_RANK, tags="mate mateIn2"), key="next")
    assert extend_training_set(trained_everywhere, "evening", ["ann"]).own == 1
    after = [entry.puzzle.id for entry in entries(trained_everywhere, "evening")]
    assert after[: len(before)] == before
    assert len(after) == len(set(after)) > len(before)


def test_opportunities_that_are_taken_or_have_no_puzzle_are_not_in_a_set(trained: Store) -> None:
    rows = [
        opportunity_row(*BACK_RANK, ply=30, taken=True),
        opportunity_row(*BACK_RANK, ply=40, puzzle_id="", reason="no clear gain of material"),
        opportunity_row(*BLACKS_FORK, ply=51),
    ]
    store_game(trained, *rows, key="next")
    report = extend_training_set(trained, "evening", ["ann"], k=0)
    assert (report.own, report.picked, report.without) == (1, 0, 1)


def test_the_same_position_of_a_game_counts_once(trained: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "NEARLY_SAME", 4)
    nearly = ("4k3/r4ppp/8/3N4/8/5P2/6PP/4K3 b - - 0 1", *FORK[1:])
    store_game(trained, opportunity_row(*FORK, ply=20), opportunity_row(*nearly, ply=22), key="again")
    report = extend_training_set(trained, "evening", ["ann"], k=0)
    assert (report.own, report.repeated) == (1, 2)


def test_positions_are_compared_with_those_of_their_game_only(
    trained: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compared(one: str, other: str) -> bool:
        raise AssertionError("compared with a position of another game")

    monkeypatch.setattr(sets, "nearly_same", compared)
    for number, missed in enumerate((BACK_RANK, BLACKS_FORK)):
        store_game(trained, opportunity_row(*missed, ply=21 + number), key=f"game {number}")
    assert extend_training_set(trained, "evening", ["ann"], k=0).own == 2


def test_without_puzzles_a_set_has_the_missed_opportunities(store: Store) -> None:
    store_game(store, opportunity_row(*FORK))
    report = extend_training_set(store, "evening", ["ann"])
    assert (report.own, report.picked) == (1, 0)


def test_a_set_has_one_solver(trained: Store) -> None:
    extend_training_set(trained, "evening", ["ann"], solver="Ann")
    with pytest.raises(InputError, match="is for 'Ann'"):
        extend_training_set(trained, "evening", ["ann"], solver="Bob")


def test_what_is_far_above_the_players_level_comes_last(trained_everywhere: Store) -> None:
    easier = opportunity_row(*BACK_RANK, tags="mate mateIn2")
    store_game(trained_everywhere, easier, key="next")
    with trained_everywhere.session() as session:
        number = get_puzzle(session, easier.puzzle_id).number
        change_puzzles(session, [{"number": number, "difficulty": 1200.0}])
    report = extend_training_set(trained_everywhere, "evening", ["ann"], k=1, level=1100)
    shown = entries(trained_everywhere, "evening")
    assert [entry.puzzle.level for entry in shown if entry.is_own] == [1200, 1500]
    assert shown[-1].is_own
    assert (report.own, report.hard) == (2, 1)
    with trained_everywhere.reading() as session:
        assert get_set(session, "evening").level == 1100


def test_a_set_says_what_is_due(trained: Store) -> None:
    extend_training_set(trained, "evening", ["ann"], solver="Ann", k=2)
    (status,) = set_statuses(trained, "Ann")
    assert status.as_dict() == {
        "set": "evening", "student": "Ann", "puzzles": 3, "due": 0, "new": 3, "next": None,
    }  # fmt: skip
