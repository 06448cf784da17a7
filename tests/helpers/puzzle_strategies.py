"""Puzzles with random facts, for tests of formats."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import chess
from hypothesis import strategies as st

from chess_motif.text import clean
from db.models import Game, Kind, Puzzle, Verdict
from puzzlegen.formats.entry import parsed_puzzle

# The position before the blunder (or, without one, that of the puzzle), the blunder, and the solution.
LINES = [
    ("1r4k1/5ppp/8/8/8/8/4RPPP/1R4K1 b - - 0 1", "b8b7", "e2e8"),
    ("5k2/5ppp/8/8/8/8/5PPP/1R4K1 b - - 12 40", "f8g8", "b1b8"),
    ("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1", "", "b1b8"),
    ("4k2q/8/8/8/8/8/5PPP/R5K1 w - - 3 9", "", "a1a8 e8d7 a8h8"),
    ("r3k2r/ppp2ppp/8/3N4/8/8/PPP2PPP/4K2R w Kkq - 0 1", "", "d5c7"),
]

ENDINGS = ("", "=", "-1+1", "+", "@SUM(A1)", "'=", "''@", "?", "{", ";", "%", "\\", '"', '"]', '\\"', ",")


def texts(most: int = 20) -> st.SearchStrategy[str]:
    """Return texts as readers leave them, many of them with characters that mean something in a format."""
    free = st.text(st.characters(codec="utf-8"), max_size=most)
    pieces = st.tuples(st.sampled_from(ENDINGS), free, st.sampled_from(ENDINGS))
    known = pieces.map(lambda three: " ".join(clean("".join(three)).split()))
    # PGN has these for what is not known.
    return known.map(lambda text: "" if text.strip("?.-") == "" else text)


def words() -> st.SearchStrategy[str]:
    """Return words in alphabetical order, separated by spaces."""
    return st.lists(texts(8).filter(bool), max_size=3).map(
        lambda several: " ".join(sorted({*" ".join(several).split()}))
    )


def optional(some: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | some


NUMBERS = st.integers(-(2**31) + 1, 2**31 - 1)
CHANCES = st.floats(-1, 1)
FAULTS = st.fixed_dictionaries(
    {"fault": texts(), "ply": st.integers(0, 30), "move": texts(), "seen": texts()}
)
AUDITS = st.fixed_dictionaries(
    {"engine": texts(), "nodes": st.integers(1, 2**31 - 1), "faults": st.lists(FAULTS, max_size=2)},
    optional={"verdict": st.sampled_from(Verdict).map(str)},
)


@st.composite
def games(draw: st.DrawFn) -> Game:
    text_columns = ("white", "black", "event", "site", "round", "eco", "opening", "time_control", "url")
    return Game(
        key=draw(st.text("0123456789abcdef", min_size=16, max_size=16)),
        white_elo=draw(optional(st.integers(1, 9999))),
        black_elo=draw(optional(st.integers(1, 9999))),
        date=draw(st.sampled_from(["", "2024.01.31", "2013.??.??"])),
        result=draw(st.sampled_from(["", "1-0", "1/2-1/2", "*"])),
        **{column: draw(texts()) for column in text_columns},
    )


@st.composite
def defences(draw: st.DrawFn, position: chess.Board, best: str) -> str:
    """Return lines after the first move of a solution: a reply or none, and an answer to it."""
    after = position.copy()
    after.push_uci(best)
    lines, none = [], [] if after.is_check() else ["0000"]
    for reply in draw(st.sets(st.sampled_from([*none, *sorted(map(str, after.legal_moves))]), max_size=2)):
        after.push_uci(reply)
        lines.append(f"{reply} {draw(st.sampled_from(sorted(map(str, after.legal_moves))))}")
        after.pop()
    return ",".join(lines)


@st.composite
def puzzles(draw: st.DrawFn, *, for_lichess: bool = False) -> Puzzle:
    """Return a puzzle that is not stored, with everything that could be known about it.

    `for_lichess` asks for one that has a place in the files of Lichess.
    """
    fen, blunder, solution = draw(st.sampled_from([line for line in LINES if line[1] or not for_lichess]))
    position = chess.Board(fen)
    if blunder:
        position.push_uci(blunder)
    source = draw(st.sampled_from(["mined", "lichess", "pgn", "epd", "jsonl"]) | words().filter(bool))
    others = draw(st.lists(st.sampled_from(sorted(map(str, position.legal_moves))), unique=True, max_size=3))
    best = solution.split()[0]
    accepted = [best, *(other for other in others if other != best)]
    kind = Kind.PUZZLE if for_lichess else draw(st.sampled_from(Kind))
    puzzle = parsed_puzzle(
        position,
        solution.split(),
        source,
        draw(texts()),
        facts={"Kind": kind, "Accepted": ",".join(accepted)} if kind is Kind.EXERCISE else {},
    ).puzzle
    if len(solution.split()) > 1:
        puzzle.other_defences = draw(defences(position, best))
    for column in ("rating", "rating_deviation", "popularity", "plays"):
        setattr(puzzle, column, draw(optional(NUMBERS)))
    puzzle.themes = "" if source == "mined" else draw(words())
    puzzle.opening_tags = draw(words())
    puzzle.game_url = draw(texts())
    puzzle.gap = draw(optional(st.floats(0, 2)))
    puzzle.solver_found = draw(optional(st.booleans()))
    puzzle.evaluations = draw(optional(st.dictionaries(texts(8), optional(CHANCES), max_size=4)))
    puzzle.nodes = draw(optional(st.dictionaries(texts(8), st.integers(0, 2**31 - 1), max_size=2)))
    puzzle.engine = draw(texts())
    puzzle.audit_passed = draw(optional(st.booleans()))
    puzzle.audit = draw(optional(AUDITS))
    puzzle.difficulty = draw(optional(st.floats(0, 4000)))
    puzzle.difficulty_margin = draw(optional(st.floats(0, 1000)))
    puzzle.first_move_chance = draw(optional(st.floats(0, 1)))
    puzzle.ply = draw(optional(st.integers(0, 600)))
    puzzle.created = draw(st.datetimes(timezones=st.just(UTC)))
    puzzle.game = draw(optional(games()))
    return puzzle
