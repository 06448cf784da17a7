"""What is fuzzed: the commands that read what others wrote, called in this process."""

from __future__ import annotations

import gzip
import os
import shutil
from functools import partial
from pathlib import Path
from random import Random
from unittest.mock import patch

from engines.human.leela import onnx_model, read_leela_network
from engines.human.model import MODEL_VARIABLE
from puzzlegen.formats.exporting import Format
from tests.fuzz import engines, memories, page, page_requests, training
from tests.fuzz.case import (
    CORPUS,
    DAMAGED,
    DATABASE,
    EMPTY,
    ENCODED,
    FEN,
    INDEX,
    MEMORY,
    PUZZLE,
    Files,
    FuzzCase,
    Target,
    chosen,
    corpus,
    require,
    run,
)
from tests.fuzz.mining_here import made_up_pool
from tests.helpers.leela_files import SmallNetwork
from tests.helpers.odd_games import ODD_GAMES
from tests.helpers.pool_here import mining_in
from tests.helpers.python_chess_games import difference

# Positions to search for, and their grades, when the other file is fuzzed.
_QUERIES = CORPUS / "queries" / "queries.fen"
_GRADES = CORPUS / "grades" / "grades.txt"

# Options that leave games out.
_FEWER_GAMES = (("--player", "ann"), ("--evaluated-only",), ("--limit", "2", "--json"))


def input_of(target: Target, seeds: list[Files], random: Random, number: int) -> Files:
    """Return input `number` of a target: the seeds themselves come first, then changes of them."""
    if number < len(seeds):
        return seeds[number]
    files = dict(random.choice(seeds))
    name = random.choice(sorted(files))
    other = random.choice(seeds)
    changed = target.changed(random, files.pop(name), other[random.choice(sorted(other))])
    # Of several files one may be missing.
    return files if files and random.random() < 0.1 else {**files, name: changed}


# --- Inputs to start from


def _index(name: str, base: Path) -> list[Files]:
    files = sorted((base / INDEX / name).iterdir())
    return [{f"{INDEX}/{name}/{file.name}": file.read_bytes() for file in files}]


def _databases(base: Path) -> list[Files]:
    return [{DATABASE: file.read_bytes()} for file in sorted((base / DAMAGED).iterdir())]


def _leela_networks(base: Path) -> list[Files]:
    """Return networks that are not yet compressed: what is changed then would be the compression."""
    return [{"network": SmallNetwork(outcomes).content()} for outcomes in (1, 3)]


def _onnx_networks(base: Path) -> list[Files]:
    leela = SmallNetwork().write(base / "network.pb.gz")
    return [{"network.onnx": onnx_model(read_leela_network(leela))}]


def _odd_games(base: Path) -> list[Files]:
    odd = [{"input.pgn": text.encode()} for text, _ in ODD_GAMES.values()]
    return [*odd, *corpus("pgn", base), *corpus("games", base)]


# --- What is done with an input


def _read_like_python_chess(case: FuzzCase) -> None:
    found = difference(case.file.read_bytes())
    require(not found, f"games are read otherwise than python-chess does: {found}")


def _mine(case: FuzzCase, *options: str) -> None:
    with mining_in(made_up_pool):
        run("puzzlegen", "mine", case.file, "--pattern", "blunder", *options, "--db", case.copy_of(EMPTY))


def _mine_some(case: FuzzCase) -> None:
    _mine(case, *chosen(_FEWER_GAMES, case))


def _add_positions(case: FuzzCase) -> None:
    run("motifsearch", "positions", "add", case.file, "--db", case.copy_of(EMPTY))


def _import(case: FuzzCase) -> None:
    database = case.copy_of(EMPTY)
    run("puzzlegen", "import", case.file, "--db", database)
    run("puzzlegen", "list", "--db", database)
    kind = chosen([*Format], case)
    # What is not text would control a terminal.
    file = os.devnull if kind in (Format.APKG, Format.PDF) else "-"
    run("puzzlegen", "export", file, "--format", kind, "--kind", "any", "--db", database)


def _similar_puzzles(case: FuzzCase) -> None:
    fen, _, moves = case.text.partition("\n")
    run("motifsearch", "similar", "--moves", moves, "--why", "--db", case.base / DATABASE, "--", fen)


def _similar_positions(case: FuzzCase) -> None:
    run("motifsearch", "positions", "similar", "--json", "--db", case.base / DATABASE, "--", case.text)


def _report_pairs(case: FuzzCase) -> None:
    run("motifsearch", "report", "pairs", case.file)


def _measure_themes(case: FuzzCase) -> None:
    run("benchmarks.themes", case.file)


def _measure_feature_sets(case: FuzzCase) -> None:
    run("benchmarks.feature_sets", case.file, _GRADES, "--db", case.base / DATABASE)


