from __future__ import annotations

import bz2
import gzip
import io
import sys
from pathlib import Path

import pytest
from backports import zstd

from chess_motif.errors import ArchiveError
from puzzlegen.games.archive import open_archive

TEXT = b"".join(b"line %d of a text that compresses well\n" % number for number in range(50_000))

PACK = {
    "pgn": lambda text: text,
    "pgn.zst": zstd.compress,
    "pgn.gz": gzip.compress,
    "pgn.bz2": bz2.compress,
}


def read(path: Path) -> bytes:
    with open_archive(str(path)) as archive:
        return b"".join(archive.chunks())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_text_in_utf_16_is_refused(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "games.pgn"
    file.write_bytes("\ufeff1. e4 *".encode(encoding))
    with pytest.raises(ArchiveError, match="is UTF-16 text"):
        read(file)


def test_a_name_cannot_control_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "\x1b[31mgames\udcff.pgn"
    file.touch()
    with open_archive(str(file)) as archive:
        assert archive.name == f"{tmp_path}/[31mgames\ufffd.pgn"


@pytest.mark.parametrize("suffix", PACK)
def test_the_kind_does_not_depend_on_the_name(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / "games"
    file.write_bytes(PACK[suffix](TEXT))
    assert read(file) == TEXT


def test_several_frames_are_one_text(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn.zst"
    skippable = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    file.write_bytes(skippable + zstd.compress(b"one ") + skippable + zstd.compress(b"two"))
    assert read(file) == b"one two"


@pytest.mark.parametrize("suffix", ["pgn.zst", "pgn.gz", "pgn.bz2"])
@pytest.mark.parametrize("share", [0.5, 0.99])
def test_a_truncated_archive_gives_what_it_has_and_says_so(tmp_path: Path, suffix: str, share: float) -> None:
    file = tmp_path / f"games.{suffix}"
    packed = PACK[suffix](TEXT + bytes(range(256)) * 4000)
    file.write_bytes(packed[: int(len(packed) * share)])
    got: list[bytes] = []
    with open_archive(str(file)) as archive, pytest.raises(ArchiveError, match="cut off"):
        got.extend(archive.chunks())
    whole = b"".join(got)
    assert TEXT.startswith(whole[: len(TEXT)])
    assert share < 0.9 or len(whole) > len(TEXT) // 2


@pytest.mark.parametrize("suffix", ["pgn.zst", "pgn.gz", "pgn.bz2"])
def test_a_corrupt_archive_says_so(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"games.{suffix}"
    packed = bytearray(PACK[suffix](TEXT))
    middle = len(packed) // 2
    packed[middle : middle + 40] = b"\xff" * 40
    file.write_bytes(packed)
    with pytest.raises(ArchiveError, match=f"games.{suffix}"):
        read(file)


def test_no_such_file() -> None:
    with pytest.raises(ArchiveError, match=r"nowhere\.pgn: no such file"):
        open_archive("nowhere.pgn")


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="folder"):
        open_archive(str(tmp_path))


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(zstd.compress(TEXT))), encoding="utf-8")
    )
    with open_archive("-") as archive:
        assert b"".join(archive.chunks()) == TEXT
    with pytest.raises(ArchiveError, match="standard input: can be read only once"):
        open_archive("-")
