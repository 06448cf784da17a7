"""The commands that show, read and write puzzles: `list`, `show`, `import`, `export`, `stats` and `tags`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chess_motif.console import JsonOption, json_text, show, with_options
from chess_motif.errors import InputError
from chess_motif.output import STANDARD_OUTPUT, note
from chess_motif.progress import TerminalProgress
from chess_motif.tables import table, terminal_width
from db.puzzles import find_puzzles, get_puzzle
from db.selection import Selection, count_selected, select_puzzles
from db.store import Store
from puzzlegen.cli.filters import note_unjudged, puzzle_selection
from puzzlegen.cli.options import (
    DatabaseOption,
    EngineOption,
    ExportArgument,
    FormatOption,
    PuzzleArgument,
    RandomOption,
    SeedOption,
    bounds,
    export_options,
    next_step,
    note_export,
    sample_seed,
)
from puzzlegen.cli.text import list_text, puzzle_text
from puzzlegen.formats.exporting import ExportOptions, Format, export_puzzles

# Each command imports what only it needs, so that the others start faster.
if TYPE_CHECKING:
    from puzzlegen.formats.importing import ImportReport
    from puzzlegen.upkeep.stats import Stats, TagCount

# Puzzles that `list` shows as text by default.
LISTED = 20

# The most columns for the table of `tags`, the fewest for a definition, and those for the counts with the
# space around them.
MOST_COLUMNS = 120
LEAST_DEFINITION = 40
OTHER_COLUMNS = 12


@with_options(selection=puzzle_selection)
def list_command(
    *,
    selection: Selection,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """List the puzzles in the database, one per line.

    Without --limit, --random or ids, the text shows the first 20.
    """
    if not json and selection.limit is None and selection.sample is None and selection.names is None:
        selection = replace(selection, limit=LISTED)
    with Store(db, create=False) as store, store.reading() as session:
        note_unjudged(store, selection.filters, selection.names)
        puzzles = list(select_puzzles(session, selection))

        def text() -> str:
            if puzzles:
                listed = list_text(puzzles, count_selected(session, selection), terminal_width())
                return f"{listed}\n\n{next_step('puzzlegen', 'show', puzzles[0].id, db=db)}"
            if not count_selected(session, Selection()):
                return "No puzzles yet: 'puzzlegen mine' finds them in games, 'puzzlegen import' reads them."
            return "No puzzle passes the filters."

        def documents() -> Iterable[object]:
            from puzzlegen.formats.jsonl import as_dict

            return map(as_dict, puzzles)

        show(documents, text, json)


def show_command(
    puzzle_id: PuzzleArgument,
    tree: Annotated[
        bool,
        typer.Option(
            "--tree", help="Also show the tree of the moves that make sense to a person, found by an engine."
        ),
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="Also write the tree as a web page.")
    ] = None,
    engine: EngineOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Show one puzzle with its board and solution."""
    if html is not None and not tree:
        raise typer.BadParameter("needs --tree", param_hint="--html")
    from puzzlegen.formats.jsonl import as_dict

    parts: list[str] = []
    with Store(db, create=False) as store:
        with store.reading() as session:
            puzzle = get_puzzle(session, puzzle_id)
        document = as_dict(puzzle)
        if tree:
            from puzzlegen.difficulty.attributes import stored_attributes
            from puzzlegen.difficulty.views import attributes_text, tree_page, tree_text

            attributes = stored_attributes(store, puzzle, engine)
            document["tree"] = attributes
            parts += [tree_text(attributes.tree, puzzle.moves()), attributes_text(attributes)]
            if html is not None:
                from chess_motif.pages import write_page

                write_page(html, tree_page(puzzle.id, attributes, puzzle.moves()))
                parts.append(f"Written to {html}")
    parts.append(next_step("motifsearch", "similar", puzzle.id, db=db))
    show(document, lambda: "\n\n".join([puzzle_text(puzzle), *parts]), json)


