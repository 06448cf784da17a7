"""Ctrl-C and SIGTERM: while a command is being imported, during its work, and in the workers it starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from chess_motif.interruption import INTERRUPTED, TERMINATED, interruptible
from tests.helpers.paths import ROOT
from tests.helpers.systems import UNIX

pytestmark = UNIX

SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]

# Sends the signal when typer is imported, which every command needs, and hides the exception.
STARTING = """
import os, signal, sys

class Signalling:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            try:
                os.kill(os.getpid(), signal.{name})
            except KeyboardInterrupt as error:
                raise ImportError from error

sys.meta_path.insert(0, Signalling())
from {module} import {function} as start
start()
"""

WORKING = """
import os, signal
from chess_motif.console import run

def app():
    try:
        os.kill(os.getpid(), signal.{name})
    except KeyboardInterrupt as error:
        raise ImportError from error

run(app, "command")
"""


# A signal comes while Python calls a destructor, whose exceptions it ignores.
DESTROYING = """
import os, signal, time
from chess_motif.console import run

class Destroyed:
    def __del__(self):
        os.kill(os.getpid(), signal.{name})

def app():
    Destroyed()
    # Without signals to threads, a sleep on Linux is not cut short.
    for _ in range(600):
        time.sleep(0.1)

run(app, "command")
"""


def ended(program: str) -> tuple[int, str]:
    """Return the exit status and stderr of a Python program."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


SIGNALS = pytest.mark.parametrize(
    ("signal_name", "status"), [("SIGINT", INTERRUPTED), ("SIGTERM", TERMINATED)]
)


@SIGNALS
@pytest.mark.parametrize("command", SCRIPTS)
def test_a_command_that_is_still_importing_ends_with_a_line(
    command: str, signal_name: str, status: int
) -> None:
    module, _, function = SCRIPTS[command].partition(":")
    program = STARTING.format(name=signal_name, module=module, function=function)
    assert ended(program) == (status, f"{command}: interrupted\n")


@SIGNALS
@pytest.mark.parametrize(
    "program",
    [WORKING, DESTROYING, f"import signal; del signal.pthread_kill{DESTROYING}"],
    ids=["another error", "an ignored exception", "an ignored exception on Windows"],
)
def test_what_a_signal_causes_is_an_interruption(program: str, signal_name: str, status: int) -> None:
    said = "command: interrupted; what was finished is saved\n"
    assert ended(program.format(name=signal_name)) == (status, said)


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruptible() as interruption:
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert interruption.status == 0


def test_what_handled_signals_before_does_so_again() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), interruptible() as interruption:
        os.kill(os.getpid(), signal.SIGTERM)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert interruption.status == TERMINATED


@pytest.mark.parametrize(("name", "where"), [("db", "db/__init__.py"), ("engines", "engines.py")])
def test_a_package_in_the_way_of_ours(tmp_path: Path, name: str, where: str) -> None:
    file = tmp_path / where
    file.parent.mkdir(exist_ok=True)
    file.write_text("print 'for Python 2'\n")
    status, said = ended(
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from puzzlegen.__main__ import main; main()"
    )
    assert status == 1
    assert said.startswith(f"puzzlegen: {file} is in the way of chess-motif's own package {name};")
    assert said.count("\n") == 1
