"""The command `puzzlegen runs`: a list of the mining runs, and the details of one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Annotated, Any

import typer

from chess_motif.console import JsonOption, show
from chess_motif.errors import InputError
from chess_motif.tables import table
from db.models import MiningRun, in_utc
from db.runs import RunState, state_of, stored_runs
from db.store import Store
from puzzlegen.cli.options import DatabaseOption, next_step

# Runs that are listed.
NEWEST = 20

_COUNTS = ("games", "candidates", "puzzles", "positions_searched", "searches_reused", "nodes")


@dataclass(frozen=True)
class RunView:
    """A run as it is printed. Times are in UTC; `files` are the archives that it read."""

    number: int
    state: RunState
    started: str
    ended: str | None
    seconds: float | None
    engine: str
    files: list[str]
    counts: dict[str, int]
    rejected: dict[str, int]
    skipped: dict[str, int]
    examples: dict[str, str]


def runs_command(
    number: Annotated[
        int | None, typer.Argument(min=1, metavar="[NUMBER]", help="Show all that is known of this run.")
    ] = None,
    db: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """List the mining runs: which go on, which ended, and which were killed.

    The text shows the newest 20, JSON all.
    """
    with Store(db, create=False) as store, store.reading() as session:
        if number is not None:
            run = session.get(MiningRun, number)
            if run is None:
                raise InputError(f"there was no run {number}; 'puzzlegen runs' lists them")
            seen = _view(store, run)
            show(seen, lambda: run_text(seen), json)
            return
        runs = stored_runs(session, None if json else NEWEST)
        views = [_view(store, run) for run in runs]
    show(views, lambda: runs_text(views, db), json)


def _view(store: Store, run: MiningRun) -> RunView:
    state, summary = state_of(store, run), run.summary or {}
    last = run.finished or run.updated
    return RunView(
        number=run.number,
        state=state,
        started=_moment(run.started),
        ended=_moment(run.finished) if run.finished else None,
        seconds=(in_utc(last) - in_utc(run.started)).total_seconds() if last else None,
        engine=run.engine,
        files=[str(file) for file in run.files],
        counts={name: int(summary.get(name, 0)) for name in _COUNTS},
        **{name: dict(summary.get(name, {})) for name in ("rejected", "skipped", "examples")},
    )


def runs_text(views: list[RunView], db: str | None) -> str:
    """Return a table of runs, the newest first."""
    if not views:
        return "There has been no mining run yet."
    rows: list[list[Any]] = [
        [
            view.number,
            view.state.value,
            view.started[:16],
            _time(view.seconds),
            *(f"{view.counts[name]:,}" for name in ("games", "candidates", "puzzles", "nodes")),
            _names(view.files),
        ]
        for view in views
    ]
    columns = ["run", "state", "started (UTC)", "time", "games", "candidates", "puzzles", "nodes", "files"]
    step = next_step("puzzlegen", "runs", str(views[0].number), db=db)
    return f"{table(columns, rows, right='rllrrrrrl')}\n\n{step}"


def run_text(view: RunView) -> str:
    """Return all that is known of a run."""
    rows: list[list[Any]] = [
        ["run", view.number, ""],
        ["state", view.state.value, ""],
        ["started (UTC)", view.started, ""],
        ["time", _time(view.seconds), ""],
        ["engine", view.engine, ""],
        *(["file", PurePath(file).name, ""] for file in view.files),
        *([name.replace("_", " "), f"{count:,}", ""] for name, count in view.counts.items()),
    ]
    for kind, counts in (("rejected", view.rejected), ("skipped", view.skipped)):
        rows += [
            [f"{kind}: {reason}", f"{count:,}", view.examples.get(reason, "")]
            for reason, count in counts.items()
        ]
    return table(["", "", "for example"], rows, right="lll")


def _moment(time: datetime) -> str:
    return f"{in_utc(time):%Y-%m-%d %H:%M:%S}"


def _names(files: list[str]) -> str:
    names = [PurePath(file).name for file in files]
    return ", ".join(names) if len(names) <= 2 else f"{names[0]} and {len(names) - 1} more"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}"
