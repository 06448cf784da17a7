"""The commands `motifsearch report`, which measure how well the searches work."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chess_motif.console import JsonOption, note, print_json
from chess_motif.text import counted
from motifsearch.cli.options import HtmlOption, IndexOption
from motifsearch.cli.report_engines import engines_command
from motifsearch.positions.colours import Colours
from puzzlegen.cli.options import DatabaseOption, EngineOption, next_step, open_store

if TYPE_CHECKING:
    from motifsearch.evaluation.pairs import PairFile, Skipped
    from motifsearch.evaluation.trec import Grades

ColoursOption = Annotated[
    Colours, typer.Option(help="Search with the colours of a position, or with either.")
]

app = typer.Typer(help="Measures how well searches and engines work.", no_args_is_help=True)
app.command("engines")(engines_command)


@app.command("pairs")
def pairs_command(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Pairs of positions, .csv or .pgn")
    ] = None,
    generate: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Make N pairs from stored puzzles instead of reading FILE."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the generated pairs, as .csv.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for choosing the puzzles of --generate.")] = 0,
    among: Annotated[
        int, typer.Option(min=0, metavar="N", help="Search among N other stored puzzles, too.")
    ] = 0,
    html: HtmlOption = None,
    engine: EngineOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how often a search for a position finds its simplified partner."""
    if (file is None) == (generate is None):
        raise typer.BadParameter("give either a FILE of pairs or --generate N", param_hint="FILE")
    if out is not None and (generate is None or out.suffix.lower() != ".csv"):
        raise typer.BadParameter("needs --generate, and a name that ends in .csv", param_hint="--out")
    # Imported only here: a search does not need it.
    from motifsearch.evaluation.generated_pairs import other_puzzles
    from motifsearch.evaluation.pair_accuracy import measure
    from motifsearch.evaluation.pairs import write_pairs
    from motifsearch.views.reports.text import pairs_text

    pairs = _read_pairs(file) if generate is None else _generated_pairs(db, engine, generate, seed)
    if out is not None:
        write_pairs(out, pairs.pairs)
        note(f"{counted(len(pairs.pairs), 'pair')} written to {out}")
    others = []
    if among:
        with open_store(db) as store:
            others = other_puzzles(store, among, pairs.pairs)
    report = measure(pairs, others)
    if html is not None:
        from chess_motif.pages.html import write_page
        from motifsearch.views.reports.page import pairs_page

        write_page(html, pairs_page(report))
    if json:
        print_json(report.as_dict())
        return
    print(pairs_text(report))
    pairs_file = file or out
    if html is not None:
        print(f"Written to {html}")
    elif pairs_file is not None:
        print(next_step("motifsearch", "report", "pairs", str(pairs_file), "--html", "pairs.html", db=None))


def _read_pairs(file: Path | None) -> PairFile:
    from motifsearch.evaluation.pairs import read_pairs

    assert file is not None
    pairs = read_pairs(file)
    _note_skipped(file, pairs.skipped)
    return pairs


def _note_skipped(file: Path, skipped: Sequence[Skipped]) -> None:
    for entry in skipped:
        note(f"{file}: {entry}")


def _generated_pairs(db: str | None, engine: str | None, count: int, seed: int) -> PairFile:
    from chess_motif.terminal import TerminalProgress
    from motifsearch.evaluation.generated_pairs import generate_pairs
    from motifsearch.evaluation.pairs import PairFile

    with open_store(db) as store, TerminalProgress() as progress:
        workers = os.cpu_count() or 1
        pairs = generate_pairs(store, engine, count, seed=seed, workers=workers, progress=progress)
    if len(pairs) < count:
        note(f"only {len(pairs)} pairs: no other puzzle can be simplified")
    return PairFile(pairs)


@app.command("themes")
def themes_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Puzzles with themes, Lichess CSV")],
    queries: Annotated[int, typer.Option(min=1, help="Number of puzzles to search for.")] = 500,
    k: Annotated[int, typer.Option("-k", min=1, help="Number of results to compare.")] = 5,
    json: JsonOption = False,
) -> None:
    """Measure how far the themes of a puzzle agree with those of the puzzles found for it."""
    from motifsearch.evaluation.themes import measure, read_labelled
    from motifsearch.views.reports.text import themes_text

    report = measure(read_labelled(file), queries, k)
    if json:
        print_json(report.as_dict())
        return
    print(themes_text(report))


@app.command("runs")
def runs_command(
    queries: Annotated[Path, typer.Argument(metavar="QUERIES.fen", help="Positions, a FEN on each line")],
    qrels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Grades of results, as TREC qrels.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the results of each run as a TREC run."),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Number of results for each query.")] = 10,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="Write a page for grading the results.")
    ] = None,
    colours: ColoursOption = Colours.SAME,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Compare the runs of `positions similar`, by the results that they share or by grades."""
    # Imported only here: a search does not need it.
    from chess_motif.terminal import TerminalProgress
    from motifsearch.evaluation.comparison import compare_runs
    from motifsearch.evaluation.position_queries import read_queries
    from motifsearch.evaluation.trec import write_runs
    from motifsearch.views.reports.text import runs_text

    query_file = read_queries(queries)
    _note_skipped(queries, query_file.skipped)
    grades = None if qrels is None else _read_grades(qrels)
    with open_store(db) as store, TerminalProgress() as progress:
        report = compare_runs(
            store,
            query_file.queries,
            k,
            grades,
            skipped=query_file.skipped,
            colours=colours,
            directory=index,
            progress=progress,
        )
    if out is not None:
        note(f"{counted(len(write_runs(out, report.results)), 'run')} written to {out}")
    if html is not None:
        from chess_motif.pages.html import write_page
        from motifsearch.evaluation.grading import grading_task
        from motifsearch.views.reports.page import grading_page

        write_page(html, grading_page(grading_task(query_file.queries, report.results, grades)))
    if json:
        print_json(report.as_dict())
        return
    print(runs_text(report))
    if html is not None:
        print(f"\nWritten to {html}: grade the results there and save qrels.txt")
    print(f"\n{next_step(*_next_runs(queries, qrels, html), db=db, index=index)}")


def _read_grades(file: Path) -> Grades:
    from motifsearch.evaluation.trec import read_qrels

    qrels = read_qrels(file)
    _note_skipped(file, qrels.skipped)
    return qrels.grades


def _next_runs(queries: Path, qrels: Path | None, html: Path | None) -> list[str]:
    """Return the command that writes a page for grading or, once there is one, uses its grades."""
    command = ["motifsearch", "report", "runs", str(queries)]
    if html is not None:
        return [*command, "--qrels", "qrels.txt"]
    return [*command, *([] if qrels is None else ["--qrels", str(qrels)]), "--html", "grade.html"]


@app.command("transformations")
def transformations_command(
    queries: Annotated[int, typer.Option(min=1, help="Number of positions to search for.")] = 300,
    seed: Annotated[int, typer.Option(help="Seed for choosing the positions and the moves.")] = 0,
    colours: ColoursOption = Colours.SAME,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how often each run finds a position in which one to four pieces have been moved."""
    from chess_motif.terminal import TerminalProgress
    from motifsearch.evaluation.perturbation_report import measure
    from motifsearch.views.reports.text import transformations_text

    with open_store(db) as store, TerminalProgress() as progress:
        report = measure(store, queries, seed=seed, colours=colours, directory=index, progress=progress)
    if len(report.sampled) < queries:
        note(f"only {len(report.sampled)} positions: no other game has one that can be used")
    if json:
        print_json(report.as_dict())
        return
    print(transformations_text(report))
