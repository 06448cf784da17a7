"""The documents keep up with the code."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from docs.make_reference import APPS, commands_of, json_page, reference, tags_page
from puzzlegen import MiningRules
from tests.helpers.paths import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
OTHER_PAGES = [
    ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "THIRD_PARTY.md", "samples/README.md")
]
COMMANDS: dict[str, Any] = {
    usage: command for name, app in APPS.items() for usage, command, _ in commands_of(app, name)
}
PUBLIC_PACKAGES = {"db", "engines", "motifsearch", "puzzlegen"}

# What a page calls a command is in a code block: indented, or after the prompt of a console.
COMMAND_LINE = re.compile(rf"^(?: {{4}}|\$ )((?:{'|'.join(APPS)}) .*)$", re.MULTILINE)
PYTHON_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def hand_written() -> str:
    return "\n".join(text_of(page) for page in PAGES if page.parent.name != "reference")


def test_the_docs_show_every_command() -> None:
    text = hand_written()
    assert [usage for usage in COMMANDS if usage not in text] == []


@pytest.mark.parametrize(
    ("name", "written"),
    [("tags", tags_page), ("json", json_page), *((name, partial(reference, name)) for name in APPS)],
)
def test_the_reference_is_what_the_code_says(name: str, written: Callable[[], str]) -> None:
    page = text_of(DOCS / "reference" / f"{name}.md")
    assert page == written(), "python docs/make_reference.py writes these pages"


def test_every_command_and_every_option_has_a_help_text() -> None:
    bare = [usage for usage, command in COMMANDS.items() if not command.help]
    options = [(usage, given) for usage, command in COMMANDS.items() for given in command.params]
    assert bare + [f"{usage} {given.name}" for usage, given in options if not given.help] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_commands_that_a_page_shows_exist(page: Path) -> None:
    unknown = []
    for line in COMMAND_LINE.findall(text_of(page)):
        usage = max((usage for usage in COMMANDS if f"{line} ".startswith(f"{usage} ")), key=len, default="")
        known = {option for given in COMMANDS[usage].params for option in given.opts} if usage else set()
        # An option is not a range such as -1400.
        given = {word for word in shlex.split(line, comments=True) if re.match(r"--?[a-z]", word)}
        if not usage or not given <= known:
            unknown.append(line)
    assert unknown == []


@pytest.mark.parametrize("page", PAGES + OTHER_PAGES, ids=name_of)
def test_the_modules_that_a_page_runs_exist(page: Path) -> None:
    modules = re.findall(r"python -m ((?:benchmarks|training|tests)(?:\.[a-z_0-9]+)+)", text_of(page))
    files = [ROOT.joinpath(*module.split(".")) for module in modules]
    assert [file for file in files if not (file.with_suffix(".py").exists() or file.is_dir())] == []


def test_every_benchmark_is_in_the_table() -> None:
    table = text_of(ROOT / "CONTRIBUTING.md")
    commands = [
        file.stem for file in (ROOT / "benchmarks").glob("*.py") if "\n    run(main)" in text_of(file)
    ]
    assert [name for name in commands if f"| `python -m benchmarks.{name} " not in table] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_examples_import_public_names_only(page: Path) -> None:
    private = []
    for block in PYTHON_BLOCK.findall(text_of(page)):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and node.module:
                package = importlib.import_module(node.module.split(".")[0])
                if package.__name__ not in PUBLIC_PACKAGES:
                    continue
                names = {name.name for name in node.names}
                if node.module not in PUBLIC_PACKAGES or not names <= set(package.__all__):
                    private.append(ast.unparse(node))
    assert private == []


def test_the_python_reference_has_every_public_name() -> None:
    shown = re.findall(r"^::: (\S+)$", text_of(DOCS / "reference" / "python.md"), re.MULTILINE)
    packages = [importlib.import_module(name) for name in PUBLIC_PACKAGES]
    names = [f"{package.__name__}.{name}" for package in packages for name in package.__all__]
    ground = ["chess_motif.errors", "chess_motif.intervals.Interval", "chess_motif.progress.Progress"]
    assert sorted(shown) == sorted(names + ground)


def test_the_readme_is_short() -> None:
    assert len(text_of(ROOT / "README.md").split()) <= 1_000


@pytest.mark.parametrize("page", PAGES + OTHER_PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)", text_of(page))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("zensical is not installed: pip install '.[docs]'")
    # It writes beside its settings.
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "index.html").exists()


def test_the_site_has_every_page() -> None:
    listed = re.findall(r": (\S+\.md)$", text_of(ROOT / "mkdocs.yml"), re.MULTILINE)
    assert sorted(listed) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


def test_the_figures_in_the_description_of_mining_are_the_rules() -> None:
    rules = MiningRules()
    *_, taken, _, _, last = rules.stages
    first, *_, end = rules.confirmation
    text = text_of(DOCS / "how-it-works" / "mining.md")
    steps = " ".join(text[: text.index("## How the figures")].split())
    for phrase in (
        f"{rules.scan_nodes:,} nodes a position",
        f"loses at least {rules.drop} of win chance",
        f"won from {rules.won} on",
        f"relaxed to {rules.scan_share} of their values",
        f"{rules.decide_nodes:,} nodes decide",
        f"the best move wins ({rules.winning})",
        f"better than any other by a gap of {rules.gap}",
        f"for at most {last.nodes:,} nodes",
        ", ".join(f"{stage.nodes:,}" for stage in rules.stages),
        f"too small by {rules.stages[0].hopeless}, at the end by {last.hopeless}",
        f"passes both thresholds by {taken.clear} from {taken.nodes:,} nodes on",
        f"miss by no more than {-last.clear}",
        f"The end is searched with {rules.reply_nodes:,} nodes",
        f"up to {rules.most_moves} solver moves",
        f"cost the defender no more than {rules.as_good}",
        f"gap is below {rules.confirm_below} are searched again",
        f"with up to {end.nodes:,} nodes",
        f"shrinks from {first.clear} to nothing",
        f"from {rules.strict_gap} on it counts as strict",
    ):
        assert phrase in steps
