"""Files that appear completely or not at all, whatever is at their path."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from chess_motif.errors import InputError
from chess_motif.output import output
from tests.helpers.systems import UNIX


def write(path: Path, text: str = "new") -> None:
    with output(str(path)) as out:
        out.write(text)


@pytest.fixture
def full_disk() -> Iterator[None]:
    """A limit of 1,000 bytes a file, beyond which writing fails as on a full disk."""
    resource = pytest.importorskip("resource", reason="Windows has no limits")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_failure_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.csv"
    file.write_text("old")
    with pytest.raises(TypeError), output(str(file)) as out:
        out.write(b"new")  # type: ignore[arg-type]
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_what_a_killed_process_left_is_removed_when_nobody_can_be_writing_it(tmp_path: Path) -> None:
    file, other = tmp_path / "puzzles.csv", tmp_path / ".puzzles.csv.mine"
    other.write_text("not ours")
    left = [tmp_path / f".puzzles.csv.{name}.part" for name in ("old", "new")]
    for part in left:
        part.write_text("half")
    os.utime(left[0], (0, time.time() - 2 * 24 * 60 * 60))
    os.utime(other, (0, 0))
    write(file)
    assert set(tmp_path.iterdir()) == {file, other, left[1]}


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.csv"
    file.write_text("old")
    with pytest.raises(InputError, match=r"puzzles\.csv: cannot be written: file too large"):
        write(file, "x" * 2_000)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_a_symbolic_link_is_followed(tmp_path: Path) -> None:
    folder, link = tmp_path / "elsewhere", tmp_path / "link.csv"
    folder.mkdir()
    link.symlink_to("elsewhere/puzzles.csv")
    for text in ("first", "second"):
        write(link, text)
        assert link.is_symlink()
        assert (folder / "puzzles.csv").read_text() == text


@UNIX
def test_a_named_pipe_is_written_to(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe.csv", list[str]()
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write(pipe)
    reader.join(10)
    assert read == ["new"]
    assert pipe.is_fifo()


@UNIX
def test_a_device_stays_a_device(tmp_path: Path) -> None:
    # Of the same kind as /dev/full.
    device = tmp_path / "full.csv"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
    except PermissionError:
        pytest.skip("devices can only be made by root")
    with pytest.raises(InputError, match="no space left on device"):
        write(device)
    assert device.is_char_device()


@UNIX
def test_permissions_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "private.csv"
    file.touch(0o600)
    write(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_path_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    for path, reason in [
        (loop, "too many levels of symbolic links"),
        (tmp_path, "is a directory"),
        (tmp_path / "nowhere" / "x.csv", "no such file or directory"),
    ]:
        with pytest.raises(InputError) as caught:
            write(path)
        assert str(caught.value) == f"{path}: cannot be written: {reason}"


@pytest.mark.usefixtures("windows_files")
def test_on_windows_a_file_is_replaced_once_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "puzzles.csv"
    file.write_text("old", encoding="utf-8")
    opened = file.open(encoding="utf-8")
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr("time.sleep", lambda _: opened.close())
    write(file)
    assert file.read_text(encoding="utf-8") == "new"


@pytest.mark.usefixtures("windows_files")
def test_on_windows_a_file_that_stays_open_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "puzzles.csv"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr("chess_motif.output.OPEN", 0.0)
    with (
        file.open("w", encoding="utf-8"),
        pytest.raises(
            InputError, match=r"puzzles\.csv: cannot be written: the process cannot access the file"
        ),
    ):
        write(file)
