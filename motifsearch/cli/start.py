"""The command `chess-motif`: the page in the browser, with puzzles to begin with."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import platformdirs
import typer
from filelock import FileLock, Timeout
from sqlalchemy.orm import Session

from chess_motif.console import VersionOption, run
from chess_motif.errors import InputError
from chess_motif.output import note
from db.puzzles import count_puzzles
from db.store import Store, get_fact, set_fact
from motifsearch.cli.serve import HOST, PORT, link_to, listening, serve
from puzzlegen.formats.importing import ImportFilter, import_puzzles

# Puzzles that come with the program, see samples/README.md. A few of them are stored before the page opens,
# and all others, which takes some seconds, while the first one is solved.
SAMPLES = str(Path(__file__).parents[1] / "web" / "samples.jsonl.zst")
AT_ONCE = 40

# The fact that says whether the samples are being stored, or were; none where there were puzzles before.
FACT = "samples"
BEGUN, DONE = "begun", "done"

# Seconds that a second start waits for the first one to say where its page is.
PATIENCE = 10

# Where no variable is set, Linux has no screen for a browser.
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def start(version: VersionOption = False) -> None:
    """Open the page for solving and searching puzzles in the browser, with puzzles to begin with.

    puzzlegen makes puzzles from games, and imports and exports them.

    motifsearch finds similar puzzles and positions, makes training sets, and serves the page to others.
    """
    with Store() as store, _only_one(store) as told:
        if told is None:
            return
        bring_samples(store)
        try:
            opened = listening(HOST, PORT)
        except InputError:
            opened = listening(HOST, 0)
        with opened:
            link = link_to(opened)
            told.write_text(link, encoding="utf-8")
            note(f"The page is at {link}; Ctrl-C ends it.")
            # The browser's request is answered as soon as the server runs.
            Thread(target=show, args=(link,), daemon=True).start()
            serve(opened)


@contextmanager
def _only_one(store: Store) -> Iterator[Path | None]:
    """Yield the file for the page's address; if the page is open already, show it and yield None."""
    place = store.path or platformdirs.user_data_path("chess-motif", ensure_exists=True) / "puzzles.db"
    told, lock = place.with_suffix(".page"), FileLock(place.with_suffix(".page.lock"))
    try:
        lock.acquire(blocking=False)
    except Timeout:
        link = _link_in(told)
        note(f"The page is open already, at {link}")
        show(link)
        yield None
        return
    with lock:
        told.unlink(missing_ok=True)
        yield told


def _link_in(told: Path) -> str:
    """Return the link in a file that is about to be written."""
    for _ in range(10 * PATIENCE):
        if told.is_file() and (link := told.read_text(encoding="utf-8")):
            return link
        time.sleep(0.1)
    raise InputError(f"{told}: another start does not say where its page is; try again, or end that one")


def bring_samples(store: Store) -> Thread | None:
    """Store the samples in a database without other puzzles; return the thread that stores most of them."""

    def begin(session: Session) -> bool:
        state = get_fact(session, FACT)
        if state == DONE or (state is None and count_puzzles(session, most=1)):
            return False
        set_fact(session, FACT, BEGUN)
        return True

    def bring() -> None:
        import_puzzles(SAMPLES, store)
        store.transact(lambda session: set_fact(session, FACT, DONE))

    if store.read_only or not store.transact(begin):
        return None
    import_puzzles(SAMPLES, store, wanted=ImportFilter(sample=AT_ONCE))
    # Whoever ends the page at once waits for it: native code aborts in a thread that is given up.
    thread = Thread(target=bring)
    thread.start()
    return thread


def show(link: str) -> None:
    """Open the browser, if there is a screen for it."""
    if sys.platform in ("win32", "darwin") or not os.environ.keys().isdisjoint(SCREENS):
        webbrowser.open(link)


def main() -> None:
    """Run the command `chess-motif`."""
    run(app, "chess-motif")
