"""What a search finds for positions from literature, given without their moves.

    python -m benchmarks.textbook DATABASE [--k N] [--engine PATH]

DATABASE is a file or URL with puzzles, such as those of Lichess. For each of twelve positions of twelve
motifs prints the line that the engine found, how much of it is as in the book, the motif by its tags, and the
best results with their solutions, for a person to grade: 2 the same idea, 1 near, 0 another one.
`--grades FILE` reads such grades, a line for each position with its name and a digit for each result, such as
`windmill 22210`, and prints their sums.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.command import parser_for, run, show
from chess_motif.boards import solution_san
from chess_motif.errors import InputError
from chess_motif.tables import table
from db.store import Store
from motifsearch.puzzles.query import PuzzleQuery
from motifsearch.puzzles.searcher import PuzzleHit, PuzzleSearcher
from puzzlegen.motifs.tags import seen_words

# What a grade means; see docs/how-it-works/similarity.md.
SAME, NEAR, OTHER = "2", "1", "0"


@dataclass(frozen=True)
class Position:
    """A position from literature, with the beginning of its solution there (SAN)."""

    name: str
    motif: str
    source: str
    fen: str
    book: str


# Those from games stand before the move that made them famous.
POSITIONS = (
    Position(
        "legal",
        "Légal's mate",
        "Légal – Saint Brie, Paris 1750, before 5. Nxe5",
        "rn1qkbnr/ppp2p1p/3p2p1/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 5",
        "Nxe5 Bxd1 Bxf7+ Ke7 Nd5#",
    ),
    Position(
        "double-check",
        "double check",
        "Réti – Tartakower, Vienna 1910, before 9. Qd8+",
        "rnb1kb1r/pp3ppp/2p5/4q3/4n3/3Q4/PPPB1PPP/2KR1BNR w kq - 0 9",
        "Qd8+ Kxd8 Bg5+ Kc7 Bd8#",
    ),
    Position(
        "smothered",
        "smothered mate after a queen sacrifice (Philidor's legacy)",
        "Greco, 1620, before 11...Qxf2+",
        "r1b2rk1/pppp1ppp/8/2b1P3/2B3nq/5N2/PP3PPP/RNBQR1K1 b - - 2 11",
        "Qxf2+ Kh1 Qg1+ Nxg1 Nf2#",
    ),
    Position(
        "boden",
        "Boden's mate",
        "Schulder – Boden, London 1853, before 14...Qxc3+",
        "2k1rb1r/ppp3pp/2n2q2/3B1b2/5P2/2P1BQ2/PP1N1P1P/2KR3R b - - 0 14",
        "Qxc3+ bxc3 Ba3#",
    ),
    Position(
        "anastasia",
        "Anastasia's mate",
        "Lichess, practice, checkmate patterns I, Anastasia's mate 4",
        "1r5k/6pp/2pr4/P1Q3bq/1P2Bn2/2P5/5PPP/R3NRK1 b - - 0 1",
        "Ne2+ Kh1 Qxh2+ Kxh2 Rh6#",
    ),
    Position(
        "greek-gift",
        "Greek gift",
        "Greco, 1620, before 7. Bxh7+",
        "r1bq1rk1/ppppbppp/2n1p3/3nP3/3P3P/3B1N2/PPP2PP1/RNBQK2R w KQ - 1 7",
        "Bxh7+ Kxh7 Ng5+",
    ),
    Position(
        "windmill",
        "windmill",
        "Torre – Lasker, Moscow 1925, before 25. Bf6",
        "r3rnk1/pb3pp1/3pp2p/1q4BQ/1P1P4/4N1R1/P4PPP/4R1K1 w - - 4 25",
        "Bf6 Qxh5 Rxg7+ Kh8 Rxf7+ Kg8 Rg7+ Kh8 Rxb7+ Kg8 Rg7+ Kh8 Rg5+ Kh7 Rxh5",
    ),
    Position(
        "back-rank",
        "deflection from the back rank",
        "Bernstein – Capablanca, Moscow 1914, before 29...Qb2",
        "3r2k1/p4ppp/1q6/8/8/2R1P3/P3QPPP/6K1 b - - 0 29",
        "Qb2",
    ),
    Position(
        "two-bishops",
        "sacrifice of both bishops",
        "Lasker – Bauer, Amsterdam 1889, before 15. Bxh7+",
        "r4rk1/1b2bppp/ppq1p3/2ppB2n/5P2/1P1BP3/P1PPQ1PP/R4RK1 w - - 0 15",
        "Bxh7+ Kxh7 Qxh5+ Kg8 Bxg7 Kxg7 Qg4+ Kh7 Rf3",
    ),
    Position(
        "breakthrough",
        "breakthrough",
        "Cozio, 1766; in most books on pawn endings",
        "8/ppp5/8/PPP5/6k1/8/8/6K1 w - - 0 1",
        "b6 axb6 c6 bxc6 a6",
    ),
    Position(
        "arabian",
        "Arabian mate",
        "Lichess, practice, checkmate patterns II, Arabian mate 2",
        "r4nk1/pp2r1p1/2p1P2p/3p1P1N/8/8/PPPK4/6RR w - - 0 1",
        "Nf6+ Kh8 Rxh6+ gxh6 Rg8#",
    ),
    Position(
        "fork",
        "fork after a queen sacrifice",
        "Petrosian – Spassky, world championship, Moscow 1966, game 10, before 30. Qh8+",
        "6k1/5r1p/p2N4/nppP2q1/2P5/1P2N3/PQ5P/7K w - - 0 30",
        "Qh8+ Kxh8 Nxf7+ Kg7 Nxg5",
    ),
)


def as_in_book(query: PuzzleQuery, position: Position) -> int:
    """Return how many moves of both sides are as in the book, from the first one on."""
    board, same = query.board.copy(), 0
    for san, move in zip(position.book.split(), query.moves, strict=False):
        if board.parse_san(san) != move:
            break
        board.push(move)
        same += 1
    return same


def read_grades(file: Path) -> dict[str, str]:
    """Return the grades of a file, by the name of the position. Raises `InputError`."""
    rows = [line.split() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    known = {position.name for position in POSITIONS}
    for row in rows:
        if len(row) != 2 or row[0] not in known or set(row[1]) - {SAME, NEAR, OTHER}:
            raise InputError(f"{file}: {' '.join(row)!r} is not a name and grades from {OTHER} to {SAME}")
    return dict(rows)


def text_of(position: Position, query: PuzzleQuery, hits: list[PuzzleHit]) -> str:
    """Return what was found for a position, to be graded."""
    end = query.tactics.replay.end.board
    found = [
        [
            hit.puzzle.id,
            f"{hit.normalised_score:.0%}",
            solution_san(hit.puzzle.position(), hit.puzzle.moves()),
        ]
        for hit in hits
    ]
    return "\n".join(
        [
            f"{position.name}: {position.motif} ({position.source})",
            position.fen,
            f"{solution_san(query.board, query.moves)}{' mate' if end.is_checkmate() else ''}",
            f"as in the book: {as_in_book(query, position)} of {len(position.book.split())} plies",
            f"tags: {seen_words(query.tags) if query.shows_tactic else 'no tactic'}",
            table(["id", "alike", "solution"], found),
        ]
    )


def grades_text(grades: dict[str, str]) -> str:
    """Return the grades of each position and of all."""
    rows: list[list[object]] = [
        [name, *(given.count(grade) for grade in (SAME, NEAR, OTHER))] for name, given in grades.items()
    ]
    total = Counter("".join(grades.values()))
    rows.append(["all", *(total[grade] for grade in (SAME, NEAR, OTHER))])
    return table(["position", "same idea", "near", "other"], rows, right="lrrr")


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("database")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--engine")
    parser.add_argument("--grades", type=Path)
    arguments = parser.parse_args()

    parts, documents = [], []
    with Store(arguments.database) as store, PuzzleSearcher(store) as searcher:
        for position in POSITIONS:
            query = searcher.query(position.fen, engine=arguments.engine)
            hits = searcher.similar(query, k=arguments.k)
            parts.append(text_of(position, query, hits))
            documents.append(
                {
                    **vars(position),
                    "solution": [move.uci() for move in query.moves],
                    "as_in_book": as_in_book(query, position),
                    "tactic": query.shows_tactic,
                    "tags": query.tags,
                    "results": [hit.puzzle.id for hit in hits],
                }
            )
    if arguments.grades:
        parts.append(grades_text(read_grades(arguments.grades)))
    show("\n\n".join(parts), documents, as_json=arguments.json)


if __name__ == "__main__":
    run(main)
