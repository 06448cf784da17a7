"""The experiments with chess experts of Bizjak & Guid (ACG 2021, sections 5.2 and 5.3).

    python -m benchmarks.experts [FORM.csv...] [--forms FOLDER] [--queries N] [--mode MODE] [--db URL]

Queries are contextually different: stored puzzles in random order, each with a motif (a tag) and more than
one move of the solver, and none with a motif of one before it. The puzzles of other games most like each
query by its static, by its dynamic and by all terms go into the pool, each once. For half of the queries,
prints the scores of the whole pool (Table 2), and how much of the top score is dynamic: with all terms, and
with some kinds of static terms left out of the query.

`--forms` writes two pages for experts: on choose.html, they say which puzzle of the pool is most similar to
each query; on explain.html, why the best five results for a query are similar to it. What these pages save is
FORM.csv, to be read with the same puzzles, `--mode`, `--queries` and `--seed`. The table then has the score
and the rank of each expert's choices; where that is not 1, the rank by the dynamic score is in brackets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import Any

from benchmarks.command import at_least, parser_for, run, show
from chess_motif.errors import InputError, TableError, reason_of
from chess_motif.output import note
from chess_motif.pages import render, write_page
from chess_motif.tables import table
from db.models import Puzzle
from db.selection import puzzle_ids, read_named
from db.store import Store
from motifsearch.index.directory import Index
from motifsearch.puzzles.query import PuzzleFilters
from motifsearch.puzzles.ranking import FIELDS_BY, By, clauses, scores
from motifsearch.puzzles.searcher import PuzzleSearcher
from motifsearch.terms.encoding import ENCODINGS, PAPER, encode, query_terms
from motifsearch.views.puzzles import puzzle_card
from puzzlegen.formats.lines import read_table
from puzzlegen.games.archive import open_archive
from puzzlegen.motifs.tags import motif_tags
from puzzlegen.reasons.tactics import Tactics

# "A series of moves" (section 1), as in all examples of the paper: the solver's two and a reply at least.
SHORTEST = 3

# The results for each query of which an expert says why they are similar.
EXPLAINED = 5

# Puzzles of a query's own game may have nearly its position.
FILTERS = PuzzleFilters(other_games=True)

# What is left out of a query to see what its dynamic share hangs on, by the marks that these terms have.
LEFT_OUT = {"x-rays": "=", "attacks": ">", "defences": "<", "connectivity (these three)": "=><"}

# Shares of the dynamic score in the score of the best puzzle, and of the one that most experts chose: mean
# and standard deviation, as published.
PAPER_BEST, PAPER_MAJORITY = (0.77, 0.11), (0.88, 0.10)


@dataclass(frozen=True)
class Scored:
    """The score of each puzzle of the pool, by id, for a query: with all terms, and with the dynamic ones."""

    query: Puzzle
    combined: Mapping[str, float]
    dynamic: Mapping[str, float]

    @cached_property
    def best(self) -> str:
        """The puzzle with the highest score."""
        return max(self.combined, key=lambda name: self.combined[name])

    @property
    def best_share(self) -> float:
        """How much of the highest score is dynamic (0…1)."""
        return self.dynamic_share(self.best)

    def dynamic_share(self, name: str) -> float:
        """Return how much of the score of a puzzle is dynamic (0…1)."""
        return self.dynamic[name] / self.combined[name] if self.combined[name] else 0.0

    def rank(self, name: str) -> str:
        """Return the rank of a puzzle; where that is not 1, the rank by the dynamic score in brackets."""
        rank, dynamic_rank = (
            1 + sum(score > by[name] for score in by.values()) for by in (self.combined, self.dynamic)
        )
        return "1" if rank == 1 else f"{rank} ({dynamic_rank})"


@dataclass(frozen=True)
class Answer:
    """A line of a form: a puzzle that is similar to a query, and why, None where that is not asked."""

    query: str
    puzzle: str
    explanation: str | None


# The puzzle that an expert chose for each query, by the expert's form.
Choices = dict[str, dict[str, str]]


def different_puzzles(puzzles: Iterable[Puzzle], count: int) -> list[Puzzle]:
    """Return the first `count` puzzles of several moves with a motif, and none in common with those before.

    Raises `InputError` if there are fewer.
    """
    chosen: list[Puzzle] = []
    seen: set[str] = set()
    for puzzle in puzzles:
        motifs = set(motif_tags(puzzle.tags.split()))
        if motifs and not motifs & seen and len(puzzle.moves()) >= SHORTEST:
            seen |= motifs
            chosen.append(puzzle)
        if len(chosen) == count:
            return chosen
    raise InputError(f"only {len(chosen)} puzzles have motifs that no other of them has, not {count}")


def pool_of(searcher: PuzzleSearcher, queries: Sequence[Puzzle]) -> dict[str, Puzzle]:
    """Return the puzzle most like each query by static, by dynamic and by all terms; queries are left out."""
    names = {query.id for query in queries}
    pool: dict[str, Puzzle] = {}
    for query in queries:
        for by in By:
            hits = searcher.similar(query.id, by=by, k=len(queries), filters=FILTERS)
            others = (hit.puzzle for hit in hits if hit.puzzle.id not in names)
            pool |= {puzzle.id: puzzle for puzzle in list(others)[:1]}
    return pool


def score_pool(searcher: PuzzleSearcher, query: Puzzle, pool: Sequence[str], left_out: str = "") -> Scored:
    """Return the score of each puzzle of the pool for a query, in the index of all puzzles.

    Terms of the position that have one of the marks in `left_out` are not searched for.
    """
    encoding = searcher.encoding
    terms = query_terms(encode(Tactics.of(query), encoding))
    terms["static_positions"] = [
        term for term in terms["static_positions"] if not any(mark in term for mark in left_out)
    ]

    def scored(index: Index) -> list[dict[str, float]]:
        return [
            scores(index, clauses(index, terms, encoding, FIELDS_BY[by]), pool)
            for by in (By.COMBINED, By.DYNAMIC)
        ]

    combined, dynamic = searcher.answer(scored)
    return Scored(query, combined, dynamic)


def read_form(file: Path) -> list[Answer]:
    """Return what an expert filled in. Raises `TableError` for a line that is damaged, and `ArchiveError`."""

    def answer(row: Mapping[str, str]) -> Answer:
        return Answer(row["query"], row["puzzle"], row.get("explanation"))

    answers = []
    with open_archive(str(file)) as archive:
        for place, read in read_table(archive, ("query", "puzzle"), answer, ("explanation",)):
            if isinstance(read, InputError):
                raise TableError(f"{file}: {place}: {read}")
            answers.append(read)
    return answers


def choices_in(file: Path, answers: Iterable[Answer], scored: Mapping[str, Scored]) -> dict[str, str]:
    """Return the puzzle chosen for each query. Raises `TableError` if the form is for another pool."""
    choices = {answer.query: answer.puzzle for answer in answers}
    for query, puzzle in choices.items():
        if query not in scored or puzzle not in scored[query].combined:
            raise TableError(f"{file}: the form is not for these queries and puzzles: {query}, {puzzle}")
    return choices


def majority(choices: Choices, query: str) -> str | None:
    """Return the puzzle that more than half of those experts chose who chose any for a query, or None."""
    votes = Counter(chosen[query] for chosen in choices.values() if query in chosen)
    return next((puzzle for puzzle, count in votes.items() if 2 * count > votes.total()), None)


@dataclass(frozen=True)
class ExpertsReport:
    """Table 2: the scores of the pool for each query, and the experts' choices.

    The pool has `duplicates` fewer puzzles than were found. `explained` has, by form, how many results
    an expert could explain, and of how many; `ablation`, by what is left out of the queries, how much of the
    best score is dynamic then.
    """

    puzzles: int
    mode: str
    queries: int
    duplicates: int
    scored: Sequence[Scored]
    choices: Choices
    explained: Mapping[str, tuple[int, int]]
    ablation: Mapping[str, Sequence[float]]

    @property
    def shares(self) -> list[float]:
        """How much of the best score is dynamic, for each query (0…1)."""
        return [scored.best_share for scored in self.scored]

    @property
    def majority_shares(self) -> list[float]:
        """The same for the puzzle that most experts chose, where most chose one."""
        chosen = ((scored, majority(self.choices, scored.query.id)) for scored in self.scored)
        return [scored.dynamic_share(puzzle) for scored, puzzle in chosen if puzzle is not None]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as one JSON document."""
        return {
            "puzzles": self.puzzles,
            "mode": self.mode,
            "queries": self.queries,
            "duplicates": self.duplicates,
            "dynamic_shares": self.shares,
            "majority_dynamic_shares": self.majority_shares,
            "dynamic_shares_without": self.ablation,
            "table": [dict(zip(self.header, row, strict=True)) for row in self.rows],
            "explained": self.explained,
        }

    @property
    def header(self) -> list[str]:
        """The columns of Table 2."""
        experts = [column for expert in self.choices for column in (f"{expert}: score", f"{expert}: rank")]
        return ["query", "motifs", "top score", "mean", "SD", "dynamic", *experts]

    @property
    def rows(self) -> list[list[object]]:
        """The rows of Table 2, with the query's motifs and the share of the top score that is dynamic."""
        rows: list[list[object]] = []
        for scored, share in zip(self.scored, self.shares, strict=True):
            values = scored.combined.values()
            row: list[object] = [scored.query.id, " ".join(motif_tags(scored.query.tags.split()))]
            row += [f"{value:.2f}" for value in (max(values), mean(values), stdev(values), share)]
            for chosen in self.choices.values():
                puzzle = chosen.get(scored.query.id)
                row += [f"{scored.combined[puzzle]:.2f}", scored.rank(puzzle)] if puzzle else ["–", "–"]
            rows.append(row)
        return rows


