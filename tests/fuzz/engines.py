"""Hostile engines: their output by itself, and in the commands that search with them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import chess

from chess_motif.errors import EngineFailedError
from engines.engine import Engine
from engines.search_cache import CachedEngine
from tests.fuzz.case import CONTROL, DATABASE, FEN, GAMES, PUZZLE, FuzzCase, chosen, require, run
from tests.helpers.pool_here import mining_in

# Seconds for which a search waits for an engine that says nothing.
_PATIENCE = 0.2

# Says what is in a file. A last line without an end goes on for ever; otherwise `go` ends it.
_ENGINE = """#!/bin/sh
cat "{file}"
while [ -n "$(tail -c 1 "{file}")" ] && cat "{file}"; do :; done
while read -r line; do case $line in go*|quit) exit;; esac; done
"""

# In what an engine answers, the n-th legal move of the position that the line has reached.
_MOVE = re.compile(rb"\{(\d)\}")

# The commands that search. One puzzle is enough.
_COMMANDS = (
    ("puzzlegen", "show", PUZZLE, "--tree"),
    ("puzzlegen", "audit", "--random", "1", "--seed", "1", "--workers", "1"),
    ("puzzlegen", "simplify", PUZZLE),
    ("motifsearch", "similar", FEN, "--why"),
    ("puzzlegen", "mine", str(GAMES), "--pattern", "blunder"),
    ("motifsearch", "train", str(GAMES), "--player", "ann"),
)


def search_with_engine(case: FuzzCase) -> None:
    """Search with an engine that says what is in the file. What is believed must be possible."""
    program = case.folder / "engine"
    program.write_text(_ENGINE.format(file=case.file))
    program.chmod(0o755)
    with patch.multiple("engines.engine", LEAST_SECONDS=_PATIENCE, ATTEMPTS=1):
        try:
            with Engine(str(program), grace=_PATIENCE) as engine:
                require(not CONTROL.search(engine.name), "the engine's name has control characters")
                searcher, board = CachedEngine(engine), chess.Board(FEN)
                found = searcher.search(board, 1000, lines=2)
                require(searcher.search(board, 1000, lines=2) == found, "the cache changes what was found")
                require(engine.nodes >= 0, "negative nodes are believed")
        except EngineFailedError:
            return
    require(len({variation.move for variation in found}) == len(found), "a repeated move is believed")
    for variation in found:
        after = board.copy()
        for move in variation.moves:
            require(after.is_legal(move), f"{'a null' if not move else 'an illegal'} move is believed")
            after.push(move)


def use_engine(case: FuzzCase) -> None:
    """Run a command with an engine that greets and answers as the files say, each time the same."""
    program = case.folder / "engine"
    program.touch(0o755)
    with _engine_here(case.files.get("greeting", b""), case.files.get("answer", b"")), mining_in():
        run(*chosen(_COMMANDS, case), "--engine", program, "--db", case.copy_of(DATABASE))


@contextmanager
def _engine_here(greeting: bytes, answer: bytes) -> Iterator[None]:
    def start(*_: object, **__: object) -> _EngineHere:
        return _EngineHere(greeting, answer)

    with (
        patch("engines.engine.subprocess.Popen", start),
        patch.multiple("engines.engine", ATTEMPTS=1, FIRST_PAUSE_SECONDS=0),
    ):
        yield


class _EngineHere:
    """The process of an engine, its standard input and its standard output in one. It has ended already."""

    pid = 0

    def __init__(self, greeting: bytes, answer: bytes) -> None:
        self.stdin = self.stdout = self
        self._greeting, self._answer = greeting, answer
        self._board = chess.Board()
        self._said: deque[bytes] = deque()

    def write(self, text: bytes) -> None:
        for line in text.splitlines():
            word, _, rest = line.decode().partition(" ")
            if word == "uci":
                self._say(self._greeting)
            elif word == "isready":
                self._say(b"readyok\n")
            elif word == "position":
                self._board = chess.Board(rest.removeprefix("fen "))
            elif word == "go":
                self._say(b"".join(map(self._with_moves, self._answer.splitlines(keepends=True))))

    def _say(self, text: bytes) -> None:
        self._said += text.splitlines(keepends=True)

    def _with_moves(self, line: bytes) -> bytes:
        board = self._board.copy(stack=False)

        def move(match: re.Match[bytes]) -> bytes:
            moves = sorted(board.legal_moves, key=lambda move: move.uci())
            if not moves:
                return b""
            board.push(moves[int(match[1]) % len(moves)])
            return board.peek().uci().encode()

        return _MOVE.sub(move, line)

    def readline(self, most: int) -> bytes:
        """Return the next line, or its beginning. After the last one it is as if the engine had died."""
        line = self._said.popleft() if self._said else b""
        if len(line) > most:
            self._said.appendleft(line[most:])
        return line[:most]

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def poll(self) -> int:
        return 0

    def wait(self, *_: Any) -> int:
        return 0
