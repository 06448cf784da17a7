"""Work in the background."""

from __future__ import annotations

import threading

from chess_motif.progress import Progress
from motifsearch.web.jobs import Jobs


def test_work_that_is_stopped_while_it_waits_has_ended() -> None:
    begun = threading.Event()

    def work(progress: Progress) -> None:
        while not progress.stopping:
            begun.set()
        raise KeyboardInterrupt

    jobs = Jobs()
    jobs.begin("games", "anna", work)
    begun.wait()
    jobs.stop()
    state = jobs.state
    assert state is not None
    assert (state.ended, state.stopped, state.error) == (True, True, "")
