"""Positions of real games and puzzles come back from a packed file, every one."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import chess
import pytest

from db.packed.file import PackedFile, write_packed
from db.packed.verdicts import Entry
from puzzlegen.games.archive import open_archive
from puzzlegen.games.pgn import usable_games
from puzzlegen.games.split import split_games

GAMES = 60


@pytest.mark.parametrize("name", ["otb_games.pgn.zst", "lichess_games_eval.pgn.zst"])
def test_every_position_of_real_games_comes_back(name: str, data: Path, tmp_path: Path) -> None:
    boards: dict[str, chess.Board] = {}
    with open_archive(str(data / name)) as archive:
        for game in islice(usable_games(split_games(archive.chunks())), GAMES):
            boards |= {board.epd(): board for board in game.positions()}
    header = write_packed(tmp_path / "games.pos", (Entry(board, []) for board in boards.values()))
    with PackedFile(tmp_path / "games.pos") as packed:
        assert {entry.board.epd() for entry in packed.entries()} == set(boards)
    assert header.positions == len(boards)