def report_text(report: ExpertsReport) -> str:
    """Return Table 2, and how much of the scores is dynamic."""
    pool = len(report.scored[0].combined)
    lines = [
        f"{report.queries} queries among {report.puzzles:,} puzzles, {report.mode} mode: a pool of {pool}, "
        f"without {report.duplicates} duplicates; scores of the pool for {len(report.scored)} queries",
        table(report.header, report.rows, right="ll" + "r" * (len(report.header) - 2)),
        _share_text("The dynamic part of the top score", report.shares, PAPER_BEST),
        table(
            ["queries without", "dynamic part of the top score", "SD"],
            [
                [name, f"{mean(shares):.2f}", f"{stdev(shares):.2f}"]
                for name, shares in report.ablation.items()
            ],
            right="lrr",
        ),
    ]
    if report.choices:
        lines.append(
            _share_text("of what most experts chose", report.majority_shares, PAPER_MAJORITY)
            if len(report.majority_shares) > 1
            else "Most experts chose the same puzzle for fewer than two queries"
        )
    lines += [
        f"{form}: the similarity of {explained} of {asked} results is explained (published: 48 of 50)"
        for form, (explained, asked) in report.explained.items()
    ]
    return "\n\n".join(lines)


def _share_text(words: str, shares: Sequence[float], published: tuple[float, float]) -> str:
    figures = f"mean {mean(shares):.2f}, SD {stdev(shares):.2f}, {len(shares)} queries"
    return f"{words}: {figures} (published: {published[0]:.2f}, SD {published[1]:.2f})"


