"""A UCI engine that plays the first legal move, and misbehaves as its arguments say.

    fake_engine.py STATE [FAULT@WHEN]...

STATE is a file that counts the searches of all processes started so far. FAULT is one of hang, die,
garbage, flood, empty, late, murder (of the process that started it), and WHEN the number of a search
(from 1), `always`, or `start`. FAULT may also be one of `LIES` about the position, which are believable
except for one thing, or of the true `ANSWERS`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

# Makes such an engine of its faults, and returns the command that starts it.
FakeEngine = Callable[..., str]

GOOD = "info depth 1 multipv 1 score cp 5 nodes 10 pv a2a3"
LIES = {
    "illegal": [GOOD.replace("a2a3", "a1a1")],
    "null": [GOOD.replace("a2a3", "0000")],
    "unscored": [GOOD.replace("score cp 5 ", "")],
    "comment": [GOOD.replace("info", "info string")],
    "huge": [GOOD.replace("cp 5", "cp " + "9" * 400)],
    "mated": [GOOD.replace("cp 5", "mate 0")],
    "remote": [GOOD.replace("cp 5", "mate 5000")],
    "negative": [GOOD.replace("nodes 10", "nodes -10")],
    "countless": [GOOD.replace("nodes 10", "nodes 1" + 20 * "0")],
    "zeroth": [GOOD, GOOD.replace("multipv 1", "multipv 0")],
    "third": [GOOD, GOOD.replace("multipv 1", "multipv 3")],
    "single": [GOOD],
    "again": [GOOD, "bestmove a2a3"],
    "repeated": [GOOD, GOOD.replace("multipv 1", "multipv 2")],
}
ANSWERS = {
    # The variations of one iteration after those of another.
    "reordered": [
        GOOD.replace("multipv 1", f"multipv {number}").replace("a2a3", move)
        for number, move in ((1, "a2a3"), (2, "b2b3"), (1, "b2b3"), (2, "a2a3"))
    ],
    "lower": [GOOD, "info depth 2 score mate 10 lowerbound nodes 20 pv b2b3"],
    "upper": [GOOD, "info depth 2 nodes 20 pv a2a3 score mate 0 upperbound"],
    "bounds": [
        "info depth 2 score cp 50 lowerbound nodes 20 pv b2b3",
        "info depth 2 score cp -50 upperbound nodes 30 pv c2c3",
    ],
    "bound-first": ["info depth 1 score cp 50 lowerbound nodes 5 pv b2b3", GOOD],
    "second-bound": [
        GOOD,
        "info depth 1 multipv 2 score cp 3 nodes 10 pv b2b3",
        "info depth 2 multipv 1 score cp 7 nodes 20 pv a2a3",
        "info depth 2 multipv 2 score cp 6 lowerbound nodes 30 pv c2c3",
    ],
    # The best move of depth 2 was the second-best one of depth 1.
    "overtaken": [
        GOOD,
        "info depth 1 multipv 2 score cp 3 nodes 10 pv b2b3",
        "info depth 2 multipv 1 score cp 7 nodes 20 pv b2b3",
        "info depth 2 multipv 2 score cp 4 upperbound nodes 30 pv a2a3",
    ],
    "told": [GOOD, "info depth 2 string score cp 900 pv b2b3 multipv 7"],
    "scored-last": ["info nodes 10 pv a2a3 a7a6 score cp 5 depth 1"],
}


def say(line: str, end: str = "\n") -> None:
    sys.stdout.write(line + end)
    sys.stdout.flush()


def misbehave(fault: str) -> None:
    if fault == "hang":
        time.sleep(3600)
    elif fault == "die":
        say("info depth 3 score cp 1", end="")
        sys.exit(1)
    elif fault == "murder":
        os.kill(os.getppid(), signal.SIGKILL)
        sys.exit(1)
    elif fault == "garbage":
        say("\x00\x7f ??? info score pv nodes ]]")
        say("bestmove @@@@")
    elif fault == "flood":
        while True:
            say(2**16 * "x", end="")
    elif fault == "empty":
        while True:
            say(2**10 * "\n", end="")
    elif fault in LIES | ANSWERS:
        say("\n".join([*(LIES | ANSWERS)[fault], "bestmove a2a3"]))
    elif fault == "late":
        time.sleep(1.0)


def search(position: str, lines: int, *, backward: bool) -> None:
    # Only now: many tests start an engine that never gets so far.
    import chess

    start, _, played = position.partition(" moves ")
    board = chess.Board() if start == "startpos" else chess.Board(start.removeprefix("fen "))
    for uci in played.split():
        board.push_uci(uci)
    moves = sorted(board.legal_moves, key=lambda move: move.uci(), reverse=backward)
    for number, move in enumerate(moves[:lines], 1):
        say(f"info depth 1 multipv {number} score cp {20 - number} nodes 100 pv {move.uci()}")
    say(f"bestmove {moves[0].uci()}")


def count(state: Path) -> int:
    """Return the number of a search. Engines that search at the same time get different ones."""
    counter = os.open(state, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(counter, b".")
        return os.lseek(counter, 0, os.SEEK_CUR)
    finally:
        os.close(counter)


def main() -> None:
    state, faults = Path(sys.argv[1]), dict(fault.split("@")[::-1] for fault in sys.argv[2:])
    if "start" in faults:
        misbehave(faults["start"])
    position, lines, backward = "startpos", 1, False
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci"]:
                say("id name Fake 1.0")
                say("option name MultiPV type spin default 1 min 1 max 10")
                say("option name Order of Moves type combo default Forward var Forward var Backward")
                say("uciok")
            case ["isready"]:
                say("readyok")
            case ["setoption"] if "MultiPV" in words:
                lines = int(words[-1])
            case ["setoption"] if "Order" in words:
                backward = words[-1] == "Backward"
            case ["position"]:
                position = line.strip().removeprefix("position ")
            case ["go"]:
                number = count(state)
                fault = faults.get(str(number), faults.get("always", ""))
                misbehave(fault)
                if fault in ("", "late"):
                    search(position, lines, backward=backward)
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
