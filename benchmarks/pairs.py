"""Pairs made from stored puzzles, and how often a search for a puzzle finds its simplified partner.

    python -m benchmarks.pairs [FILE] [--generate N] [--kind KIND] [--out FILE] [--among N] [--db URL]

Each of the N pairs is a puzzle and the same puzzle, simplified and moved on the board. Generated pairs are a
substitute for pairs made by people: the simplified puzzle has the same solution and fewer pieces, mostly on
other squares, so that a search that finds it has recognised the motif. With `--kind attacker`, one of the
solver's pieces that move is another one, too; with `--kind length`, the first move and the reply to it have
been played; with `--kind in-place`, the pieces stay where they are. Stockfish verifies every version. Without
`--generate`, the pairs are read from FILE, as by `motifsearch report pairs`. `--among` adds stored puzzles to
the positions searched. Prints the accuracy and, to explain the accuracy of paper mode, how many terms the
simplified puzzle has and shares with the original, and its score, compared with the other simplified puzzles.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import chess

from benchmarks.command import at_least, parser_for, run
from chess_motif.boards import board_after
from chess_motif.errors import StoreError
from chess_motif.output import note, output
from chess_motif.progress import Progress, TerminalProgress
from chess_motif.tables import table
from chess_motif.text import counted
from db.evaluations import keep_evaluations, lookup
from db.models import Puzzle
from db.puzzles import get_puzzles, puzzle_id, require_puzzles
from db.selection import puzzle_ids, read_named
from db.store import Store
from engines.finding import find_engine
from engines.pool import EnginePool
from engines.search_cache import CachedEngine
from motifsearch.puzzles.index import Encoded, index_in_memory
from motifsearch.puzzles.pair_files import (
    COLUMNS,
    GENERATED_COLUMNS,
    OWN_COLUMNS,
    Pair,
    PairFile,
    SolvedPosition,
    read_pairs,
)
from motifsearch.puzzles.pairs import PAPER_NAMES, measure_pairs
from motifsearch.puzzles.ranking import FIELDS_BY, clauses, scores
from motifsearch.search import By
from motifsearch.show.pairs import pairs_text
from motifsearch.terms.encoding import encode, query_terms
from motifsearch.terms.weights import PAPER, Encoding
from puzzlegen.upkeep.simplify import (
    CONFIRM_NODES,
    NODES,
    SimplifiedPuzzle,
    holds,
    move_elsewhere,
    remove_pieces,
    shifts,
)


class Kind(StrEnum):
    """In what the simplified puzzle of a generated pair differs, besides having fewer pieces."""

    MOVED = "moved"
    IN_PLACE = "in-place"
    ATTACKER = "attacker"
    LENGTH = "length"


# The pieces that may take each other's place: they make some of the same moves.
EXCHANGED = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)


def generate_pairs(
    store: Store,
    count: int,
    *,
    kind: Kind = Kind.MOVED,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> list[Pair]:
    """Return `count` pairs made from random puzzles, or as many as there are.

    A pair has the id of its puzzle. Any puzzle that can be changed and simplified makes a pair. Except in
    place, the simplified puzzle is mirrored or shifted if the solution still works. The same store, seed and
    Stockfish make the same pairs with any number of `workers`. Engine searches are stored, so that they are
    not repeated after an interruption. Raises `EngineError`, `StoreError`, and `InputError` for a store
    without puzzles.
    """
    with store.reading() as session:
        require_puzzles(session)
        names = puzzle_ids(session)
    random.Random(seed).shuffle(names)

    def pair_of(puzzle: Puzzle, engine: CachedEngine) -> Pair | None:
        return _pair(puzzle, engine, kind, random.Random(f"{seed} {puzzle.id}"))

    pairs: list[Pair] = []
    progress = progress or Progress()
    with EnginePool(find_engine(), workers, lookup(store)) as pool:
        for done in pool.map(pair_of, read_named(store, names)):
            with store.session() as session:
                keep_evaluations(session, done.searched)
            if done.result is not None:
                pairs.append(done.result)
                progress.update("making pairs", len(pairs), count, "pair")
            if len(pairs) == count:
                break
    return pairs


def other_puzzles(store: Store, count: int, pairs: list[Pair]) -> list[SolvedPosition]:
    """Return `count` stored puzzles, or as many as there are, that are in none of the pairs.

    Every call returns the same puzzles. Raises `StoreError`.
    """
    in_pairs = [one for pair in pairs for one in (pair.base, pair.simplified)]
    paired = {puzzle_id(one.board.fen(), one.moves[0]) for one in in_pairs}
    with store.reading() as session:
        names = [name for name in puzzle_ids(session, limit=count + len(paired)) if name not in paired]
        solved = map(_solved, get_puzzles(session, names[:count]).values())
        return [one for one in solved if one is not None]


class PairScores(NamedTuple):
    """Means over pairs, for one kind of terms.

    `terms` is the number of different terms of the simplified puzzle, and `shared` the number of these that
    the base position has, too. With the base position as the query, the simplified puzzle scores `partner`,
    the other simplified puzzles score `others` on average, and the best other scores `best_other`.
    """

    shared: float
    terms: float
    partner: float
    others: float
    best_other: float


def pair_scores(pairs: Sequence[Pair], encoding: Encoding, by: By, *, moved: bool) -> PairScores:
    """Return the means over the moved pairs, or over the pairs that are not moved."""
    fields, names = FIELDS_BY[by], [pair.id for pair in pairs]
    documents = [encode(pair.simplified.tactics(), encoding) for pair in pairs]
    index = index_in_memory(map(Encoded.of, range(len(pairs)), names, documents))
    rows = []
    for pair, document in zip(pairs, documents, strict=True):
        if pair.moved is not moved:
            continue
        asked = query_terms(encode(pair.base.tactics(), encoding))
        own, known = (
            {(field, term) for field in fields for term in terms.get(field, ())}
            for terms in (query_terms(document), asked)
        )
        found = scores(index, clauses(index, asked, encoding, fields), names)
        partner = found.pop(pair.id)
        rows.append((len(own & known), len(own), partner, mean(found.values()), max(found.values())))
    return PairScores(*map(mean, zip(*rows, strict=True)))


def scores_text(pairs: Sequence[Pair]) -> str:
    """Return the scores of moved pairs and of other pairs in paper mode."""
    rows: list[list[object]] = []
    for moved in sorted({pair.moved for pair in pairs}):
        for by in (By.STATIC, By.DYNAMIC):
            found = pair_scores(pairs, PAPER, by, moved=moved)
            figures = (found.partner, found.others, found.best_other)
            shared = f"{found.shared:.1f} of {found.terms:.1f}"
            where = "moved" if moved else "in place"
            rows.append([where, PAPER_NAMES[by], shared, *(f"{figure:.1f}" for figure in figures)])
    header = ["pairs", "terms", "shared", "score", "score of others", "of the best other"]
    return "Mean scores in paper mode\n\n" + table(header, rows, right="llrrrr")


def _pair(puzzle: Puzzle, engine: CachedEngine, kind: Kind, order: random.Random) -> Pair | None:
    """Return a puzzle and the simplified puzzle, or None if no piece can be removed or nothing changed.

    The simplified puzzle is moved to the first place in a random `order` at which its solution works.
    """
    base = _solved(puzzle)
    changed = base and next(_changed(base, kind, engine), None)
    if base is None or changed is None:
        return None
    simpler = remove_pieces(changed.board, changed.moves, engine)
    if not simpler.removed:
        return None
    moved = simpler
    if kind is not Kind.IN_PLACE:
        elsewhere = [
            place
            for mirrored, shifted in ((True, False), (False, True), (True, True))
            for place in shifts(mirrored=mirrored, shifted=shifted)
        ]
        order.shuffle(elsewhere)
        moved = move_elsewhere(simpler, elsewhere, engine)
    simplified = SolvedPosition(moved.board, moved.moves)
    return Pair(puzzle.id, base, simplified, len(moved.removed), moved != simpler)


def _changed(base: SolvedPosition, kind: Kind, engine: CachedEngine) -> Iterator[SolvedPosition]:
    """Yield what may be simplified: versions whose solution holds, or the puzzle itself."""
    if kind in (Kind.MOVED, Kind.IN_PLACE):
        yield base
        return
    for board, moves in _shorter(base) if kind is Kind.LENGTH else _with_others(base):
        version, mates = SimplifiedPuzzle(board, moves), board_after(base.board, base.moves).is_checkmate()
        if all(holds(version, mates, engine, nodes) for nodes in (NODES, CONFIRM_NODES)):
            yield SolvedPosition(board, moves)


def _shorter(base: SolvedPosition) -> Iterator[tuple[chess.Board, tuple[chess.Move, ...]]]:
    if len(base.moves) > 1:
        yield board_after(base.board, base.moves[:2]), base.moves[2:]


def _with_others(base: SolvedPosition) -> Iterator[tuple[chess.Board, tuple[chess.Move, ...]]]:
    """Yield the puzzle with another piece in the place of one that moves; the moves may not be legal."""
    own = base.board.occupied_co[base.board.turn]
    for square in dict.fromkeys(move.from_square for move in base.moves[::2]):
        before = base.board.piece_type_at(square)
        for kind in EXCHANGED:
            if before in EXCHANGED and kind != before and own >> square & 1:
                board = base.board.copy(stack=False)
                board.set_piece_at(square, chess.Piece(kind, board.turn))
                yield board, base.moves


def _solved(puzzle: Puzzle) -> SolvedPosition | None:
    """Return a stored puzzle's position and solution, or None if it is unreadable."""
    try:
        return SolvedPosition(puzzle.position(), tuple(puzzle.moves()))
    except StoreError:
        return None


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write generated pairs as CSV; an incomplete file never appears.

    Raises `InputError` if the file cannot be written.
    """
    with output(str(path)) as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*OWN_COLUMNS, *COLUMNS, *GENERATED_COLUMNS])
        for pair in pairs:
            for role, solved, *facts in (
                ("base", pair.base, "", ""),
                ("simplified", pair.simplified, pair.removed, "yes" if pair.moved else "no"),
            ):
                moves = " ".join(move.uci() for move in solved.moves)
                writer.writerow([pair.id, role, solved.board.fen(), moves, *facts])


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="pairs of positions, .csv or .pgn")
    parser.add_argument("--generate", type=at_least(1), metavar="N", help="make N pairs from stored puzzles")
    parser.add_argument("--kind", type=Kind, choices=list(Kind), default=Kind.MOVED, help="what differs")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the generated pairs, as .csv")
    parser.add_argument("--seed", type=int, default=0, help="seed for choosing the puzzles of --generate")
    parser.add_argument(
        "--among", type=at_least(0), default=0, metavar="N", help="search among N other stored puzzles, too"
    )
    parser.add_argument("--db", metavar="URL")
    options = parser.parse_args()
    if (options.file is None) == (options.generate is None):
        parser.error("give either a FILE of pairs or --generate N")
    if options.out is not None and (options.generate is None or options.out.suffix.lower() != ".csv"):
        parser.error("--out needs --generate, and a name that ends in .csv")

    if options.file is not None:
        pairs = read_pairs(options.file)
        for skipped in pairs.skipped:
            note(f"{options.file}: {skipped}")
    else:
        pairs = PairFile(_generated(options))
    if options.out is not None:
        write_pairs(options.out, pairs.pairs)
        note(f"{counted(len(pairs.pairs), 'pair')} written to {options.out}")
    others = []
    if options.among:
        with Store(options.db, create=False) as store:
            others = other_puzzles(store, options.among, pairs.pairs)
    report = measure_pairs(pairs, others)
    texts = [pairs_text(report)]
    if len(pairs.pairs) > 1:
        texts.append(scores_text(pairs.pairs))
    print("\n\n".join(texts))


def _generated(options: argparse.Namespace) -> list[Pair]:
    with Store(options.db, create=False) as store, TerminalProgress() as progress:
        pairs = generate_pairs(
            store,
            options.generate,
            kind=options.kind,
            seed=options.seed,
            workers=os.cpu_count() or 1,
            progress=progress,
        )
    if len(pairs) < options.generate:
        note(f"only {len(pairs)} pairs: no other puzzle can be simplified")
    return pairs


if __name__ == "__main__":
    run(main)