def _measure_graded(case: FuzzCase) -> None:
    run("benchmarks.feature_sets", _QUERIES, case.file, "--db", case.base / DATABASE)


def _search_puzzles(case: FuzzCase) -> None:
    run("motifsearch", "similar", PUZZLE, "--why", "--db", case.copy_of(DATABASE))


def _search_positions(case: FuzzCase) -> None:
    run("motifsearch", "positions", "similar", FEN, "--why", "--db", case.copy_of(DATABASE))


def _read_database(case: FuzzCase) -> None:
    for words in (["list"], ["show", PUZZLE], ["stats"], ["export", "-", "--format", "jsonl"], ["retag"]):
        run("puzzlegen", *words, "--db", case.file)


def _search_database(case: FuzzCase) -> None:
    shutil.copytree(case.base / INDEX, case.folder / INDEX)
    for words in (["similar", PUZZLE], ["positions", "similar", FEN]):
        run("motifsearch", *words, "--db", case.file)


def _rate_with_leela(case: FuzzCase) -> None:
    compressed = case.folder / "network.pb.gz"
    compressed.write_bytes(gzip.compress(case.file.read_bytes(), 1))
    _rate(case, compressed)


def _rate_with_onnx(case: FuzzCase) -> None:
    _rate(case, case.file)


def _rate(case: FuzzCase, human_model: Path) -> None:
    with patch.dict(os.environ, {MODEL_VARIABLE: str(human_model)}):
        run("puzzlegen", "rate", "--db", case.copy_of(DATABASE))


TARGETS = {
    "games, as python-chess": Target(_odd_games, _read_like_python_chess, 10),
    "mine": Target(partial(corpus, "games"), _mine, 16),
    "mine, fewer games": Target(partial(corpus, "games"), _mine_some, 4),
    "positions add": Target(partial(corpus, "games"), _add_positions, 6),
    "import csv": Target(partial(corpus, "csv"), _import, 14),
    "import epd": Target(partial(corpus, "epd"), _import, 8),
    "import pgn": Target(partial(corpus, "pgn"), _import, 12),
    "import jsonl": Target(partial(corpus, "jsonl"), _import, 2),
    "similar": Target(partial(corpus, "fen"), _similar_puzzles, 10),
    "positions similar": Target(partial(corpus, "fen"), _similar_positions, 5),
    "report pairs": Target(partial(corpus, "pairs"), _report_pairs, 5),
    "themes": Target(partial(corpus, "csv"), _measure_themes, 2),
    "feature-sets": Target(partial(corpus, "queries"), _measure_feature_sets, 2),
    "feature-sets, grades": Target(partial(corpus, "grades"), _measure_graded, 2),
    "engine": Target(partial(corpus, "engine"), engines.search_with_engine, 6),
    "index of puzzles": Target(partial(_index, "default"), _search_puzzles, 2),
    "index of positions": Target(partial(_index, "positions"), _search_positions, 2),
    "database": Target(_databases, _read_database, 2),
    "database, searched": Target(_databases, _search_database, 1),
    "engine in commands": Target(partial(corpus, "engine_in_commands"), engines.use_engine, 6),
    "packed positions": Target(memories.packed_parts, memories.read_packed_parts, 4),
    "packed file": Target(memories.packed_files, memories.read_packed_file, 4),
    "packed searches": Target(memories.searches, memories.mine_with_searches, 3),
    "memory, arrays": Target(memories.memories, memories.play_from_changed_arrays, 2),
    "memory, vectors": Target(partial(memories.memory_files, MEMORY), memories.play_from_changed_vectors, 2),
    "memory, files": Target(
        partial(memories.memory_files, MEMORY), partial(memories.play_from_changed_files, MEMORY), 1
    ),
    "memory with an encoder": Target(
        partial(memories.memory_files, ENCODED), partial(memories.play_from_changed_files, ENCODED), 1
    ),
    "train": Target(partial(corpus, "games"), training.train_on_games, 6),
    "train on Lichess": Target(partial(corpus, "lichess"), training.train_on_lichess, 6),
    "train on Chess.com": Target(partial(corpus, "chesscom"), training.train_on_chesscom, 4),
    "sets": Target(partial(corpus, "names"), training.use_set, 6),
    "solve": Target(partial(corpus, "typed"), training.solve, 5),
    "page on SQLite": Target(page_requests.seeds, page.ask_on_sqlite, 6, page_requests.changed),
    "page on PostgreSQL": Target(page_requests.seeds, page.ask_on_postgresql, 6, page_requests.changed),
    "network of Leela": Target(_leela_networks, _rate_with_leela, 2),
    "network in ONNX": Target(_onnx_networks, _rate_with_onnx, 1),
}
