"""How often the puzzles found have the query's label, which a person gave, without learning from the query.

    python -m training.labelled LABELLED.csv

LABELLED has the columns Motif, FEN and SolutionUCI. The tactics are divided into five parts, and each part
gets the terms of likely motifs by a model that has learned from the other four. Each tactic is searched for
among all others; tactics with several motifs ("Different themes") are left out. Prints the precision of each
label and the macro average: in paper mode, in default mode without the likely labels, and in default mode.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import mean

import chess

from chess_motif.tables import table
from motifsearch.puzzles.index import Encoded, index_in_memory
from motifsearch.puzzles.ranking import best, clauses
from motifsearch.terms.encoding import encode, query_terms
from motifsearch.terms.likely import LIKELY_FIELDS, features, level_terms
from motifsearch.terms.weights import DEFAULT, FIELDS, PAPER, Encoding
from puzzlegen.reasons.tactics import Tactics
from training.likely import C, LabelledTerms, as_label, fit, read_tactics

PARTS = 5

# The number of results of each search.
RESULTS = 5

# The label of tactics with several motifs.
MIXED = "Different themes"

Terms = dict[str, list[str]]


def terms_of(tactic: tuple[str, str, str], encoding: Encoding) -> Terms:
    _, fen, moves = tactic
    return encode(Tactics(chess.Board(fen), [chess.Move.from_uci(move) for move in moves.split()]), encoding)


def learn_from_others(terms: Sequence[Terms], motifs: Sequence[str]) -> None:
    """Replace the terms of likely motifs by terms of models that have not seen the tactic."""
    known = [
        LabelledTerms(features(each), frozenset([as_label(motif)]))
        for each, motif in zip(terms, motifs, strict=True)
    ]
    for part in range(PARTS):
        model = fit([each for i, each in enumerate(known) if i % PARTS != part], C["likely_motif"])
        for i in range(part, len(known), PARTS):
            terms[i]["likely_motif"] = level_terms(model.likelihoods(known[i].features))


def precisions(
    terms: Sequence[Terms], motifs: Sequence[str], encoding: Encoding, *, learned: bool
) -> list[float]:
    """Return for each tactic the share of the best results with the same motif."""
    documents = [Encoded.of(number, str(number), each) for number, each in enumerate(terms)]
    index = index_in_memory(documents)
    fields = [field for field in FIELDS if learned or field not in LIKELY_FIELDS]
    found = (
        best(index, clauses(index, query_terms(each), encoding, fields), RESULTS, without=str(number))
        for number, each in enumerate(terms)
    )
    return [
        sum(motifs[int(one.key)] == motif for one in results) / RESULTS
        for results, motif in zip(found, motifs, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("labelled", type=Path)
    arguments = parser.parse_args()

    tactics = read_tactics(arguments.labelled)
    with ProcessPoolExecutor() as pool:
        paper, ours = (
            list(pool.map(terms_of, tactics, [encoding] * len(tactics), chunksize=50))
            for encoding in (PAPER, DEFAULT)
        )
    learn_from_others(ours, [motif for motif, _, _ in tactics])
    asked = [i for i, (motif, _, _) in enumerate(tactics) if motif != MIXED]
    motifs = [tactics[i][0] for i in asked]
    columns = [
        precisions([terms[i] for i in asked], motifs, encoding, learned=learned)
        for terms, encoding, learned in (
            (paper, PAPER, False),
            (ours, DEFAULT, False),
            (ours, DEFAULT, True),
        )
    ]
    names = sorted(set(motifs), key=lambda name: -motifs.count(name))
    by_name = {
        name: [
            mean(share for share, motif in zip(shares, motifs, strict=True) if motif == name)
            for shares in columns
        ]
        for name in names
    }
    rows: list[list[object]] = [
        [name, motifs.count(name), *(f"{share:.3f}" for share in by_name[name])] for name in names
    ]
    rows.append(
        ["macro average", "", *(f"{mean(each[i] for each in by_name.values()):.3f}" for i in range(3))]
    )
    rows.append(["all", len(motifs), *(f"{mean(shares):.3f}" for shares in columns)])
    header = ["motif", "tactics", "paper", "without likely", "default"]
    print(table(header, rows, right="lrrrr"))


if __name__ == "__main__":
    main()
