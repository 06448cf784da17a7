"""What commands print, shell completion, and what they say when their output cannot be written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chess_motif.console import json_text
from chess_motif.program import Program
from motifsearch.cli.main import app as motifsearch
from puzzlegen.cli.main import app as puzzlegen

PROGRAM = """
import sys
from chess_motif.console import run
from chess_motif.output import note

def app():
    note("working")
    print({text!r})
    sys.exit(0)

run(app, "command")
"""


READING = """
import sys
from chess_motif.console import run

run(lambda: print(ascii(sys.stdin.readline())), "command")
"""


def shell(script: str, program: str) -> subprocess.CompletedProcess[str]:
    """Run a script in which `"$0" -c "$1"` is a Python program."""
    if sys.platform == "win32":
        pytest.skip("Windows has no bash")
    command = ["bash", "-c", script, sys.executable, program]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def run(text: str, redirection: str) -> tuple[int, str]:
    """Return the exit status and stderr of a command that prints `text`."""
    done = shell(f'exec "$0" -c "$1" {redirection}', PROGRAM.format(text=text))
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("redirection", "read"), [("<&-", "''"), ("</dev/null", "''"), ("<<< $'e\\xff'", r"'e\ufffd\n'")]
)
def test_any_standard_input_can_be_read(redirection: str, read: str) -> None:
    done = shell(f'exec "$0" -c "$1" {redirection}', READING)
    assert (done.stdout.strip(), done.stderr) == (read, "")


full = pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no /dev/full")


@full
@pytest.mark.parametrize("size", [1, 100_000])
def test_a_full_disk_is_one_line(size: int) -> None:
    assert run("x" * size, "> /dev/full") == (
        1,
        "working\ncommand: standard output: no space left on device\n",
    )


@full
def test_a_full_disk_behind_stderr_stops_nothing() -> None:
    assert run("x", "2> /dev/full")[0] == 0


def test_a_closed_standard_output_is_one_line() -> None:
    assert run("x", ">&-") == (1, "command: standard output is closed\n")


def test_notes_do_not_get_into_the_result(tmp_path: Path) -> None:
    file = tmp_path / "result"
    run("x", f"2>&- > '{file}'")
    assert file.read_text() == "x\n"


@pytest.mark.parametrize("size", [1, 100_000])
def test_a_reader_that_leaves_early_is_not_reported(size: int) -> None:
    done = shell('{ sleep 0.2; "$0" -c "$1"; echo $? >&2; } | :', PROGRAM.format(text="x" * size))
    assert done.stderr == "working\n1\n"


def test_a_name_that_is_not_text_can_be_printed(tmp_path: Path) -> None:
    file = tmp_path / "result"
    assert run("\udce9.pgn", f"> '{file}'")[0] == 0
    assert file.read_text() == "\\udce9.pgn\n"


def test_input_and_output_are_utf_8_whatever_windows_has_chosen() -> None:
    windows = "import sys; sys.stdout.reconfigure(newline='\\r\\n')"
    program = f"{windows}{PROGRAM}".replace("{text!r}", "sys.stdin.readline()").replace('"working"', '"♞"')
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONIOENCODING": "cp1252"},
        input="♕ ü\n".encode(),
        capture_output=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("♕ ü\n\n".encode(), "♞\n".encode())


def test_numbers_in_json_are_rounded() -> None:
    document = {"score": 16.860000000000003, "of": [(1 / 3, 7, "0.123456", None, True)]}
    assert json.loads(json_text(document)) == {"score": 16.86, "of": [[0.3333, 7, "0.123456", None, True]]}


@dataclass
class Counts:
    found: int
    share: float


class Report:
    def as_dict(self) -> dict[str, object]:
        return {"counts": Counts(1, 0.5)}


def test_what_a_report_is_in_json() -> None:
    assert json.loads(json_text([Report()])) == [{"counts": {"found": 1, "share": 0.5}}]
    assert json.loads(json_text(iter([Counts(2, 1.0)]))) == [{"found": 2, "share": 1.0}]


@pytest.mark.parametrize(
    ("app", "typed", "completed"),
    [
        (puzzlegen, "puzzlegen mi", "mine"),
        (puzzlegen, "puzzlegen mine games.pgn --pattern b", "blunder"),
        (motifsearch, "motifsearch positions a", "add"),
    ],
)
def test_the_shell_completes_commands_and_values(app: Program, typed: str, completed: str) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    asking = {f"_{app.name.upper()}_COMPLETE": "complete_bash"} | words
    result = CliRunner().invoke(app.application(), prog_name=app.name, env=asking)
    assert completed in result.stdout.splitlines()
