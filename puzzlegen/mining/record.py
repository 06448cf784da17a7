"""The record of a run: its counts, which are stored and logged while it goes on, and its outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from chess_motif.errors import ChessMotifError
from chess_motif.logs import log_event
from chess_motif.progress import Progress
from db.models import MiningRun, utc_now
from db.runs import RunState, holding_run
from db.store import Store
from puzzlegen.mining.report import MiningSummary, Report

# Seconds between log entries about the progress of a run.
LOG_EVERY = 60.0


@dataclass
class RunRecord:
    """The record of the run `number`. Its `summary` does not include earlier runs.

    `hold` must be called now and then (see `db.runs.holding_run`).
    """

    number: int
    summary: MiningSummary = field(default_factory=MiningSummary)
    hold: Callable[[], None] = field(default=lambda: None)
    _logged: float = field(default_factory=time.monotonic)

    def add_file(self, session: Session, name: str) -> None:
        """Store that the run reads the archive of this name."""
        run = session.get_one(MiningRun, self.number)
        run.files = [*run.files, name]

    def save(self, session: Session, summary: MiningSummary, outcome: RunState | None = None) -> None:
        """Store the summary and, at the end of the run, the outcome."""
        values = {"summary": summary.as_dict(), "updated": utc_now()}
        if outcome is not None:
            values |= {"finished": utc_now(), "outcome": outcome.value}
        session.execute(update(MiningRun).where(MiningRun.number == self.number).values(**values))

    def show(self) -> None:
        """Log the summary so far, at most every `LOG_EVERY` seconds."""
        now = time.monotonic()
        if now - self._logged >= LOG_EVERY:
            self._logged = now
            counts = {name: value for name, value in vars(self.summary).items() if isinstance(value, int)}
            log_event("saved", run=self.number, **counts)


@contextmanager
def recorded_run(
    store: Store, report: Report, rules: dict[str, Any], progress: Progress
) -> Generator[RunRecord]:
    """Store a mining run, and yield its record. The end of the block is stored as the outcome of the run.

    The report then has the duration of the run, and whether it was interrupted.
    """
    started = time.monotonic()

    def begin(session: Session) -> int:
        run = MiningRun(engine=report.engine, rules=rules)
        session.add(run)
        session.flush()
        return run.number

    number = store.transact(begin)
    record = RunRecord(number)
    log_event("run began", run=number, engine=report.engine, rules=rules)
    outcome, reason = RunState.FAILED, ""
    try:
        with holding_run(store, number) as record.hold:
            yield record
        outcome = RunState.INTERRUPTED if progress.stopping else RunState.ENDED
    except ChessMotifError as error:
        reason = str(error)
        raise
    except KeyboardInterrupt:
        outcome = RunState.INTERRUPTED
        raise
    finally:
        report.interrupted = progress.stopping
        report.seconds = time.monotonic() - started
        how = {"outcome": outcome.value, "reason": reason, "seconds": round(report.seconds, 1)}
        log_event("run ended", run=record.number, **how, **record.summary.as_dict())
        store.transact(lambda session: record.save(session, record.summary, outcome))
