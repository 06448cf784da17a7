"""Triples; and the prefilter against the parsed games: none that holds a triple may be skipped."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlegen.candidates import Settings, SkippedSpan, Turn, is_triple, prefilter, turns_of
from puzzlegen.games.archive import open_archive
from puzzlegen.games.pgn import Skip, SkipGame, read_game
from puzzlegen.games.split import RawGame, split_games
from puzzlegen.rules import MiningRules, Pattern
from tests.helpers.paths import SAMPLE_GAMES

BOTH = MiningRules()
ONE = MiningRules(pattern=Pattern.BLUNDER)


def find_triples(
    win_chances: Sequence[float | None], first: chess.Color, rules: MiningRules, share: float = 1.0
) -> list[Turn]:
    return [turn for turn in turns_of(win_chances, first) if is_triple(turn, rules, share)]


def plies(win_chances: Sequence[float | None], rules: MiningRules, share: float = 1.0) -> list[int]:
    return [turn.ply - 1 for turn in find_triples(win_chances, chess.WHITE, rules, share)]


@pytest.mark.parametrize(
    ("win_chances", "blunders", "pairs"),
    [
        # White blunders from even to lost, Black gives it back.
        ([0.0, -0.6, 0.0], [0], [0]),
        # Black punishes it.
        ([0.0, -0.6, -0.6], [0], []),
        # Black gives only a little back.
        ([0.0, -0.6, -0.35], [0], []),
        # Black blunders, White misses it.
        ([0.0, 0.0, 0.7, 0.1], [1], [1]),
        # A drop that leaves the game undecided.
        ([0.25, -0.2, 0.25], [], []),
        # A drop that only makes won more won.
        ([0.0, 0.0, 0.0], [], []),
        ([-0.35, -0.9, -0.35], [], []),
        # The game ends with the blunder.
        ([0.0, -0.8], [0], []),
        # Evaluations are missing.
        ([None, -0.8, 0.0], [], []),
        ([0.0, None, 0.0], [], []),
        ([0.0, -0.8, None], [0], []),
    ],
)
def test_patterns(win_chances: list[float | None], blunders: list[int], pairs: list[int]) -> None:
    assert plies(win_chances, ONE) == blunders
    assert plies(win_chances, BOTH) == pairs


@pytest.mark.parametrize(
    ("win_chances", "rules", "share"),
    [
        pytest.param([0.0, -0.25, 0.0], BOTH, 0.5, id="a smaller drop"),
        pytest.param([-0.35, -0.9], ONE, 0.6, id="few nodes think it won already"),
        pytest.param([0.1, -0.25], ONE, 0.6, id="few nodes do not see the win yet"),
    ],
)
def test_relaxed_thresholds_let_more_through(
    win_chances: list[float], rules: MiningRules, share: float
) -> None:
    assert plies(win_chances, rules) == []
    assert plies(win_chances, rules, share) == [0]


def test_values_are_the_solvers() -> None:
    (turn,) = find_triples([0.0, -0.6, 0.1], chess.WHITE, BOTH)
    assert (turn.before, turn.now, turn.after) == (0.0, 0.6, -0.1)


WIN_CHANCES = st.lists(st.floats(-1, 1), max_size=30)


@given(WIN_CHANCES)
def test_colours_do_not_matter(win_chances: list[float]) -> None:
    turned = [-chance for chance in win_chances]
    assert find_triples(win_chances, chess.WHITE, BOTH) == find_triples(turned, chess.BLACK, BOTH)


@given(WIN_CHANCES)
def test_every_pair_begins_with_a_blunder(win_chances: list[float]) -> None:
    assert set(plies(win_chances, BOTH)) <= set(plies(win_chances, ONE))


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12), st.floats(0.1, 1.0), st.sampled_from([ONE, BOTH]))
def test_relaxed_thresholds_lose_nothing(win_chances: list[float], share: float, rules: MiningRules) -> None:
    assert set(plies(win_chances, rules)) <= set(plies(win_chances, rules, share))


HEAD = b'[Event "x"]\n[Site "y"]\n'
TAGS = HEAD + b"\n"


def texts(path: Path) -> list[bytes]:
    with open_archive(str(path)) as archive:
        return [game.text for game in split_games(archive.chunks())]


def looked_into(games: list[bytes], rules: MiningRules) -> set[int]:
    """Return the numbers of the games that need a worker."""
    found = prefilter([b"".join(games)], Settings("", rules))
    return {item.number for item in found if isinstance(item, RawGame)}


def holds_triple(text: bytes, rules: MiningRules) -> bool:
    try:
        game = read_game(RawGame(1, 0, text))
    except SkipGame:
        return False
    return bool(find_triples(game.win_chances, game.start.turn, rules))


@pytest.fixture(scope="module")
def samples() -> list[bytes]:
    return [text for text in texts(SAMPLE_GAMES) if b"[%eval" in text]


@pytest.mark.parametrize("pattern", Pattern)
def test_sample_games_are_looked_into_for_their_triples_only(samples: list[bytes], pattern: Pattern) -> None:
    rules = MiningRules(pattern=pattern)
    expected = {number for number, text in enumerate(samples, 1) if holds_triple(text, rules)}
    assert looked_into(samples, rules) == expected


@pytest.fixture(scope="module", params=["lichess_games_eval.pgn.zst", "lichess_games_natural.pgn.zst"])
def real(data: Path, request: pytest.FixtureRequest) -> tuple[list[bytes], list[bytes]]:
    """The real games of a file that need a worker, and the others."""
    games = texts(data / request.param)
    looked = looked_into(games, BOTH)
    return [games[number - 1] for number in looked], [
        text for number, text in enumerate(games, 1) if number not in looked
    ]


def test_real_games_with_triples_are_looked_into(real: tuple[list[bytes], list[bytes]]) -> None:
    _, others = real
    assert [text for text in others if holds_triple(text, BOTH)] == []


def test_hardly_a_real_game_is_looked_into_for_nothing(real: tuple[list[bytes], list[bytes]]) -> None:
    looked, others = real
    evaluated = [text for text in looked if b"[%eval" in text]
    idle = [text for text in evaluated if not holds_triple(text, BOTH)]
    assert len(idle) <= sum(b"[%eval" in text for text in looked + others) // 100


def parts(text: bytes) -> list[bytes]:
    """Cut a game into tags, moves with their numbers, comments and the text between them."""
    return re.findall(rb"\[[A-Z][^\n]*\n|\{[^}]*\}|[^\s{}]+|\s", text)


MUTANTS = [
    b"", b" ", b"\n", b"\n\n", b"(", b")", b"(1. d4)", b"$2", b"?!", b"e4", b"Nf3", b"--", b"O-O", b"e8=Q#",
    b"{ [%eval 9.1] }", b"{ [%eval -9.15] [%clk 0:00:01] }", b"{ [%eval #-3] }", b"{ [%eval #2] }",
    b"{ [%eval 0.17,20] }", b"{ [%eval 12] }", b"{ [%eval 0,5] }", b"{ [%eval ] }", b"{ mistake }",
    b"{[%eval 5.0]}", b"{ [%eval 0.1] [%eval 9.0] }", b"{", b"}", b";", b"%", b"1-0", b"*", b"\r", b"\x0b",
    "\u2028".encode(), b"[%eval 3.0]", b"#", b"Qh4", b"12...", b'[FEN "x"]', b'[Variant "Horde"]\n',
]  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, games: list[bytes]) -> bytes:
    """Draw a game with a few of its parts dropped, doubled, exchanged or replaced."""
    pieces = parts(draw(st.sampled_from(games)))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(pieces) - 1))
        other = draw(st.integers(0, len(pieces) - 1))
        match draw(st.sampled_from(["drop", "double", "exchange", "replace", "insert", "cut"])):
            case "drop":
                pieces[place] = b""
            case "double":
                pieces[place] += b" " + pieces[place]
            case "exchange":
                pieces[place], pieces[other] = pieces[other], pieces[place]
            case "replace":
                pieces[place] = draw(st.sampled_from(MUTANTS))
            case "insert":
                pieces[place] += draw(st.sampled_from(MUTANTS))
            case "cut":
                pieces[place] = pieces[place][: len(pieces[place]) // 2]
    return b"".join(pieces)


SHORT_GAMES = [text for text in texts(SAMPLE_GAMES) if b"[%eval" in text and len(text) < 2500][:12]


@pytest.mark.parametrize("pattern", Pattern)
@given(st.lists(mutated(SHORT_GAMES), min_size=1, max_size=3))
def test_no_triple_is_skipped_whatever_the_text(pattern: Pattern, games: list[bytes]) -> None:
    rules = MiningRules(pattern=pattern)
    text = b"".join(games)
    looked = {item.number for item in prefilter([text], Settings("", rules)) if isinstance(item, RawGame)}
    for game in split_games([text]):
        if holds_triple(game.text, rules):
            assert game.number in looked


# White goes from even to lost to even again.
BLUNDERS = (
    b"1. e4 { [%eval 0.20] } 1... e5 { [%eval 0.20] } 2. Qh5 { [%eval -6.00] } 2... Ke7 { [%eval 6.00] } "
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BLUNDERS + b"*", id="as on Lichess"),
        pytest.param(BLUNDERS.replace(b"} 2.", b"[%clk 0:01:00] } 2."), id="clocks"),
        pytest.param(BLUNDERS.replace(b"Qh5", b"Qh5??"), id="signs"),
        pytest.param(BLUNDERS.replace(b"6.00", b"6.0"), id="one decimal"),
        pytest.param(BLUNDERS.replace(b"-6.00", b"#-3").replace(b"6.00", b"#12"), id="mates"),
        pytest.param(BLUNDERS.replace(b"6.00", b"600.00"), id="three digits"),
    ],
)
def test_blunders_are_seen(text: bytes) -> None:
    assert looked_into([TAGS + text + b" *\n\n"], MiningRules()) == {1}


QUIET = b"1. e4 { [%eval 0.20] } 1... e5 { [%eval 0.20] } 2. Qh5 { [%eval 0.10] } 2... Nc6 { [%eval 0.30] }"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(QUIET + b" 1/2-1/2", id="as on Lichess"),
        pytest.param(QUIET.replace(b"0.30 ]", b"0.3 ] [%clk 0:01:00]") + b" *", id="clocks"),
        pytest.param(QUIET + b" 3. Bc4 { [%eval #1] } 3... Nf6?? { [%eval #1] } 4. Qxf7# 1-0", id="mate"),
        pytest.param(
            QUIET + b" 3. Bc4 { [%eval #1] } 3... Nf6?? { [%eval #1] } 4. Qxf7# { [%clk 0:00:01] } 1-0",
            id="mate with a clock",
        ),
    ],
)
def test_quiet_games_are_skipped(text: bytes) -> None:
    assert looked_into([TAGS + text + b"\n\n"], MiningRules()) == set()


def spans(chunks: list[bytes], settings: Settings) -> Iterator[SkippedSpan]:
    return (item for item in prefilter(chunks, settings) if isinstance(item, SkippedSpan))


def test_quiet_games_in_a_row_are_one_span() -> None:
    game = TAGS + QUIET + b" 1-0\n\n"
    # The last game may go on, and comes by itself.
    first, _ = spans([game * 100], Settings("", MiningRules()))
    assert (first.number, first.games, first.end) == (99, 99, 99 * len(game))


@given(st.lists(mutated(SHORT_GAMES), max_size=4), st.integers(1, 3000), st.integers(0, 6))
def test_games_are_counted_as_they_are_split(games: list[bytes], size: int, most: int) -> None:
    text = b"".join(games)
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    expected = list(split_games([text]))[:most]
    items = list(prefilter(chunks, Settings("", MiningRules()), most=most))
    assert sum(item.games if isinstance(item, SkippedSpan) else 1 for item in items) == len(expected)
    assert [item.end for item in items if isinstance(item, RawGame)] == [
        expected[item.number - 1].end for item in items if isinstance(item, RawGame)
    ]
    assert all(item.text == expected[item.number - 1].text for item in items if isinstance(item, RawGame))
    assert all(text[: item.end].endswith(item.tail) for item in items if isinstance(item, SkippedSpan))


@pytest.mark.parametrize("pattern", Pattern)
@given(st.integers(0, 10_000), st.integers(1, 80))
def test_the_bytes_say_what_the_parsed_game_says(pattern: Pattern, seed: int, plies: int) -> None:
    rules = MiningRules(pattern=pattern)
    text = random_game(random.Random(seed), plies)
    game = read_game(RawGame(1, 0, text))
    assert game.evaluated
    assert (looked_into([text], rules) == set()) == (not find_triples(game.win_chances, chess.WHITE, rules))


def random_game(chance: random.Random, plies: int) -> bytes:
    board, words = chess.Board(), []
    for ply in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = chance.choice(moves)
        san = board.san(move)
        board.push(move)
        evaluation = chance.choice(
            [f"{chance.gauss(0, 1.2):.2f}", "#3", "#-4"] if chance.random() < 0.1 else ["0.2"]
        )
        comment = "" if board.is_checkmate() else f" {{ [%eval {evaluation}] [%clk 0:01:00] }}"
        words.append(f"{ply // 2 + 1}{'.' if ply % 2 == 0 else '...'} {san}{comment}")
    return TAGS + " ".join(words).encode() + b" 1/2-1/2\n\n"


TWICE = BLUNDERS.replace(b"20] }", b"20] [%eval 0.2] }", 1)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TAGS + b"1. e4 e5 *", id="no evaluations"),
        pytest.param(TAGS + b"1. e4 { [%eval 0.1] } e5 *", id="one is missing"),
        pytest.param(TAGS + b"1. e4 { [%eval 0.1] } (1. d4 { [%eval 0.1] }) *", id="variation"),
        pytest.param(HEAD + b'[FEN "x"]\n\n' + QUIET + b" *", id="set up"),
        pytest.param(HEAD + b'[F\x7fEN "x"]\n\n' + QUIET + b" *", id="set up, with a control character"),
        pytest.param(HEAD + b'[x "y\x0b[FEN z]"]\n\n' + QUIET + b" *", id="set up in another tag"),
        pytest.param(HEAD + b'[Variant "Horde"]\n\n' + QUIET + b" *", id="variant"),
        # The evaluations are one more than the moves, so that a triple could be read out of step.
        pytest.param(TAGS.replace(b"x", b"{ [%eval 0.2]") + BLUNDERS + b"*", id="in a tag"),
        pytest.param(TAGS.replace(b"x", b"}") + TWICE + b"*", id="two of a move, and a brace in a tag"),
        pytest.param(TAGS + BLUNDERS.replace(b"20] }", b"20] { [%eval 0.2] }", 1) + b"*", id="nested"),
        pytest.param(TAGS + TWICE + b"*", id="two of a move"),
        pytest.param(TAGS + BLUNDERS + b"3. Qxe5# [%eval 0.1] 1-0", id="outside"),
    ],
)
def test_what_the_bytes_cannot_tell_needs_a_worker(text: bytes) -> None:
    assert looked_into([text + b"\n\n"], MiningRules()) == {1}


def test_games_without_evaluations_are_counted() -> None:
    games = [TAGS + b"1. e4 e5 *\n\n", TAGS + QUIET + b" *\n\n", TAGS + b"1. e4 *\n\n"]
    (span,) = prefilter([b"".join(games)], Settings("", MiningRules(), evaluated_only=True), most=2)
    assert isinstance(span, SkippedSpan)
    assert span.skipped == {Skip.NO_EVALUATIONS: 1}