def import_command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Lichess puzzle CSV, EPD, PGN with set-up positions, or JSON lines; may be compressed",
        ),
    ],
    rating: Annotated[
        str | None, typer.Option(metavar="MIN-MAX", help="Rating in the file, such as 1200-1600 or 1800-.")
    ] = None,
    popularity: Annotated[
        str | None,
        typer.Option(metavar="MIN-MAX", help="Popularity in the file, up to 100, such as 90-."),
    ] = None,
    plays: Annotated[
        str | None, typer.Option(metavar="MIN-MAX", help="Number of plays in the file, such as 500-.")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TAG,...",
            help="Only puzzles with this theme in the file, or with one of several separated by commas. "
            "Repeat the option to require several.",
        ),
    ] = None,
    random: RandomOption = None,
    seed: SeedOption = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Import puzzles from a file.

    The options select puzzles by what the file says about them.
    """
    from puzzlegen.formats.importing import ImportFilter, import_puzzles
    from puzzlegen.indexer import indexed

    wanted = ImportFilter(
        rating=bounds(rating, "--rating"),
        popularity=bounds(popularity, "--popularity"),
        plays=bounds(plays, "--plays"),
        tags=tuple(tag or ()),
        sample=random,
        seed=sample_seed(seed, random),
    )
    with Store(db) as store, TerminalProgress() as progress:
        report = indexed(
            store, lambda observer: import_puzzles(file, store, progress, wanted, observer), progress
        )
        with store.reading() as session:
            example = next(find_puzzles(session, limit=1), None)
    step = f"\n\n{next_step('motifsearch', 'similar', example.id, db=db)}" if example else ""
    show(report, lambda: import_text(report) + step, json)
    if report.damage:
        raise InputError(report.damage)


@with_options(chosen=export_options, selection=puzzle_selection)
def export_command(
    file: ExportArgument,
    file_format: FormatOption = None,
    *,
    chosen: tuple[Format, ExportOptions],
    selection: Selection,
    since: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="CHANGE",
            help="Only what was stored, changed or deleted after the change with this number. Each export "
            "says with which number to continue.",
        ),
    ] = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Write puzzles to a file: Lichess CSV, PGN, EPD, JSON lines, Anki deck, PDF to print, or web page.

    The web page (.html) lets people solve the puzzles, and works offline.
    """
    if json and file == STANDARD_OUTPUT:
        raise typer.BadParameter("cannot be used with -, where the puzzles go", param_hint="--json")
    if since is not None and (selection.limit is not None or selection.sample is not None):
        reason = "cannot be used with --limit or --random: what they leave out would not come later"
        raise typer.BadParameter(reason, param_hint="--since")
    file_format, options = chosen
    selection = replace(selection, filters=replace(selection.filters, solver=options.solver or None))
    with Store(db, create=False) as store:
        report = export_puzzles(file, store, file_format, selection=selection, since=since, options=options)
        note_unjudged(store, replace(selection.filters, since=since), selection.names)
    if json:
        print(json_text({"file": file, **vars(report)}))
        return
    note_export(report)
    if since is not None:
        note(f"Continue with --since {report.last_change}")


def stats_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """Count what is in the database."""
    from puzzlegen.upkeep.stats import stats

    with Store(db, create=False) as store:
        counts, database = stats(store), store.shown
    show(counts, lambda: stats_text(counts, database), json)


def tags_command(db: DatabaseOption = None, json: JsonOption = False) -> None:
    """List all tags with their definitions, and how many puzzles in the database have them."""
    from puzzlegen.upkeep.stats import count_tags

    with Store(db, create=False) as store:
        counts = count_tags(store)
    most_frequent = max(counts, key=lambda count: count.puzzles)

    def text() -> str:
        step = next_step("puzzlegen", "list", "--tag", most_frequent.tag, db=db)
        listed = tags_text(counts, min(terminal_width(), MOST_COLUMNS))
        return f"{listed}\n\n{step}" if most_frequent.puzzles else listed

    show(counts, text, json)


def import_text(report: ImportReport) -> str:
    """Return the counts of an import."""
    rows = [
        ["entries", report.entries],
        *([["left out", report.left_out]] if report.left_out else []),
        ["puzzles stored", report.stored],
        ["already known", report.known],
        *([["of these, updated", report.updated]] if report.updated else []),
        *([["deleted", report.deleted]] if report.deleted else []),
        ["skipped", report.skipped],
    ]
    return table(["", "count"], rows, right="lr")


def stats_text(stats: Stats, database: str) -> str:
    """Return the counts of a store; `database` is its URL without the password."""
    rows: list[list[object]] = [["puzzles", stats.puzzles]]
    rows += [["exercises", stats.exercises]] if stats.exercises else []
    rows += [["games they come from", stats.games]]
    rows += [[f"source: {name}", count] for name, count in stats.sources.items()]
    rows += [[f"ends: {name}", count] for name, count in stats.ends.items()]
    rows += [[f"audit: {verdict}", count] for verdict, count in stats.verdicts.items()]
    rows += [[f"solver moves: {length}", count] for length, count in stats.solver_moves.items()]
    rows += [["strict (gap ≥ 0.7)", stats.strict], ["found in the game", stats.found_in_game]]
    if stats.ratings:
        rows.append(["ratings", f"{stats.ratings[0]}–{stats.ratings[1]}"])
    rows.append(["number of the last change", stats.last_change])
    return f"{database}\n\n{table(['', 'count'], rows, right='lr')}"


def tags_text(counts: Sequence[TagCount], width: int) -> str:
    """Return a table of tags, with their definitions folded for a terminal of `width` columns."""
    widest = max(len(count.tag) for count in counts)
    room = max(LEAST_DEFINITION, width - widest - OTHER_COLUMNS)
    rows = []
    for count in counts:
        first, *others = textwrap.wrap(count.definition, room)
        rows += [[count.tag, f"{count.puzzles:,}", first], *(["", "", line] for line in others)]
    return table(["tag", "puzzles", "what it shows"], rows, right="lr")