def choose_page(queries: Sequence[Puzzle], pool: Iterable[Puzzle]) -> str:
    """Return the page on which an expert chooses the most similar puzzle of the pool for each query."""
    return render(
        "benchmarks/experts.html", queries=[(_card(query), []) for query in queries], pool=[*map(_card, pool)]
    )


def explain_page(results: Iterable[tuple[Puzzle, Sequence[Puzzle]]]) -> str:
    """Return the page on which an expert says why the results for each query are similar to it."""
    queries = [(_card(query), [_card(puzzle) for puzzle in found]) for query, found in results]
    return render("benchmarks/experts.html", queries=queries, pool=[])


def _card(puzzle: Puzzle) -> dict[str, Any]:
    return puzzle_card(puzzle.position(), puzzle.moves(), puzzle)


def write_forms(
    folder: Path, searcher: PuzzleSearcher, queries: Sequence[Puzzle], pool: Iterable[Puzzle]
) -> None:
    """Write choose.html and explain.html. Raises `InputError` if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be created: {reason_of(error)}") from error
    found = (
        (query, [hit.puzzle for hit in searcher.similar(query.id, k=EXPLAINED, filters=FILTERS)])
        for query in queries
    )
    write_page(folder / "choose.html", choose_page(queries, pool))
    write_page(folder / "explain.html", explain_page(found))


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FORM.csv", help="forms that experts filled in"
    )
    parser.add_argument("--forms", type=Path, metavar="FOLDER", help="write the pages for experts")
    parser.add_argument("--queries", type=at_least(4), default=20, help="puzzles to search for; default: 20")
    parser.add_argument("--mode", choices=[*ENCODINGS], default=PAPER.name)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--db", metavar="URL")
    options = parser.parse_args()

    forms = {file: read_form(file) for file in options.files}
    order = Random(options.seed)
    with Store(options.db, create=False) as store, PuzzleSearcher(store, options.mode) as searcher:
        with store.reading() as session:
            names = puzzle_ids(session)
        queries = different_puzzles(read_named(store, order.sample(names, len(names))), options.queries)
        found = pool_of(searcher, queries)
        # In an order that does not show for which query a puzzle was found, or by which terms.
        pool = {name: found[name] for name in order.sample(sorted(found), len(found))}
        asked = queries[: len(queries) // 2]
        scored = {query.id: score_pool(searcher, query, list(pool)) for query in asked}
        ablation = {
            name: [score_pool(searcher, query, list(pool), marks).best_share for query in asked]
            for name, marks in LEFT_OUT.items()
        }
        if options.forms is not None:
            write_forms(options.forms, searcher, asked, pool.values())
            note(f"Written to {options.forms}: choose.html and explain.html, for experts to fill in")
    choices, explained = {}, {}
    for file, answers in forms.items():
        explanations = [answer.explanation for answer in answers if answer.explanation is not None]
        if explanations:
            explained[file.stem] = sum(map(bool, explanations)), len(explanations)
        else:
            choices[file.stem] = choices_in(file, answers, scored)
    report = ExpertsReport(
        len(names),
        options.mode,
        len(queries),
        len(By) * len(queries) - len(pool),
        [*scored.values()],
        choices,
        explained,
        ablation,
    )
    show(report_text(report), report.as_dict(), as_json=options.json)


if __name__ == "__main__":
    run(main)
