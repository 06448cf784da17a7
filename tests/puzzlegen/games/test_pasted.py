"""Games that are pasted to search for one of their positions, and addresses of games on Lichess."""

from __future__ import annotations

from collections.abc import Iterator

import chess
import pytest

from chess_motif.errors import DownloadError, InputError
from puzzlegen.games.accounts import LICHESS, SITES
from puzzlegen.games.pasted import is_pgn, pasted_game
from tests.helpers.game_servers import GameServer, ReceivedRequest, Reply, running

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
AFTER_NF3 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1"

VARIED = '[Event "?"]\n[Site "https://lichess.org/abcdefgh"]\n\n1. e4 (1. d4 d5) e5 {best} 2. Nf3 *\n'
CHAPTER = f'[Event "Study"]\n[FEN "{MATE_IN_ONE}"]\n[SetUp "1"]\n\n*\n'


class OneGame(GameServer):
    """Has one game, and one chapter of a study, which has a position only."""

    def reply(self, request: ReceivedRequest) -> Reply:
        pages = {"/game/export/abcdefgh": VARIED, "/api/study/studyABC/chapter1.pgn": CHAPTER}
        text = pages.get(request.path)
        return Reply(404) if text is None else Reply(200, f"{text}\n\n".encode())


@pytest.fixture
def lichess(monkeypatch: pytest.MonkeyPatch) -> Iterator[OneGame]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = OneGame()
    with running(server):
        monkeypatch.setitem(SITES, LICHESS, server.site("lichess.org"))
        yield server


def fen_of(text: str) -> str:
    game = pasted_game(text)
    assert game is not None
    return game.board.fen()


@pytest.mark.parametrize(
    ("text", "fen"),
    [
        ("1. e4 e5 2. Nf3", AFTER_NF3),
        ("1.e4", AFTER_E4),
        ("e4 e5 Nf3", AFTER_NF3),
        ("1. e4 e5 2. Nf3 #1", AFTER_E4),
        ("1. e4 e5 2. Nf3#1", AFTER_E4),
        ("1. e4 e5 2. Nf3 #99", AFTER_NF3),
        (VARIED, AFTER_NF3),
        (f"{VARIED}#1", AFTER_E4),
        # In a field of one line, the tags stand in one.
        (VARIED.replace("\n", " "), AFTER_NF3),
        (f'[FEN "{MATE_IN_ONE}"]\n\n1. Re8#', "4R1k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1"),
        (CHAPTER, MATE_IN_ONE),
        (f"https://lichess.org/analysis/{AFTER_E4.replace(' ', '_')}?color=black#1", AFTER_E4),
        (f"lichess.org/analysis/standard/{AFTER_E4.replace(' ', '_')}", AFTER_E4),
        (f"https://lichess.org/editor/{AFTER_E4.replace(' ', '%20')}", AFTER_E4),
    ],
)
def test_a_game_means_its_last_position_or_a_chosen_one(text: str, fen: str) -> None:
    assert fen_of(text) == fen


@pytest.mark.parametrize(
    "text", [AFTER_E4, "00sHx", "https://lichess.org/training/00sHx", "https://lichess.org", ""]
)
def test_other_texts_are_no_games(text: str) -> None:
    assert not is_pgn(text)
    assert pasted_game(text) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no such puzzle", "no game and no position"),
        ("1. e4 e5 2. Ke3", "illegal"),
        ('[Variant "Atomic"]\n\n1. e4', "variant: Atomic"),
        ("lichess.org/analysis/8/8/8/8_w", "not a FEN"),
        ("[", "no game and no position"),
        # A byte of an argument that is not UTF-8.
        ("no \udcfe", "no game and no position"),
    ],
)
def test_what_cannot_be_used_says_so(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        pasted_game(text)


@pytest.mark.parametrize(
    ("address", "fen"),
    [
        ("https://lichess.org/abcdefgh", AFTER_NF3),
        ("lichess.org/abcdefghWXYZ/black#1", AFTER_E4),
        ("https://lichess.org/study/studyABC/chapter1", MATE_IN_ONE),
    ],
)
def test_a_game_on_lichess_is_downloaded(lichess: OneGame, address: str, fen: str) -> None:
    assert fen_of(address) == fen


def test_it_is_downloaded_once(lichess: OneGame) -> None:
    for ply in range(3):
        fen_of(f"https://lichess.org/abcdefgh#{ply}")
    assert len(lichess.requests) == 1


def test_each_position_of_a_game_has_a_short_text(lichess: OneGame) -> None:
    for text in (VARIED, "https://lichess.org/abcdefgh", f'[FEN "{MATE_IN_ONE}"]\n\n1. Re8#'):
        game = pasted_game(text)
        assert game is not None
        assert [fen_of(game.at(ply)) for ply in range(len(game.moves) + 1)] == [
            board.fen() for board in positions(game.start, game.moves)
        ]


def positions(board: chess.Board, moves: tuple[chess.Move, ...]) -> Iterator[chess.Board]:
    yield board
    for move in moves:
        board = board.copy()
        board.push(move)
        yield board


def test_a_game_that_nobody_may_see(lichess: OneGame) -> None:
    with pytest.raises(InputError, match="shows nobody a game at /game/export/zzzzzzzz"):
        pasted_game("https://lichess.org/zzzzzzzz")


@pytest.mark.parametrize("fault", [Reply(503), Reply(200, b"[Event", cut=3), Reply(429)])
def test_lichess_cannot_be_reached(lichess: OneGame, fault: Reply) -> None:
    lichess.faults = [fault]
    with pytest.raises(DownloadError, match=r"lichess\.org cannot be asked for the game"):
        pasted_game("https://lichess.org/abcdefgh")
