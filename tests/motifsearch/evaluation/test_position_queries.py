"""Files of positions to search for."""

from __future__ import annotations

from pathlib import Path

import pytest

from chess_motif.errors import InputError
from motifsearch.evaluation.position_queries import read_queries
from tests.helpers.archived_games import KINGS, ROOKS


def test_blank_lines_and_comments_are_no_queries(tmp_path: Path) -> None:
    file = tmp_path / "queries.fen"
    file.write_text(f"# two\n\n{ROOKS}\n  \n# more\n{KINGS}\n")
    read = read_queries(file)
    assert [(query.id, query.board.fen()) for query in read.queries] == [("1", ROOKS), ("2", KINGS)]
    assert read.skipped == []


def test_a_bad_line_is_reported_and_leaves_the_numbers_of_the_others(tmp_path: Path) -> None:
    file = tmp_path / "queries.fen"
    file.write_text(f"# first\n{ROOKS}\nnonsense\n{KINGS}\n")
    read = read_queries(file)
    assert [query.id for query in read.queries] == ["1", "3"]
    assert [skipped.place for skipped in read.skipped] == ["line 3"]
    assert read.skipped[0].reason.startswith("not a FEN")


@pytest.mark.parametrize("text", ["", "# nothing\n", "nonsense\n"])
def test_a_file_without_a_position(tmp_path: Path, text: str) -> None:
    file = tmp_path / "queries.fen"
    file.write_text(text)
    with pytest.raises(InputError, match="no usable position"):
        read_queries(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_queries(tmp_path / "none.fen")
