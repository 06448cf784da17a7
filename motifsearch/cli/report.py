"""The commands `motifsearch report`: how well the searches work."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chess_motif.console import JsonOption, note, print_json
from motifsearch.cli.options import HtmlOption, IndexOption
from puzzlegen.cli.options import DatabaseOption, EngineOption, open_store

if TYPE_CHECKING:
    from motifsearch.evaluation.pairs import PairFile

app = typer.Typer(help="Measures how well the search works.", no_args_is_help=True)


@app.command("pairs")
def pairs_command(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Pairs of positions, .csv or .pgn")
    ] = None,
    generate: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Make N pairs of stored puzzles, instead of reading FILE."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the pairs that were made, as .csv.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for choosing the puzzles of --generate.")] = 0,
    among: Annotated[
        int, typer.Option(min=0, metavar="N", help="Also search among N other stored puzzles.")
    ] = 0,
    html: HtmlOption = None,
    engine: EngineOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how often a position finds the simplified one that belongs to it."""
    if (file is None) == (generate is None):
        raise typer.BadParameter("either a FILE of pairs or --generate N is needed", param_hint="FILE")
    if out is not None and (generate is None or out.suffix.lower() != ".csv"):
        raise typer.BadParameter("goes with --generate, and ends in .csv", param_hint="--out")
    # Only here: it loads more than a search needs.
    from motifsearch.evaluation.generated_pairs import other_puzzles
    from motifsearch.evaluation.pair_accuracy import measure
    from motifsearch.evaluation.pairs import write_pairs
    from motifsearch.views.report_text import pairs_text

    pairs = _read_pairs(file) if generate is None else _generated_pairs(db, engine, generate, seed)
    if out is not None:
        write_pairs(out, pairs.pairs)
        note(f"{len(pairs.pairs)} pairs written to {out}")
    others = []
    if among:
        with open_store(db) as store:
            others = other_puzzles(store, among, pairs.pairs)
    report = measure(pairs, others)
    if html is not None:
        from motifsearch.views.html import write_page
        from motifsearch.views.report_page import pairs_page

        write_page(html, pairs_page(report))
    if json:
        print_json(report.as_dict())
        return
    print(pairs_text(report))
    pairs_file = file or out
    if html is not None:
        print(f"Written to {html}")
    elif pairs_file is not None:
        print(f"Next: motifsearch report pairs {pairs_file} --html pairs.html")


def _read_pairs(file: Path | None) -> PairFile:
    from motifsearch.evaluation.pairs import read_pairs

    assert file is not None
    pairs = read_pairs(file)
    for skipped in pairs.skipped:
        note(f"{file}: {skipped.place}: {skipped.reason}")
    return pairs


def _generated_pairs(db: str | None, engine: str | None, count: int, seed: int) -> PairFile:
    from chess_motif.terminal import TerminalProgress
    from motifsearch.evaluation.generated_pairs import generate_pairs
    from motifsearch.evaluation.pairs import PairFile

    with open_store(db) as store, TerminalProgress() as progress:
        workers = os.cpu_count() or 1
        found = generate_pairs(store, engine, count, seed=seed, workers=workers, progress=progress)
    if len(found) < count:
        note(f"only {len(found)} pairs: none of the other puzzles can be simplified")
    return PairFile(found)


@app.command("themes")
def themes_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Puzzles with themes, Lichess CSV")],
    queries: Annotated[int, typer.Option(min=1, help="Puzzles that are searched for.")] = 500,
    k: Annotated[int, typer.Option("-k", min=1, help="Results that are compared.")] = 5,
    json: JsonOption = False,
) -> None:
    """Measure how far the themes of a puzzle agree with those of the puzzles found for it."""
    from motifsearch.evaluation.themes import measure, read_labelled
    from motifsearch.views.report_text import themes_text

    report = measure(read_labelled(file), queries, k)
    if json:
        print_json(report.as_dict())
        return
    print(themes_text(report))


@app.command("runs")
def runs_command(
    queries: Annotated[Path, typer.Argument(metavar="QUERIES.fen", help="Positions, a FEN a line")],
    qrels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Grades of results, as TREC qrels.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write the results of each feature set as a TREC run."),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Results for each query.")] = 10,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="Write a page for grading the results.")
    ] = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Compare the feature sets for similar positions, and measure them by grades."""
    # Only here: searching positions loads more than searching puzzles.
    from chess_motif.terminal import TerminalProgress
    from motifsearch.evaluation.comparison import compare_runs
    from motifsearch.evaluation.position_queries import read_queries
    from motifsearch.evaluation.trec import QrelsFile, read_qrels, write_runs
    from motifsearch.views.report_text import runs_text

    asked = read_queries(queries)
    graded = QrelsFile() if qrels is None else read_qrels(qrels)
    for file, skipped in ((queries, asked.skipped), (qrels, graded.skipped)):
        for one in skipped:
            note(f"{file}: {one.place}: {one.reason}")
    grades = None if qrels is None else graded.grades
    with open_store(db) as store, TerminalProgress() as progress:
        report = compare_runs(
            store, asked.queries, k, grades, skipped=asked.skipped, directory=index, progress=progress
        )
    if out is not None:
        note(f"{len(write_runs(out, report.results))} runs written to {out}")
    if html is not None:
        from motifsearch.evaluation.grading import grading_task
        from motifsearch.views.html import write_page
        from motifsearch.views.report_page import grading_page

        write_page(html, grading_page(grading_task(asked.queries, report.results, grades)))
    if json:
        print_json(report.as_dict())
        return
    print(runs_text(report))
    given = "" if qrels is None else f" --qrels {qrels}"
    if html is None:
        print(f"\nNext: motifsearch report runs {queries}{given} --html grade.html")
    else:
        print(f"\nWritten to {html}: grade there, and save qrels.txt")
        print(f"\nNext: motifsearch report runs {queries} --qrels qrels.txt")


@app.command("transformations")
def transformations_command(
    queries: Annotated[int, typer.Option(min=1, help="Positions that are searched for.")] = 300,
    seed: Annotated[int, typer.Option(help="Seed for choosing the positions and the moves.")] = 0,
    index: IndexOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how often each feature set finds a position after one to four pieces have moved."""
    from chess_motif.terminal import TerminalProgress
    from motifsearch.evaluation.perturbation_report import measure
    from motifsearch.views.report_text import transformations_text

    with open_store(db) as store, TerminalProgress() as progress:
        report = measure(store, queries, seed=seed, directory=index, progress=progress)
    if len(report.sampled) < queries:
        note(f"only {len(report.sampled)} positions: no other game has one after its opening")
    if json:
        print_json(report.as_dict())
        return
    print(transformations_text(report))
