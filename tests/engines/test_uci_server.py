"""The protocol, with a player whose choices are written down."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from io import StringIO

import chess
import pytest
from chess.engine import Cp, Limit, PovScore, PovWdl, SimpleEngine, Wdl
from hypothesis import given
from hypothesis import strategies as st

from chess_motif.errors import HumanModelError, InputError
from engines.uci_server import LONGEST_COMMAND, Outcome, serve
from tests.helpers.paths import ROOT
from tests.helpers.scripted_player import ScriptedPlayer

PROGRAM = [sys.executable, "-m", "tests.helpers.scripted_player"]

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


def answers(*commands: str, player: ScriptedPlayer | None = None) -> list[str]:
    """Return the lines that answer some commands."""
    out = StringIO()
    serve(player or ScriptedPlayer(), [f"{command}\n" for command in commands], out)
    return out.getvalue().splitlines()


def best_moves(*commands: str, player: ScriptedPlayer | None = None) -> list[str]:
    """Return the moves that answer some commands."""
    lines = answers(*commands, player=player)
    return [line.removeprefix("bestmove ") for line in lines if line.startswith("bestmove ")]


def calls(*commands: str) -> list[tuple[object, ...]]:
    """Return the methods of the player that some commands call, each with its arguments."""
    player = ScriptedPlayer()
    answers(*commands, player=player)
    return player.log


# Who it is, and whether it is ready


def test_uci_names_the_engine_and_its_options() -> None:
    assert answers("uci") == [
        "id name Scripted 1.0",
        "id author the tests",
        "option name MultiPV type spin default 1 min 1 max 500",
        "option name UCI_ShowWDL type check default true",
        "option name Book Moves type check default true",
        "option name Rating type spin default 1500 min 600 max 2600",
        "option name Style type combo default Calm var Calm var Very Sharp",
        "option name Data File type string default <empty>",
        "uciok",
    ]


@pytest.mark.parametrize(
    ("commands", "called"),
    [
        pytest.param(["uci"], [], id="nothing is loaded before it is needed"),
        pytest.param(["isready"], [("prepare",)], id="ready after loading"),
        pytest.param(["go"], [("prepare",), ("choose", 1)], id="loaded without being asked"),
        pytest.param(["ucinewgame"], [("new_game",)], id="a new game"),
        pytest.param(
            ["setoption name MultiPV value 3", "setoption name UCI_ShowWDL value false"],
            [],
            id="options of the server",
        ),
    ],
)
def test_what_reaches_the_player(commands: list[str], called: list[tuple[object, ...]]) -> None:
    assert calls(*commands) == called


def test_ready_even_if_loading_fails() -> None:
    player = ScriptedPlayer(failures={"prepare": HumanModelError("no network")})
    assert answers("isready", player=player) == ["info string no network", "readyok"]


# Options


@pytest.mark.parametrize(
    ("command", "name", "value"),
    [
        ("setoption name Book Moves value false", "Book Moves", False),
        ("setoption name Book Moves value TRUE", "Book Moves", True),
        ("setoption name Rating value 600", "Rating", 600),
        ("setoption name Rating value 2600", "Rating", 2600),
        ("setoption name Style value very sharp", "Style", "Very Sharp"),
        ("setoption name Data File value /my  games/a.db", "Data File", "/my  games/a.db"),
        ("setoption name Data File", "Data File", ""),
        ("setoption name Data File value <empty>", "Data File", ""),
        ("setoption name Data File value at face value 1", "Data File", "at face value 1"),
        ("  setoption \t name  book   moves  value   true  ", "Book Moves", True),
    ],
)
def test_an_option_is_set(command: str, name: str, value: bool | int | str) -> None:
    assert calls(command) == [("set_option", name, value)]


REFUSED_OPTIONS = [
    ("setoption name Rating value 599", "Rating is a whole number from 600 to 2600, not '599'"),
    ("setoption name Rating value 2601", "Rating is a whole number from 600 to 2600, not '2601'"),
    ("setoption name Rating value high", "Rating is a whole number from 600 to 2600, not 'high'"),
    ("setoption name Rating", "Rating is a whole number from 600 to 2600, not ''"),
    ("setoption name Book Moves value 1", "Book Moves is true or false, not '1'"),
    ("setoption name Style value Wild", "Style is one of Calm, Very Sharp, not 'Wild'"),
    ("setoption name UCI_Chess960 value true", "there is no option 'UCI_Chess960'"),
    ("setoption name", "there is no option ''"),
    ("setoption Rating value 700", "setoption needs `name NAME value VALUE`"),
]


@pytest.mark.parametrize(("command", "reason"), REFUSED_OPTIONS)
def test_why_an_option_is_refused(command: str, reason: str) -> None:
    assert answers(command) == [f"info string {reason}"]


@pytest.mark.parametrize("command", [command for command, _ in REFUSED_OPTIONS])
def test_a_refused_option_changes_nothing(command: str) -> None:
    assert calls(command) == []


def test_an_option_that_the_player_refuses() -> None:
    player = ScriptedPlayer(failures={"set_option": InputError("no such file")})
    assert answers("setoption name Data File value x", player=player) == ["info string no such file"]


# Positions


@pytest.mark.parametrize(
    ("command", "fen"),
    [
        ("", chess.STARTING_FEN),
        ("position startpos", chess.STARTING_FEN),
        ("position startpos moves", chess.STARTING_FEN),
        ("position \t startpos   moves e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
        ("position fen 8/P6k/8/8/8/8/8/K7 w - - 3 60 moves a7a8q", "Q7/7k/8/8/8/8/8/K7 b - - 0 60"),
        ("position fen 8/P6k/8/8/8/8/8/K7 w - -", "8/P6k/8/8/8/8/8/K7 w - - 0 1"),
        ("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
    ],
)
def test_a_position_reaches_the_player(command: str, fen: str) -> None:
    player = ScriptedPlayer()
    answers(command, "go", player=player)
    assert player.board.fen() == fen


def test_the_player_knows_the_moves_before() -> None:
    player = ScriptedPlayer()
    answers("position startpos moves g1f3 g8f6", "go", player=player)
    assert [move.uci() for move in player.board.move_stack] == ["g1f3", "g8f6"]


def test_a_player_that_changes_its_board_does_not_change_the_position() -> None:
    assert best_moves("go", "go") == ["h2h4", "h2h4"]


REFUSED_POSITIONS = [
    ("position", "position needs `startpos` or `fen FEN`, and then `moves` if there are any"),
    ("position startpos e2e4", "position needs `startpos` or `fen FEN`, and then `moves` if there are any"),
    ("position fen", "not a FEN: empty fen"),
    ("position fen 8/8/8 w - - 0 1", "not a FEN: expected 8 rows in position part of fen: '8/8/8'"),
    ("position fen 8/8/8/8/8/8/8/K7 w - - 0 1", "illegal position: Black has no king: "),
    (
        "position fen nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w KQkq - 0 1",
        "illegal position: castling rights without king and rook on their home squares: ",
    ),
    ("position startpos moves e2e4 e7e6 e4e6", "the move e4e6 is not legal: the pawn on e4 cannot go to e6"),
    ("position startpos moves Nf3", "'Nf3' is not a move in UCI notation"),
    ("position startpos moves 0000", "'0000' is a null move, which is not legal"),
]


@pytest.mark.parametrize(("command", "reason"), REFUSED_POSITIONS)
def test_why_a_position_is_refused(command: str, reason: str) -> None:
    (line,) = answers(command)
    assert line.startswith(f"info string {reason}")


@pytest.mark.parametrize("command", [command for command, _ in REFUSED_POSITIONS])
def test_no_move_is_chosen_in_a_refused_position(command: str) -> None:
    assert answers("position startpos", command, "go")[1:] == [
        "info string there is no position: the last one was refused",
        "bestmove (none)",
    ]


# Choosing moves


@pytest.mark.parametrize("arguments", ["", "wtime 300000 btime 300000 movestogo 40", "depth many joho"])
def test_go_answers_at_once(arguments: str) -> None:
    assert answers(f"go {arguments}") == ["info depth 1 pv h2h4", "bestmove h2h4"]


def test_notes_come_before_the_move_and_comments_after_it() -> None:
    player = ScriptedPlayer("e2e4", notes=["no network", "no book"], comment="e4 12 games")
    assert answers("go", player=player) == [
        "info string no network",
        "info string no book",
        "info depth 1 pv e2e4",
        "info string e4 12 games",
        "bestmove e2e4",
    ]


def test_a_comment_stays_on_its_line() -> None:
    player = ScriptedPlayer(comment="a\nbestmove a2a3\x1b[2J")
    assert answers("go", player=player)[1] == "info string a bestmove a2a3[2J"


@pytest.mark.parametrize(
    ("outcome", "score"),
    [
        (Outcome(0.5, 0.2, 0.3), "cp 110 wdl 500 200 300"),
        (Outcome(0.3, 0.2, 0.5), "cp -110 wdl 300 200 500"),
        (Outcome(0.25, 0.5, 0.25), "cp 0 wdl 250 500 250"),
        (Outcome(1.0, 0.0, 0.0), "cp 2690 wdl 1000 0 0"),
        # Rounded, they would be 1001 together.
        (Outcome(0.0125, 0.9748, 0.0127), "cp 0 wdl 12 975 13"),
    ],
)
def test_a_score_is_the_expected_outcome(outcome: Outcome, score: str) -> None:
    player = ScriptedPlayer("e2e4", outcome=outcome)
    assert answers("go", player=player)[0] == f"info depth 1 score {score} pv e2e4"


def test_the_shares_of_a_score_can_be_left_out() -> None:
    player = ScriptedPlayer("e2e4", outcome=Outcome(0.25, 0.5, 0.25))
    lines = answers("setoption name UCI_ShowWDL value false", "go", player=player)
    assert lines[0] == "info depth 1 score cp 0 pv e2e4"


def test_a_move_that_mates_has_no_centipawns() -> None:
    player = ScriptedPlayer("d8h4", outcome=Outcome(1.0, 0.0, 0.0))
    lines = answers("position startpos moves f2f3 e7e5 g2g4", "go", player=player)
    assert lines[0] == "info depth 1 score mate 1 wdl 1000 0 0 pv d8h4"


# Several variations


def test_several_variations_are_numbered() -> None:
    player = ScriptedPlayer(comment="known")
    assert answers("setoption name multipv value 2", "go", player=player) == [
        "info depth 1 multipv 1 pv h2h4",
        "info depth 1 multipv 2 pv h2h3",
        "info multipv 1 string known",
        "info multipv 2 string known",
        "bestmove h2h4",
    ]


def test_there_are_no_more_variations_than_moves() -> None:
    lines = answers("setoption name MultiPV value 500", "go searchmoves a2a3 b2b3")
    assert [line for line in lines if "multipv" in line] == [
        "info depth 1 multipv 1 pv b2b3",
        "info depth 1 multipv 2 pv a2a3",
    ]


@pytest.mark.parametrize("fen", [MATED, STALEMATE])
def test_there_is_no_move_in_a_finished_game(fen: str) -> None:
    assert answers(f"position fen {fen}", "go") == ["bestmove (none)"]


@pytest.mark.parametrize(
    ("arguments", "move"),
    [
        ("searchmoves e2e4 d2d4", "e2e4"),
        ("depth 3 searchmoves d2d4", "d2d4"),
        ("searchmoves d2d4 depth 3", "d2d4"),
        ("searchmoves e2e5 d2d4", "d2d4"),
        ("searchmoves", "h2h4"),
        ("searchmoves e2e5", "(none)"),
        ("searchmoves 0000", "(none)"),
    ],
)
def test_the_move_is_one_of_those_to_search(arguments: str, move: str) -> None:
    assert best_moves(f"go {arguments}") == [move]


# Failures of the player


@pytest.mark.parametrize("method", ["prepare", "choose"])
def test_a_player_that_fails_still_moves(method: str) -> None:
    player = ScriptedPlayer(failures={method: HumanModelError("no network")})
    assert answers("position startpos moves e2e4", "go searchmoves a7a6", player=player) == [
        "info string no network",
        "info string this is only the first move allowed",
        "info depth 1 pv a7a6",
        "bestmove a7a6",
    ]


@pytest.mark.parametrize("move", ["e2e5", "d2d4", "0000"])
def test_a_move_that_is_not_allowed_is_not_played(move: str) -> None:
    player = ScriptedPlayer(move)
    assert answers("go searchmoves e2e4", player=player) == [
        f"info string Scripted 1.0 chose {move}, which is not allowed here",
        "info string this is only the first move allowed",
        "info depth 1 pv e2e4",
        "bestmove e2e4",
    ]


def test_a_fault_of_the_player_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        answers("go", player=ScriptedPlayer(failures={"choose": ZeroDivisionError()}))


# Conversations

FIRST, BEST = "info depth 1 pv h2h4", "bestmove h2h4"


@pytest.mark.parametrize(
    "arguments", ["infinite", "ponder", "wtime 1000 ponder", "infinite searchmoves h2h4"]
)
def test_the_move_is_held_back(arguments: str) -> None:
    assert answers(f"go {arguments}") == [FIRST]


@pytest.mark.parametrize(
    "command",
    [
        *("stop", "ponderhit", "debug on", "debug off", "debug", "register later"),
        *("register name A code 1", "joho debug on", "", " ", "\t", "\x00", "\x1b", "\r"),
    ],
)
def test_a_command_without_an_answer(command: str) -> None:
    assert answers(command) == []


CONVERSATIONS = {
    "an infinite search": (["go infinite", "stop"], [FIRST, BEST]),
    "pondering that was right": (["go ponder", "ponderhit"], [FIRST, BEST]),
    "pondering that was wrong": (["go ponder", "stop"], [FIRST, BEST]),
    "an infinite search does not end by ponderhit": (["go infinite", "ponderhit"], [FIRST]),
    "a move is sent once": (["go ponder", "ponderhit", "stop", "ponderhit"], [FIRST, BEST]),
    "that there is no move is held back": (
        [f"position fen {MATED}", "go infinite", "isready", "stop"],
        ["readyok", "bestmove (none)"],
    ),
    "ready while a move is held back": (["go infinite", "isready", "stop"], [FIRST, "readyok", BEST]),
    "each search gets a move": (["go infinite", "go"], [FIRST, BEST, FIRST, BEST]),
    "a good position after a refused one": (
        ["position fen", "position startpos", "go"],
        ["info string not a FEN: empty fen", FIRST, BEST],
    ),
    "one variation after several": (
        ["setoption name MultiPV value 3", "setoption name MultiPV value 1", "go"],
        [FIRST, BEST],
    ),
    "unknown words before a command": (["joho  isready"], ["readyok"]),
    "an unknown command": (["joho on"], ["info string unknown command: joho on"]),
    "escape sequences": (["\x1b[2Jjoho\x9b1m"], ["info string unknown command: [2Jjoho1m"]),
    "a line that is too long": (
        ["isready ".ljust(LONGEST_COMMAND)],
        ["info string a command of 131,073 characters (at most 131,072)"],
    ),
    "quit": (["isready", "quit", "isready"], ["readyok"]),
}


@pytest.mark.parametrize(("commands", "said"), CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_a_conversation(commands: list[str], said: list[str]) -> None:
    assert answers(*commands) == said


def test_an_answer_is_short() -> None:
    (line,) = answers("x" * (LONGEST_COMMAND - 1))
    assert len(line) < 1_100


def test_a_position_that_is_too_long_is_refused() -> None:
    assert best_moves("position startpos".ljust(LONGEST_COMMAND), "go") == ["(none)"]


def test_the_longest_game_is_short_enough() -> None:
    cycle = "g1f3 g8f6 f3g1 f6g8 "
    player = ScriptedPlayer()
    answers(f"position startpos moves {17_696 // 4 * cycle}g1f3", "go", player=player)
    assert player.board.ply() == 17_697


WORDS = """
    uci isready setoption name value Rating 700 Style ucinewgame position startpos fen 8/8/8/8/8/8/8/8 w -
    KQkq moves e2e4 e7e5 N@e4 go searchmoves infinite ponder depth 1 ponderhit stop debug on register
