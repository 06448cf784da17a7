"""How fast the prefilter finds candidates in an archive, compared with decompression alone.

    python -m benchmarks.prefilter GAMES.pgn.zst [--megabytes 500] [--order shuffled]

Repeats the games of GAMES until there are as many megabytes of text as asked for, and compresses them with
zstd. With `--order shuffled`, each repetition has another order, so that zstd does not find a copy of each
game just before. Then `zstd -dc FILE | wc -c`, `puzzlegen mine` up to its workers, and the prefilter alone on
text in memory are run in turn; the best time of each counts. Prints a table, for all games and for
`--evaluated-only`. CPU seconds are those of all threads and processes, and more reliable than the clock on a
busy machine. The prefilter's speed is by CPU time, and so that of one core.
"""

from __future__ import annotations

import random
import resource
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.command import parser_for, run
from chess_motif.parallel import read_ahead
from chess_motif.tables import table
from puzzlegen.candidates import Settings, SkippedSpan, prefilter
from puzzlegen.games.archive import CHUNK, games_of, open_archive
from puzzlegen.rules import MiningRules

MEGABYTE = 1_000_000

# Megabytes of text in memory for the prefilter alone.
IN_MEMORY = 50

# The number of runs, of which the best counts.
TIMES = 3


def pack_repeated(games: list[bytes], megabytes: int, shuffled: bool, file: Path) -> int:
    """Write the games to a Zstandard file again and again; return the bytes of text."""
    games, order, size = list(games), random.Random(1), 0
    with subprocess.Popen(["zstd", "-q", "-o", file], stdin=subprocess.PIPE) as packer:
        assert packer.stdin is not None
        while size < megabytes * MEGABYTE:
            if shuffled:
                order.shuffle(games)
            size += packer.stdin.write(b"".join(games))
        packer.stdin.close()
    return size


def unpack(file: Path) -> None:
    subprocess.run(f"zstd -dc '{file}' | wc -c", shell=True, check=True, stdout=subprocess.DEVNULL)


def find_candidates(file: Path, settings: Settings) -> tuple[int, int]:
    """Return the number of games in an archive, and of games that a worker would get."""
    games = candidates = 0
    with open_archive(str(file)) as archive, closing(read_ahead(archive.chunks())) as text:
        for item in prefilter(text, settings):
            games = item.number
            candidates += not isinstance(item, SkippedSpan)
    return games, candidates


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Return the wall time and the CPU time of the work, in seconds."""
    started, cpu = time.perf_counter(), cpu_seconds()
    work()
    return time.perf_counter() - started, cpu_seconds() - cpu


def in_memory(games: list[bytes]) -> list[bytes]:
    """Return the games, repeated up to `IN_MEMORY`, as the pieces of text that an archive yields."""
    text = b"".join(games)
    text *= 1 + IN_MEMORY * MEGABYTE // len(text)
    return [text[start : start + CHUNK] for start in range(0, len(text), CHUNK)]


def measure(file: Path, size: int, pieces: list[bytes], settings: Settings) -> dict[str, Any]:
    games, candidates = find_candidates(file, settings)
    unpacking, finding, filtering = [], [], []
    for _ in range(TIMES):
        unpacking.append(timed(lambda: unpack(file)))
        finding.append(timed(lambda: find_candidates(file, settings)))
        filtering.append(timed(lambda: deque(prefilter(pieces, settings), maxlen=0)))
    zstd_seconds, zstd_cpu = map(min, zip(*unpacking, strict=True))
    seconds, cpu = map(min, zip(*finding, strict=True))
    _, filter_cpu = map(min, zip(*filtering, strict=True))
    packed = file.stat().st_size
    return {
        "--evaluated-only": "yes" if settings.evaluated_only else "no",
        "plain MB": size // MEGABYTE,
        "packed MB": round(packed / MEGABYTE, 1),
        "games": games,
        "candidates": candidates,
        "seconds": round(seconds, 2),
        "packed MB/s": round(packed / MEGABYTE / seconds, 1),
        "plain MB/s": round(size / MEGABYTE / seconds),
        "prefilter MB/s": round(sum(map(len, pieces)) / MEGABYTE / filter_cpu),
        "zstd MB/s": round(size / MEGABYTE / zstd_seconds),
        "ratio": round(zstd_seconds / seconds, 2),
        "CPU s": round(cpu, 2),
        "zstd CPU s": round(zstd_cpu, 2),
        "CPU ratio": round(zstd_cpu / cpu, 2),
        "peak RSS MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("games")
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--order", choices=["plain", "shuffled"], action="append")
    arguments = parser.parse_args()

    games = [game.text for game in games_of([arguments.games])]
    pieces = in_memory(games)
    rows = []
    for order in arguments.order or ["plain", "shuffled"]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "games.pgn.zst"
            size = pack_repeated(games, arguments.megabytes, order == "shuffled", file)
            for evaluated_only in (True, False):
                settings = Settings("", MiningRules(), evaluated_only=evaluated_only)
                rows.append({"order": order} | measure(file, size, pieces, settings))
    print(table(list(rows[0]), [list(row.values()) for row in rows], right="ll" + "r" * (len(rows[0]) - 2)))


if __name__ == "__main__":
    run(main)
