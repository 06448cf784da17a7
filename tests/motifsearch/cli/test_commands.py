"""The command line: what is printed where, and the exit status."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import chess
import pytest

from db.store import Store
from motifsearch.puzzles.pair_files import COLUMNS, OWN_COLUMNS
from tests.helpers.commands import Command, CommandOn
from tests.helpers.sample_puzzles import PUZZLES, id_of


@pytest.fixture
def command(filled: Store, command_on: CommandOn) -> Command:
    return command_on(filled, "motifsearch")


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    file = tmp_path / "pairs.csv"
    rows = [
        f"{name},{role},{fen},{moves}"
        for name, (fen, moves) in PUZZLES.items()
        if "," not in name
        for role in ("base", "simplified")
    ]
    file.write_text("\n".join([",".join([*OWN_COLUMNS, *COLUMNS]), *rows, "x,base,nonsense,a1a2", ""]))
    return str(file)


def test_similar_as_json(filled_everywhere: Store, command_on: CommandOn) -> None:
    command = command_on(filled_everywhere, "motifsearch")
    status, out, err = command("similar", id_of("back rank"), "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert document["query"]["id"] == id_of("back rank")
    first = document["results"][0]
    assert first["id"] == id_of("back rank, two moves")
    assert first["solution"] == ["e2e8", "d8e8", "e1e8"]
    assert first["puzzle_fen"] == PUZZLES["back rank, two moves"][0]
    assert first["source"] == "test"


def test_terms_and_reasons_in_json_only_with_why(command: Command) -> None:
    plain = json.loads(command("similar", id_of("fork"), "--json")[1])
    explained = json.loads(command("similar", id_of("fork"), "--json", "--why")[1])
    assert explained["results"][0].keys() - plain["results"][0].keys() == {"matched", "reasons", "words"}
    assert explained["query"].keys() - plain["query"].keys() == {"reasons"}


def test_similar_to_a_position_that_is_not_stored(command: Command) -> None:
    status, out, _ = command("similar", "7k/R7/1R6/8/8/8/8/6K1 w - -", "--moves", "b6b8", "--json", "-k", "3")
    document = json.loads(out)
    assert status == 0
    assert document["query"]["id"] is None
    assert len(document["results"]) == 3


@pytest.mark.usefixtures("stockfish")
def test_the_line_of_a_position_is_found(command: Command) -> None:
    status, out, _ = command("similar", "r5k1/5ppp/8/8/8/8/4RPPP/4R1K1 w - - 0 1", "--json")
    query = json.loads(out)["query"]
    assert (status, query["tactic"], query["solution"]) == (0, True, ["e2e8", "a8e8", "e1e8"])
    assert query["notes"][0] == "Motif: back-rank mate, mate in 2"


@pytest.mark.usefixtures("stockfish")
def test_a_position_without_a_tactic_says_so(command: Command) -> None:
    status, out, _ = command("similar", chess.STARTING_FEN)
    assert status == 0
    assert "No tactic: no move wins." in " ".join(out.split())


@pytest.mark.usefixtures("stockfish")
def test_a_position_in_which_the_game_is_over(command: Command) -> None:
    status, _, err = command("similar", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert (status, err.count("\n")) == (1, 1)


def test_similar_as_text_fits_the_terminal(command: Command) -> None:
    status, out, _ = command("similar", id_of("back rank"))
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "1. " + id_of("back rank, two moves") in out
    assert chess.UNICODE_PIECE_SYMBOLS["R"] in out
    assert "\x1b" not in out
    assert out.splitlines()[-1] == f"Next: puzzlegen show {id_of('back rank, two moves')}"


def test_similar_as_published(command: Command) -> None:
    found = json.loads(command("similar", id_of("back rank"), "--mode", "paper", "--why", "--json")[1])
    terms = {match["term"] for result in found["results"] for match in result["matched"]}
    assert {"?#", "!#r"} <= terms


@pytest.mark.parametrize(
    ("kind", "beginning"),
    [
        ("pgn", b"[Event"),
        ("epd", b"3r2k1/"),
        ("jsonl", b"{"),
        ("pdf", b"%PDF"),
        ("apkg", b"PK"),
        ("html", b"<!doctype"),
    ],
)
def test_what_was_found_can_be_taken_away(
    command: Command, tmp_path: Path, kind: str, beginning: bytes
) -> None:
    file = tmp_path / f"found.{kind}"
    status, _, err = command("similar", id_of("back rank"), "-k", "3", "--json", "--out", str(file))
    assert (status, err) == (0, f"3 puzzles written to {file}\n")
    assert file.read_bytes().startswith(beginning)


def test_what_was_found_is_written_in_its_order(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "found.jsonl"
    found = json.loads(command("similar", id_of("back rank"), "-k", "3", "--json", "--out", str(file)).out)
    written = [json.loads(line)["id"] for line in file.read_text(encoding="utf-8").splitlines()]
    assert written == [hit["id"] for hit in found["results"]]


@pytest.mark.parametrize("words", [["similar", id_of("back rank")], ["report", "pairs", "PAIRS"]])
def test_a_page_is_written(command: Command, pairs: str, tmp_path: Path, words: list[str]) -> None:
    page = tmp_path / "page.html"
    arguments = [pairs if word == "PAIRS" else word for word in words]
    assert command(*arguments, "--html", str(page)).status == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_what_a_format_cannot_represent_is_reported(command: Command, tmp_path: Path) -> None:
    # The sample puzzles have no move before them.
    file = tmp_path / "found.csv"
    err = command("similar", id_of("back rank"), "-k", "3", "--out", str(file)).err
    assert "3 left out: an exercise, or no move of the opponent's before it" in err


def similar_new_to(command: Command, name: str) -> list[str]:
    done = command("similar", id_of("fork"), "-k", "2", "--json", "--new-to", name)
    return [hit["id"] for hit in json.loads(done.out)["results"]]


def test_a_new_name_is_noted_with_the_nearest_one(command: Command) -> None:
    assert command("similar", id_of("fork"), "--new-to", "Anna").err == "'Anna' is a new name\n"
    assert command("similar", id_of("fork"), "--new-to", "Anna").err == ""
    status, _, err = command("similar", id_of("fork"), "--new-to", "Ana")
    assert (status, err) == (0, "'Ana' is a new name; did you mean 'Anna'?\n")


def test_what_was_shown_is_left_out(command: Command) -> None:
    first, second, others = (similar_new_to(command, name) for name in ("Anna", "Anna", "Bob"))
    assert not set(first) & set(second)
    assert others == first


def test_what_could_not_be_written_was_not_shown(command: Command) -> None:
    done = command("similar", id_of("fork"), "--new-to", "Anna", "--out", "/no/such/folder/x.pgn")
    assert done.status == 1
    assert "is a new name" in command("similar", id_of("fork"), "--new-to", "Anna").err


def cells(table: str) -> list[list[str]]:
    """Return the cells of each line of a table."""
    return [re.split(r"\s{2,}", line.strip()) for line in table.splitlines()]


def test_index_reports_what_it_did(command: Command) -> None:
    status, out, _ = command("index")
    assert status == 0
    assert ["puzzles in the index", str(len(PUZZLES))] in cells(out)
    assert re.search(r"^\S+/default$", out, re.MULTILINE)
    assert out.splitlines()[-1].startswith("Next: motifsearch similar")


def test_index_as_json(command: Command) -> None:
    command("index")
    document = json.loads(command("index", "--rebuild", "--json")[1])
    assert (document["added"], document["rebuilt"]) == (len(PUZZLES), True)


def test_pairs_as_json(command: Command, pairs: str) -> None:
    status, out, err = command("report", "pairs", pairs, "--json")
    assert status == 0
    assert json.loads(out)["accuracy"]["default"]["all"]["top1"] == 1
    assert len(json.loads(out)["skipped"]) == 1
    assert err.startswith(f"{pairs}: line ")


def test_pairs_are_only_listed_where_that_is_asked(command: Command, pairs: str) -> None:
    status, out, err = command("report", "pairs", pairs, "--check")
    assert (status, err) == (0, "")
    assert "Left over: 1" in out
    assert "top 1" not in out
    assert len(json.loads(command("report", "pairs", pairs, "--check", "--json").out)["pairs"]) == 7


@pytest.mark.parametrize(
    "arguments",
    [
        ["similar", "nowhere"],
        ["similar", "https://lichess.org/abcdefgh"],
        ["similar", "4k3/8/8/8/8/8/8/8 w - - 0 1", "--moves", "e1e2"],
        ["similar", PUZZLES["back rank"][0], "--moves", "a1b3"],
        ["similar", PUZZLES["back rank"][0], "--engine", "/nowhere/engine"],
        ["report", "pairs", "/nowhere/pairs.csv"],
        ["index", "--index", "/dev/null/index"],
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_1(command: Command, arguments: list[str]) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["similar"],
        ["similar", "x", "--by", "luck"],
        ["similar", "x", "-k", "0"],
        ["similar", "x", "--moves", "e2e4"],
        ["similar", "x", "--unknown"],
        ["similar", "x", "--mode", "best"],
        ["similar", "x", "--rating", "simpler"],
        ["similar", "x", "--tag", "frok"],
        ["similar", "x", "--out", "puzzles.docx"],
        ["similar", "x", "--out", "-"],
        ["shown", "list"],
        ["due", "x"],
        ["similar", "https://lichess.org/training/00sHx", "--moves", "e2e4"],
        ["report", "nothing"],
        ["report", "pairs"],
    ],
)
def test_wrong_usage_is_status_2(command: Command, arguments: list[str]) -> None:
    assert command(*arguments)[0] == 2


def test_as_a_program_it_starts_without_what_it_does_not_need() -> None:
    heavy = ("jinja2", "alembic", "chess.engine", "tqdm", "multiprocessing.pool")
    code = f"import sys, motifsearch.cli.main; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
