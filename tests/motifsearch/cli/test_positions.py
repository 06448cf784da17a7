"""The commands `motifsearch positions`: what is printed where, and the exit status."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from sqlalchemy import select

from db.games import count_archived
from db.models import ArchivedGame
from db.store import Store
from motifsearch.positions.index import opening_moves
from motifsearch.positions.terms import FeatureSet
from tests.helpers.commands import Command, CommandOn
from tests.helpers.sample_games import ENDGAME_START, IN_RUY_LOPEZ, PGN, pgn
from tests.helpers.sample_puzzles import put, row


@pytest.fixture
def command(archived: Store, command_on: CommandOn) -> Command:
    return command_on(archived, "motifsearch", "positions")


@pytest.fixture
def on_nothing(sqlite_store: Store, command_on: CommandOn, one_core: None) -> Command:
    return command_on(sqlite_store, "motifsearch", "positions")


def found(command: Command, *arguments: str) -> list[dict[str, Any]]:
    status, out, _ = command("similar", *arguments, "--json")
    assert status == 0
    results: list[dict[str, Any]] = json.loads(out)["results"]
    return results


def whites(results: list[dict[str, Any]]) -> list[str]:
    return sorted(result["white"].partition(",")[0] for result in results)


def counts(table: str) -> dict[str, str]:
    """Return the counts of a table by their names."""
    rows = [line.split("  ") for line in table.splitlines() if "  " in line]
    return {cells[0]: next(filter(None, cells[1:])).strip() for cells in rows}


def test_add_reports_what_it_did(on_nothing: Command, games_file: str) -> None:
    status, out, _ = on_nothing("add", games_file)
    assert status == 0
    document = counts(out)
    assert (document["games read"], document["archived"], document["already archived"]) == ("3", "3", "0")
    # Positions after move 12 up to move 15 of two games, and all those of the endgame.
    assert document["positions in the index"] == "21"
    assert re.fullmatch(
        r"Next: motifsearch positions similar '\S+ [wb] \S+ \S+ \d+ \d+'", out.splitlines()[-1]
    )


def test_add_as_json(on_nothing: Command, games_file: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.pgn"
    bad.write_text(pgn("1. e4 e9") + PGN)
    status, out, err = on_nothing("add", games_file, str(bad), "--json")
    document = json.loads(out)
    assert status == 0
    assert (document["games"], document["archived"], document["known"]) == (7, 3, 3)
    assert document["skipped"] == {"illegal move": 1}
    assert document["examples"] == {"illegal move": f"{bad}: game 1"}
    assert document["index"]["indexed"] == 21
    assert err.startswith(f"{bad}: game 1 (byte 0): illegal move")


def test_a_damaged_archive_is_a_failure_with_a_result(
    on_nothing: Command, games_file: str, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.pgn.gz"
    cut.write_bytes(gzip.compress(b"")[:4])
    status, out, err = on_nothing("add", str(cut), games_file)
    assert status == 1
    assert counts(out)["archived"] == "3"
    assert err == f"{cut}: cut off after byte 0 of its text\n"


def test_another_opening_rebuilds_the_index(command: Command, games_file: str, archived: Store) -> None:
    status, out, err = command("add", games_file, "--after-move", "14")
    assert status == 0
    assert counts(out)["positions in the index"] == "13"
    assert err.splitlines()[0] == "from now on, positions after move 14 are indexed; the index is rebuilt"
    assert opening_moves(archived) == 14


def test_games_from_standard_input(on_nothing: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(PGN.encode())), encoding="utf-8")
    )
    assert counts(on_nothing("add", "-")[1])["archived"] == "3"


def test_ctrl_c_saves_the_work(tmp_path: Path) -> None:
    many = tmp_path / "games.pgn"
    many.write_text("".join(PGN.replace("Club", f"Club {number}") for number in range(3000)))
    database = f"{tmp_path}/cli.db"
    arguments = [sys.executable, "-m", "motifsearch", "positions", "add", str(many)]
    adding = subprocess.Popen(
        arguments, env=os.environ | {"CHESS_MOTIF_DB": database}, stderr=subprocess.PIPE, text=True
    )
    with Store(database) as store:
        while games_in(store) == 0:
            assert adding.poll() is None
            time.sleep(0.05)
        adding.send_signal(signal.SIGINT)
        _, said = adding.communicate(timeout=60)
        assert 0 < games_in(store) < 9000
    assert adding.returncode == 130
    assert said.splitlines()[-1] == "motifsearch: interrupted; what was finished is saved"


def games_in(store: Store) -> int:
    with store.reading() as session:
        return count_archived(session)


def test_similar_as_json(command: Command) -> None:
    status, out, err = command("similar", IN_RUY_LOPEZ, "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["query"] == {
        "fen": chess.Board(IN_RUY_LOPEZ).board_fen() + " w - - 0 1",
        "id": None,
        "material": "KQRRBBNNPPPPPPPP-KQRRBBNNPPPPPPPP",
        "run": "Default",
        "pieces": "all",
    }
    assert document["warnings"] == []
    first = document["results"][0]
    assert first.pop("score") == pytest.approx(sum(first.pop("parts").values()), abs=0.01)
    assert first == {
        "rank": 1,
        "number": 1,
        "reversed": False,
        "white": "Anand, Viswanathan",
        "black": "Carlsen, Magnus",
        "white_elo": 2770,
        "black_elo": 2870,
        "event": "Club",
        "site": "https://example.org/1",
        "date": "2013.11.12",
        "round": "3",
        "result": "1/2-1/2",
        "eco": "C95",
        "url": "https://example.org/1",
        "ply": 26,
        "fen": IN_RUY_LOPEZ,
        "next_moves": ["f1g3", "g7g6", "a2a4", "c7c5"],
        "next_san": "14. Ng3 g6 15. a4 c5",
    }


def test_a_summary_as_json(command: Command) -> None:
    summary = json.loads(command("similar", IN_RUY_LOPEZ, "-k", "1", "--json")[1])["summary"]
    results = {"games": 1, "white_won": 0, "drawn": 1, "black_won": 0, "unknown": 0}
    next_move = {"san": "Ng3", "side": "white", "score": 0.5} | results
    assert summary == {"reversed": 0, "white_score": 0.5, "next_moves": [next_move]} | results


def test_a_summary_as_text(command: Command) -> None:
    out = command("similar", IN_RUY_LOPEZ, "-k", "1")[1]
    assert "1 game: White won 0, drawn 1, Black won 0; White scored 50 %." in out
    assert re.search(r"^Ng3 +1 +0 +1 +0 +50 %$", out, re.MULTILINE)


def test_colours_reversed(command: Command) -> None:
    reversed_fen = chess.Board(IN_RUY_LOPEZ).mirror().fen()
    (first,) = found(command, reversed_fen, "-k", "1")
    assert (first["reversed"], first["fen"], first["next_san"]) == (
        True,
        IN_RUY_LOPEZ,
        "14. Ng3 g6 15. a4 c5",
    )
    text = " ".join(command("similar", reversed_fen, "-k", "1")[1].split())
    assert "Colours reversed: White here is Carlsen, Magnus Move 14, Black to move 14...Ng6" in text
    assert "1 game with colours reversed" in text


def test_an_opening_position_is_warned_of(command: Command) -> None:
    status, out, err = command("similar", chess.STARTING_FEN, "--json")
    (warning,) = json.loads(out)["warnings"]
    assert status == 0
    assert err == f"warning: {warning}\n"
    assert "positions up to move 12 are not indexed" in warning


def test_a_fen_with_a_huge_move_number_is_refused(command: Command) -> None:
    fen = IN_RUY_LOPEZ.rpartition(" ")[0] + " " + 5000 * "9"
    status, _, err = command("similar", fen, "-k", "1")
    assert (status, err.count("\n")) == (1, 1)


def test_matched_terms_in_json_only_with_why(command: Command) -> None:
    (first, *_) = found(command, IN_RUY_LOPEZ, "--why")
    assert {"term", "family", "score"} == first["matched"][0].keys()
    assert sum(match["score"] for match in first["matched"]) == pytest.approx(first["score"], abs=0.01)


def test_a_run_asks_for_its_families_only(command: Command) -> None:
    (first, *_) = found(command, IN_RUY_LOPEZ, "--run", FeatureSet.RAY_ATTK)
    assert first["parts"].keys() == {"placed", "xray"}


def test_pawns_alone(command: Command) -> None:
    (first, *_) = found(command, IN_RUY_LOPEZ, "--pieces", "pawns")
    assert first["parts"].keys() == {"pawns"}
    assert " pawns on the same squares" in command("similar", IN_RUY_LOPEZ, "--pieces", "pawns").out


def test_a_feature_set_is_for_all_pieces(command: Command) -> None:
    done = command("similar", IN_RUY_LOPEZ, "--pieces", "pawns", "--run", FeatureSet.RAY_ATTK)
    assert done.status == 2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["Anand", "Ann", "Karjakin"]),
        (["--player", "anand"], ["Anand", "Karjakin"]),
        (["--player", "nand"], []),
        (["--elo", "2700-"], ["Anand"]),
        (["--elo", "-2800"], ["Karjakin"]),
        (["--date", "2006"], ["Karjakin"]),
        (["--date", "2006.02.."], ["Anand"]),
        (["--date", "..2013.11.12"], ["Anand", "Karjakin"]),
        (["--date", "2006.01.14..2013.10"], ["Karjakin"]),
        (["--date", "2006.01..2006"], ["Karjakin"]),
        (["--material", "ppkr-RKPP"], ["Ann"]),
        (["--material", "same"], ["Anand"]),
        (["--player", "anand", "--date", "2014"], []),
    ],
    ids=" ".join,
)
def test_filters(command: Command, arguments: list[str], expected: list[str]) -> None:
    assert whites(found(command, IN_RUY_LOPEZ, *arguments)) == expected


def test_a_puzzle_does_not_find_its_own_game(command: Command, archived: Store) -> None:
    with archived.reading() as session:
        game = session.scalars(select(ArchivedGame).order_by(ArchivedGame.number)).first()
    assert game is not None
    puzzle = row(IN_RUY_LOPEZ, "f1g3", game_number=game.game_number)
    put(archived, puzzle)
    assert whites(found(command, puzzle.id)) == ["Ann", "Karjakin"]
    assert json.loads(command("similar", puzzle.id, "--json")[1])["query"]["id"] == puzzle.id


def test_similar_as_text(command: Command) -> None:
    status, out, err = command("similar", IN_RUY_LOPEZ)
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert out.splitlines()[-1] == "--html page.html writes diagrams, --out games.pgn the games."


def test_one_result_as_text(command: Command) -> None:
    words = " ".join(command("similar", IN_RUY_LOPEZ, "-k", "1")[1].split())
    assert "1. Anand, Viswanathan (2770) – Carlsen, Magnus (2870)" in words
    assert "Club, 2013.11.12, 1/2-1/2, C95" in words
    assert "example.org/1" in words
    assert "Move 14, White to move 14. Ng3 g6 15. a4 c5" in words
    assert "32 of 32 pieces on the same squares" in words
    assert " = pieces " in words


def test_terms_in_text_only_with_why(command: Command) -> None:
    term = re.compile(r"^ +\d+\.\d\d [RNBQKP][<>=]?[rnbqkp]?[a-h][1-8]$", re.MULTILINE | re.IGNORECASE)
    assert not term.search(command("similar", IN_RUY_LOPEZ, "-k", "1")[1])
    assert term.search(command("similar", IN_RUY_LOPEZ, "-k", "1", "--why")[1])


def test_boards_are_seen_from_one_side(command: Command) -> None:
    black_to_move = chess.Board(ENDGAME_START)
    black_to_move.turn = chess.BLACK
    out = command("similar", black_to_move.fen(), "-k", "1")[1]
    assert out.count("h g f e d c b a") == 2


def test_no_fitting_game_is_reported(command: Command) -> None:
    status, out, _ = command("similar", IN_RUY_LOPEZ, "--date", "2014")
    assert status == 0
    assert (
        out.splitlines()[-1]
        == "No game that passes the filters has a position that shares a term with the query."
    )


def test_similar_writes_a_page_and_games(command: Command, tmp_path: Path) -> None:
    page, games = tmp_path / "page.html", tmp_path / "games.pgn"
    status, out, _ = command("similar", IN_RUY_LOPEZ, "--html", str(page), "--out", str(games))
    assert status == 0
    assert out.splitlines()[-1] == f"Written to {page} and {games}"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert games.read_text(encoding="utf-8").count("[White ") == 3


def test_games_alone_on_standard_output(command: Command) -> None:
    status, out, _ = command("similar", IN_RUY_LOPEZ, "-k", "1", "--out", "-")
    assert status == 0
    text = io.StringIO(out)
    assert chess.pgn.read_game(text) is not None
    assert chess.pgn.read_game(text) is None


@pytest.mark.parametrize(
    "arguments",
    [
        ["similar", "nowhere"],
        ["similar", "8/8/8/8/8/8/8/8"],
        ["similar", "8/8"],
        ["similar", IN_RUY_LOPEZ, "--html", "/nowhere/page.html"],
        ["similar", IN_RUY_LOPEZ, "--out", "/nowhere/games.pgn"],
        ["similar", IN_RUY_LOPEZ, "--index", "/dev/null/index"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_done_is_one_line_and_status_1(command: Command, arguments: list[str]) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 1


def test_an_empty_archive_names_the_command_that_fills_it(on_nothing: Command) -> None:
    status, _, err = on_nothing("similar", IN_RUY_LOPEZ)
    assert status == 1
    assert "motifsearch positions add" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["add"],
        ["add", "games.pgn", "--after-move", "-1"],
        ["similar"],
        # A FEN without quotes.
        ["similar", *IN_RUY_LOPEZ.split()],
        *(
            ["similar", IN_RUY_LOPEZ, *options]
            for options in (
                ["--run", "Luck"],
                ["-k", "0"],
                ["--elo", "strong"],
                ["--elo", "2500-2000"],
                ["--date", "yesterday"],
                ["--date", ".."],
                ["--date", "2013.13"],
                ["--date", "2013.05...2014"],
                ["--date", "2013..2010"],
                ["--date", "2013.05..2013.04.30"],
                ["--out", "games.csv"],
                ["--material", "KRP"],
                ["--material", "RP-K"],
                ["--material", "KX-K"],
                ["--material", "KPPPPPPPPP-K"],
                ["--out", "-", "--json"],
            )
        ),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_status_2(command: Command, arguments: list[str]) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert "Usage" in err
