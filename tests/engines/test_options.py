"""The options that a user gives an engine: which ones it takes, and what comes of them."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from chess_motif.errors import InputError
from engines.engine import Engine
from engines.options import EngineSetup, UciOption
from tests.helpers.fake_engine import FakeEngine

ORDER = "Order of Moves"


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("option name Hash type spin default 16 min 1 max 64", UciOption("Hash", "spin", "16", 1, 64)),
        (
            "option name Skill Level type spin default -2 min -9 max 0",
            UciOption("Skill Level", "spin", "-2", -9, 0),
        ),
        ("option name Use NNUE type check default true", UciOption("Use NNUE", "check", "true")),
        (
            "option name Style type combo default Very Solid var Very Solid var Risky",
            UciOption("Style", "combo", "Very Solid", values=("Very Solid", "Risky")),
        ),
        ("option name SyzygyPath type string default <empty>", UciOption("SyzygyPath", "string")),
        ("option name Log type string default", UciOption("Log", "string")),
        ("option name Clear Hash type button", UciOption("Clear Hash", "button")),
        ("option name", None),
        ("id name option", None),
    ],
)
def test_what_an_engine_announces(line: str, option: UciOption | None) -> None:
    assert UciOption.announced(line) == option


SPIN, CHECK = UciOption("Hash", "spin", "16", 1, 64), UciOption("Use NNUE", "check", "true")
COMBO = UciOption("Style", "combo", "Solid", values=("Solid", "Risky"))


@pytest.mark.parametrize(
    ("option", "value", "sent"),
    [
        (SPIN, "064", "64"),
        (CHECK, "False", "false"),
        (COMBO, "risky", "Risky"),
        (UciOption("Log", "string"), "a b", "a b"),
    ],
)
def test_what_an_option_takes(option: UciOption, value: str, sent: str) -> None:
    assert option.checked(value) == sent


@pytest.mark.parametrize(
    ("option", "value", "takes"),
    [
        (SPIN, "65", "a number from 1 to 64"),
        (SPIN, "0", "a number from 1 to 64"),
        (SPIN, "many", "a number from 1 to 64"),
        (UciOption("Skill", "spin", "0", None, 5), "6", "a number from any to 5"),
        (CHECK, "yes", "true or false"),
        (COMBO, "Wild", "Solid, Risky"),
        (UciOption("Clear Hash", "button"), "1", "no value"),
        (UciOption("Log", "string"), "a\nquit", "printable text"),
        (UciOption("EvalFile", "string", "nn.nnue"), "/no/such/file", "an existing file"),
        (UciOption("SyzygyPath", "string"), "/no/such/folder", "existing folders"),
    ],
)
def test_what_it_does_not_take(option: UciOption, value: str, takes: str) -> None:
    with pytest.raises(InputError, match=f"option {option.name} takes {takes}, not"):
        option.checked(value)


def test_paths_that_exist_are_taken(tmp_path: Path) -> None:
    network = tmp_path / "nn.nnue"
    network.touch()
    assert UciOption("EvalFile", "string", "nn.nnue").checked(str(network)) == str(network)
    assert UciOption("SyzygyPath", "string").checked(str(tmp_path)) == str(tmp_path)


def first_move(command: str, *options: tuple[str, str]) -> tuple[str, str, str]:
    """Return the best move at the start of a game, the settings and the label of an engine."""
    with Engine(EngineSetup(command, options)) as engine:
        return engine.search(chess.Board(), 10)[0].move.uci(), engine.settings, engine.label


def test_options_change_the_search_its_settings_and_the_label(fake_engine: FakeEngine) -> None:
    move, settings, label = first_move(fake_engine(), (ORDER.upper(), "backward"))
    assert (move, label) == ("h2h4", f"Fake 1.0, {ORDER} Backward")
    assert settings == f"Fake 1.0, Threads 1, Hash 16, 5 plies, {ORDER} Backward"


def test_default_values_change_nothing(fake_engine: FakeEngine) -> None:
    assert first_move(fake_engine(), (ORDER, "Forward")) == first_move(fake_engine())


def test_an_engine_that_is_started_again_gets_its_options_again(fake_engine: FakeEngine) -> None:
    assert first_move(fake_engine("die@1"), (ORDER, "Backward"))[0] == "h2h4"


@pytest.mark.parametrize(
    ("name", "reason"),
    [("Hsh", rf"Fake 1.0 has no option 'Hsh'; it has {ORDER}"), ("multipv", "MultiPV cannot be chosen")],
)
def test_what_is_no_option(fake_engine: FakeEngine, name: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        Engine(EngineSetup(fake_engine(), ((name, "1"),)))


def test_stockfish_takes_its_options(stockfish: str) -> None:
    _, settings, label = first_move(stockfish, ("hash", "32"), ("Move Overhead", "20"))
    assert "Hash 32, " in settings
    assert "Overhead" not in settings
    assert label.endswith(", Hash 32, Move Overhead 20")
    with pytest.raises(InputError, match="option Hash takes a number from 1 to"):
        Engine(EngineSetup(stockfish, (("Hash", "0"),)))
