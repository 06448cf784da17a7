"""Positions of games in which move choosers are asked for a move."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

import chess

from chess_motif.errors import InputError
from chess_motif.progress import Progress
from puzzlegen.games.archive import Archive
from puzzlegen.games.pgn import PlayedGame, SkipGame, read_game
from puzzlegen.games.split import RawGame, split_games
from training.parts import shuffle_key

# Plies of a game before its first position that may be asked about: openings are known by heart.
FIRST_PLY = 10


@dataclass(frozen=True)
class Question:
    """A position of a game, and the move that was played in it.

    `board` has the moves that led to the position in its move stack. `key` identifies the game; the players'
    Elo is None where it is not known.
    """

    key: str
    board: chess.Board
    move: chess.Move
    white_elo: int | None
    black_elo: int | None

    @property
    def ply(self) -> int:
        """How many plies of the game came before."""
        return len(self.board.move_stack)

    @property
    def elo(self) -> int | None:
        """The Elo of the player to move, None if it is not known."""
        return self.white_elo if self.board.turn == chess.WHITE else self.black_elo


def sample_questions(
    archive: Archive,
    count: int,
    seed: int = 0,
    *,
    in_memory: Callable[[chess.Board], bool] = lambda board: False,
    known_game: Callable[[str], bool] = lambda key: False,
    progress: Progress | None = None,
) -> list[Question]:
    """Return a random position of each of `count` random games, or of as many as can be used.

    The position has `FIRST_PLY` plies before it and a move after it. What a chooser has in its memory is not
    asked: a game for whose key `known_game` is true is left out, and for a position for which `in_memory` is
    true, another one of the same game is tried. Games that occur again or cannot be used are left out.

    The same games and the same seed give the same questions, in whichever order the games are. The archive is
    read once; no more than `count` positions are in memory. Raises `ArchiveError` if the archive is damaged,
    `InputError` if none of its games can be used.
    """
    # A heap of the games with the smallest hashes, the largest of them on top.
    chosen: list[tuple[int, str, Question]] = []
    keys: set[str] = set()
    for raw in split_games(_chunks(archive, progress or Progress())):
        order = int.from_bytes(shuffle_key(seed, raw.text.strip()))
        # Parsing takes long: only games that would be chosen are parsed.
        if len(chosen) == count and order >= -chosen[0][0]:
            continue
        question = _question(raw, order, in_memory, lambda key: key in keys or known_game(key))
        if question is None:
            continue
        keys.add(question.key)
        heapq.heappush(chosen, (-order, question.key, question))
        if len(chosen) > count:
            keys.remove(heapq.heappop(chosen)[1])
    if not chosen:
        raise InputError(f"{archive.name}: no game has a position that can be asked about")
    return [question for _, _, question in sorted(chosen, reverse=True)]


def _chunks(archive: Archive, progress: Progress) -> Iterator[bytes]:
    for chunk in archive.chunks():
        progress.update(archive.name, archive.consumed(), archive.size, "B")
        yield chunk


def _question(
    raw: RawGame, seed: int, in_memory: Callable[[chess.Board], bool], left_out: Callable[[str], bool]
) -> Question | None:
    """Return a position of a game, chosen by `seed`; None if the game cannot be used."""
    try:
        game = read_game(raw)
    except SkipGame:
        return None
    if left_out(game.key):
        return None
    plies = range(FIRST_PLY, len(game.moves))
    for ply in Random(seed).sample(plies, len(plies)):
        board = _after(game, ply)
        if not in_memory(board):
            row = game.row()
            return Question(game.key, board, game.moves[ply], row.white_elo, row.black_elo)
    return None


def _after(game: PlayedGame, plies: int) -> chess.Board:
    board = game.start.copy()
    for move in game.moves[:plies]:
        board.push(move)
    return board