"""
LINES = st.text() | st.lists(st.sampled_from(WORDS.split()) | st.text(max_size=5)).map(" ".join)


@given(st.lists(LINES))
def test_no_line_is_too_odd(lines: list[str]) -> None:
    known = ("id ", "option ", "uciok", "readyok", "info ", "bestmove ")
    assert [line for line in answers(*lines) if not line.startswith(known)] == []


@given(st.lists(st.just("position fen") | st.just(" moves ") | st.text("Kk8/ wb-KQq0123[]+")).map(" ".join))
def test_no_fen_is_too_odd(command: str) -> None:
    assert best_moves(command, "go") != []


# How it ends


def test_an_interruption_ends_it() -> None:
    def interrupted() -> Iterator[str]:
        yield "isready\n"
        raise KeyboardInterrupt

    out = StringIO()
    serve(ScriptedPlayer(), interrupted(), out)
    assert out.getvalue() == "readyok\n"


def test_each_answer_is_flushed() -> None:
    class Pipe(StringIO):
        flushed = ""

        def flush(self) -> None:
            self.flushed = self.getvalue()

    out, unflushed = Pipe(), []

    def commands() -> Iterator[str]:
        for command in ("uci", "isready", "joho", "go", "go infinite", "stop"):
            yield command
            unflushed.append(out.getvalue().removeprefix(out.flushed))

    serve(ScriptedPlayer(), commands(), out)
    assert unflushed == [""] * 6


# As a program


def test_bytes_that_are_not_text() -> None:
    sent = b"\xff\xfe\x00\nisready\r\n"
    done = subprocess.run(PROGRAM, cwd=ROOT, input=sent, capture_output=True, check=True)
    assert done.stdout.decode().splitlines() == ["info string unknown command: \ufffd\ufffd", "readyok"]


def test_an_output_that_nobody_reads() -> None:
    with subprocess.Popen(
        PROGRAM, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, errors = process.communicate(b"uci\nisready\n")
    assert (process.returncode, errors) == (0, b"")


@pytest.fixture
def engine() -> Iterator[SimpleEngine]:
    """The program, as python-chess runs engines."""
    with SimpleEngine.popen_uci(PROGRAM, cwd=ROOT) as engine:
        yield engine


def test_a_chess_program_plays_with_it(engine: SimpleEngine) -> None:
    board = chess.Board()
    for _ in range(4):
        move = engine.play(board, Limit(time=0.1)).move
        assert move is not None
        board.push(move)
    assert [move.uci() for move in board.move_stack] == ["h2h4", "h7h6", "h4h5", "h8h7"]


def test_a_chess_program_stops_it(engine: SimpleEngine) -> None:
    with engine.analysis(chess.Board()) as analysis:
        analysis.stop()
        assert analysis.wait().move == chess.Move.from_uci("h2h4")


def test_a_chess_program_gets_all_of_several_variations(engine: SimpleEngine) -> None:
    engine.configure({"Rating": 1800})
    found = engine.analyse(chess.Board(), Limit(depth=5), multipv=3)
    assert [info["pv"][0].uci() for info in found] == ["h2h4", "h2h3", "g2g4"]
    for info in found:
        assert info["string"] == "rated 1800"
        assert info["score"] == PovScore(Cp(110), chess.WHITE)
        assert info["wdl"] == PovWdl(Wdl(500, 200, 300), chess.WHITE)
