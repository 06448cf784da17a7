"""Anki decks, read again as what they are: a database and images in an archive."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from db.models import Puzzle
from puzzlegen.formats import anki
from tests.helpers.sheet_puzzles import EVIL, blundered, evil_game, named


class Deck(NamedTuple):
    number: int
    name: str
    notes: dict[str, dict[str, str]]
    tags: dict[str, list[str]]
    guids: dict[str, str]
    models: list[str]
    media: dict[str, str]


def deck_of(puzzles: Sequence[Puzzle], tmp_path: Path, title: str = "Forks") -> Deck:
    out = io.BytesIO()
    anki.write(out, puzzles, title)
    file = tmp_path / "collection.anki2"
    with zipfile.ZipFile(out) as archive:
        file.write_bytes(archive.read("collection.anki2"))
        names: dict[str, str] = json.loads(archive.read("media"))
        media = {name: archive.read(number).decode() for number, name in names.items()}
    connection = sqlite3.connect(file)
    try:
        rows = connection.execute("SELECT flds, tags, guid FROM notes").fetchall()
        models, decks = connection.execute("SELECT models, decks FROM col").fetchone()
    finally:
        connection.close()
    (model,) = json.loads(models).values()
    fields = [field["name"] for field in model["flds"]]
    notes = [dict(zip(fields, row[0].split("\x1f"), strict=True)) for row in rows]
    ids = [note["Id"] for note in notes]
    ((number, deck),) = ((key, one) for key, one in json.loads(decks).items() if key != "1")
    return Deck(
        int(number),
        deck["name"],
        dict(zip(ids, notes, strict=True)),
        {name: row[1].split() for name, row in zip(ids, rows, strict=True)},
        {name: row[2] for name, row in zip(ids, rows, strict=True)},
        list(json.loads(models)),
        media,
    )


def note_of(puzzle: Puzzle, tmp_path: Path) -> dict[str, str]:
    (note,) = deck_of([puzzle], tmp_path).notes.values()
    return note


def test_a_note_has_question_and_answer(tmp_path: Path) -> None:
    note = note_of(named("back rank, two moves", rating=1500), tmp_path)
    assert note["Question"] == "White to move: find the best move."
    assert note["Answer"] == "1. Qe8+ Rxe8 2. Rxe8#"
    assert "is backed up by the rook on e1" in note["Why"]
    assert note["Level"] == "1500"
    # It says who may castle, if that matters.
    said = "White may still castle kingside. Black may still castle on either side."
    assert note_of(named("fork"), tmp_path)["Question"] == f"White to move: find the best move. {said}"


def test_an_exercise_names_all_accepted_moves(tmp_path: Path) -> None:
    note = note_of(blundered(accepted=["b1b8", "b1d1"]), tmp_path)
    assert note["Question"] == "White to move and mate after 1...Kg8: find the best move."
    assert note["Answer"] == "2. Rb8# or 2. Rd1"


def test_each_note_has_its_board(tmp_path: Path) -> None:
    puzzles = [named("fork"), named("black's fork"), blundered()]
    deck = deck_of(puzzles, tmp_path)
    assert [deck.notes[puzzle.id]["Board"] for puzzle in puzzles] == [
        f'<img src="chess-motif-{puzzle.id}.svg">' for puzzle in puzzles
    ]
    assert sorted(deck.media) == sorted(f"chess-motif-{puzzle.id}.svg" for puzzle in puzzles)
    assert all(image.startswith("<svg") for image in deck.media.values())
    # Only of the last puzzle is the opponent's move known.
    arrows = [anki.LAST_MOVE[:7] in deck.media[f"chess-motif-{puzzle.id}.svg"] for puzzle in puzzles]
    assert arrows == [False, False, True]


@pytest.mark.parametrize(
    ("facts", "level"), [({"rating": 1599}, "level::1400-1599"), ({"difficulty": 1600.0}, "level::1600-1799")]
)
def test_tags_are_motifs_kind_and_level(tmp_path: Path, facts: dict[str, Any], level: str) -> None:
    puzzle = named("fork", **facts)
    assert set(deck_of([puzzle], tmp_path).tags[puzzle.id]) == {"fork", "kind::puzzle", level}


def test_a_later_export_updates_the_notes_of_an_earlier_one(tmp_path: Path) -> None:
    before = deck_of([named("fork"), named("smothered")], tmp_path)
    after = deck_of([named("smothered", rating=900), named("fork"), named("promotion")], tmp_path)
    assert before.guids.items() <= after.guids.items()
    assert (before.number, before.models) == (after.number, after.models)
    assert deck_of([named("fork")], tmp_path, "Pins").number != before.number


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("javascript:alert(1)", ""),
        ('https://lichess.org/abc"onclick="', '<a href="https://lichess.org/abc&quot;onclick=&quot;">'),
    ],
)
def test_nothing_from_a_file_becomes_markup_or_sound(tmp_path: Path, address: str, link: str) -> None:
    game = note_of(named("fork", game=evil_game(), game_url=address), tmp_path)["Game"]
    assert "<script" not in game
    assert "[sound" not in game
    assert "&lt;/script&gt;" in game
    assert game.startswith(link)
    assert ("href" in game) == bool(link)


def test_a_deck_may_have_any_name(tmp_path: Path) -> None:
    assert deck_of([named("fork")], tmp_path, EVIL).name == EVIL


def test_no_temporary_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    anki.write(io.BytesIO(), [named("fork")], "Forks")
    assert list(tmp_path.iterdir()) == []
