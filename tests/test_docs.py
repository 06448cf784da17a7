"""The documents keep up with the code."""

from __future__ import annotations

import re

import pytest
import typer

import motifsearch.cli.main
import puzzlegen.cli.main
from puzzlegen.rules import MiningRules
from tests.helpers.paths import ROOT


def commands(app: typer.Typer, name: str) -> list[str]:
    own = [f"{name} {command.name}" for command in app.registered_commands]
    groups = [(group.typer_instance, f"{name} {group.name}") for group in app.registered_groups]
    return own + [command for sub, sub_name in groups if sub for command in commands(sub, sub_name)]


@pytest.mark.parametrize(
    "command",
    commands(puzzlegen.cli.main.app, "puzzlegen") + commands(motifsearch.cli.main.app, "motifsearch"),
)
def test_the_readme_shows_every_command(command: str) -> None:
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_figures_in_the_description_of_mining_are_the_rules() -> None:
    rules = MiningRules()
    second, third = rules.confirmations
    text = (ROOT / "docs" / "mining.md").read_text(encoding="utf-8")
    way = " ".join(text[: text.index("## How the figures")].split())
    for phrase in (
        f"{rules.scan_nodes:,} nodes a position",
        f"loses at least {rules.drop} of win chance",
        f"won from {rules.won} on",
        f"{rules.decide_nodes:,} nodes decide",
        f"the best move wins ({rules.winning})",
        f"better than any other by a gap of {rules.gap}",
        ", ".join(f"{stage.nodes:,}" for stage in rules.stages),
        f"passes both thresholds by {rules.stages[0].clear} is taken",
        f"misses one by {rules.stages[0].hopeless} is dropped",
        f"{rules.reply_nodes:,} nodes for the defender's reply",
        f"up to {rules.most_moves} solver moves",
        f"cost the defender no more than {rules.as_good}",
        f"gap is below {second.below} are searched again with {second.nodes:,} nodes",
        f"have a gap of {second.gap}",
        f"then below {third.below} with {third.nodes:,} nodes, and must have one of {third.gap}",
        f"from {rules.strict_gap} on it counts as strict",
    ):
        assert phrase in way


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "samples/README.md", "docs/mining.md", "docs/similarity.md"]
)
def test_links_lead_somewhere(page: str) -> None:
    file = ROOT / page
    links = re.findall(r"\]\(([^)#]+)\)", file.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (file.parent / link).exists()] == []
