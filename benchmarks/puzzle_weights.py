"""What the fields of a puzzle's terms should count: the weights of `motifsearch.terms.encoding.DEFAULT`.

    python -m benchmarks.puzzle_weights TRAIN.csv PAIRS.csv [--documents N] [--queries N]

TRAIN holds puzzles with themes, of the training part alone (`training.parts`), PAIRS were made of
such puzzles by `benchmarks.pairs --generate`. Each field is scored once; then one weight after
another is changed as long as theme agreement and the shares of moved partners in the first place and
among the first ten rise, added up. What is learned is held as it is: the model of likely labels must not
have been made of the same TRAIN, or `likely_theme` gets too much weight; the weight of `likely_motif` is for
`benchmarks.labelled`. Needs scipy. Prints a table.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.command import parser_for, run, show
from benchmarks.themes import Labelled, read_labelled
from chess_motif.notation import parse_moves, parse_position
from chess_motif.tables import table
from motifsearch.puzzles.pair_files import SolvedPosition, read_pairs
from motifsearch.terms.encoding import DEFAULT, FIELDS, encode, query_terms
from puzzlegen.reasons.tactics import Tactics

# BM25 as Tantivy has it.
K1, B = 1.2, 0.75

STEPS = (0.5, 0.7, 1.4, 2.0)
ROUNDS = 3
DEPTH = 5

Scores = dict[str, NDArray[np.float32]]
Terms = dict[str, list[str]]


def terms_of(puzzle: tuple[str, str]) -> Terms:
    board = parse_position(puzzle[0])
    return query_terms(encode(Tactics(board, parse_moves(board, puzzle[1]))))


def scores(documents: Sequence[Terms], queries: Sequence[Terms], field: str) -> NDArray[np.float32]:
    """Return the BM25 score of each document (columns) for each query (rows), by one field."""
    places: dict[str, int] = {}
    held = _counts(documents, field, places, grow=True)
    asked = _counts(queries, field, places, grow=False)
    lengths = np.asarray(held.sum(1)).ravel()
    frequency = np.bincount(held.indices, minlength=held.shape[1])
    rarity = np.log(1 + (held.shape[0] - frequency + 0.5) / (frequency + 0.5))
    cells = held.tocoo()
    damped = K1 * (1 - B + B * lengths[cells.row] / (lengths.mean() or 1))
    weights = rarity[cells.col] * cells.data * (K1 + 1) / (cells.data + damped)
    weighted = sparse.csr_matrix((weights, (cells.row, cells.col)), shape=held.shape)
    return np.asarray((asked @ weighted.T).toarray(), np.float32)


def _counts(puzzles: Sequence[Terms], field: str, places: dict[str, int], *, grow: bool) -> sparse.csr_matrix:
    rows, columns, values = [], [], []
    for row, terms in enumerate(puzzles):
        for term, count in Counter(terms[field]).items():
            if grow:
                places.setdefault(term, len(places))
            if term in places:
                rows.append(row)
                columns.append(places[term])
                values.append(float(count))
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(puzzles), max(1, len(places))))


class Objective:
    """Theme agreement and pair accuracy for any weights."""

    def __init__(self, labelled: list[Labelled], queries: int, pairs: Path) -> None:
        marked = [number for number, puzzle in enumerate(labelled) if puzzle.labels]
        self.asked = marked[:: max(1, len(marked) // queries)][:queries]
        self.labels = [puzzle.labels for puzzle in labelled]
        found = read_pairs(pairs).pairs
        originals = {pair.base.board.board_fen() for pair in found}
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            documents = list(
                pool.map(terms_of, [(p.row.puzzle_fen, p.row.solution) for p in labelled], chunksize=200)
            )
            base, simplified = (
                list(pool.map(terms_of, [_written(side) for side in sides]))
                for sides in ([pair.base for pair in found], [pair.simplified for pair in found])
            )
        others = [
            terms
            for terms, puzzle in zip(documents[::10], labelled[::10], strict=True)
            if puzzle.row.puzzle_fen.split()[0] not in originals
        ]
        self.moved = np.array([pair.moved for pair in found])
        queries_by_theme = [documents[number] for number in self.asked]
        self.by_theme: Scores = {field: scores(documents, queries_by_theme, field) for field in FIELDS}
        self.by_pair: Scores = {field: scores([*simplified, *others], base, field) for field in FIELDS}

    def agreement(self, weights: dict[str, float]) -> float:
        """Return the mean Jaccard index of the labels of the best five (0…1)."""
        total = sum(weight * self.by_theme[field] for field, weight in weights.items())
        shares = []
        for row, number in zip(np.asarray(total), self.asked, strict=True):
            row[number] = -1
            labels = self.labels[number]
            best = np.argpartition(-row, DEPTH)[:DEPTH]
            shares.append(
                np.mean([len(labels & self.labels[i]) / len(labels | self.labels[i]) for i in best])
            )
        return float(np.mean(shares))

    def partners(self, weights: dict[str, float]) -> tuple[float, float]:
        """Return the shares of moved partners in the first place and among the first ten (0…1)."""
        total = np.asarray(sum(weight * self.by_pair[field] for field, weight in weights.items()))
        own = total[np.arange(len(self.moved)), np.arange(len(self.moved))]
        ranks = (total >= own[:, None] - 1e-4).sum(1)[self.moved]
        return float((ranks <= 1).mean()), float((ranks <= 10).mean())

    def __call__(self, weights: dict[str, float]) -> float:
        return self.agreement(weights) + sum(self.partners(weights))


def _written(side: SolvedPosition) -> tuple[str, str]:
    return side.board.fen(), " ".join(move.uci() for move in side.moves)


def climb(objective: Objective, weights: dict[str, float]) -> dict[str, float]:
    """Change one weight after another as long as that helps."""
    best = objective(weights)
    for _ in range(ROUNDS):
        for field in weights:
            for step in STEPS:
                changed = weights | {field: weights[field] * step}
                value = objective(changed)
                if value > best + 0.001:
                    best, weights = value, changed
    return weights


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("train", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=400)
    arguments = parser.parse_args()

    objective = Objective(
        read_labelled(arguments.train)[: arguments.documents], arguments.queries, arguments.pairs
    )
    start = dict(DEFAULT.weights)
    rows = []
    for name, weights in (
        ("all alike", dict.fromkeys(start, 1.0)),
        ("as they are", start),
        ("after climbing", climb(objective, start)),
    ):
        figures = [objective.agreement(weights), *objective.partners(weights)]
        rows.append([name, *(f"{x:.3f}" for x in figures), *(f"{x:.2f}" for x in weights.values())])
    header = ["weights", "agreement", "top 1", "top 10", *start]
    columns = [[name, *(row[place] for row in rows)] for place, name in enumerate(header)]
    text = table([str(cell) for cell in columns[0]], columns[1:], right="lrrr")
    show(text, [dict(zip(header, row, strict=True)) for row in rows], as_json=arguments.json)


if __name__ == "__main__":
    run(main)
