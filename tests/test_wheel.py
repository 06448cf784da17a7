"""The wheel, as an index would have it: installed without the repository, its page lets one solve a puzzle.

What it declares to need is linked from the environment of the tests, and nothing else: a library that is only
installed for the tests is not found.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path
from zipfile import ZipFile

import pytest
from httpx2 import Client
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.helpers.paths import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip(sys.executable, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    (built,) = folder.iterdir()
    return built


def pip(python: str | Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "--quiet"]
    subprocess.run([*command, *arguments], check=True)


def needed(requirements: Iterable[str]) -> dict[str, Distribution]:
    """Return the installed distributions that requirements without extras name, and those that they need."""
    found: dict[str, Distribution] = {}
    waiting = [(text, "") for text in requirements]
    while waiting:
        text, extra = waiting.pop()
        wanted = Requirement(text)
        name = canonicalize_name(wanted.name)
        if name in found or not (wanted.marker is None or wanted.marker.evaluate({"extra": extra})):
            continue
        found[name] = distribution(name)
        waiting += [(text, extra) for text in found[name].requires or () for extra in ("", *wanted.extras)]
    return found


@pytest.mark.skipif(os.name == "nt", reason="Windows links no files, and has commands elsewhere")
def test_a_puzzle_is_solved_on_the_page_of_an_installed_wheel(wheel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "Schach für alle"
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/*/site-packages")
    pip(folder / "bin" / "python", "install", "--no-deps", "--no-index", str(wheel))
    (ours,) = distributions(name="chess-motif", path=[str(site)])
    for one in needed(ours.requires or ()).values():
        for top in {file.parts[0] for file in one.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(str(one.locate_file(top)))

    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {"CHESS_MOTIF_DB": str(folder / "puzzles.db"), "BROWSER": "true"}

    def command(name: str, *arguments: str) -> str:
        words = [str(folder / "bin" / name), *arguments]
        return subprocess.run(
            words, cwd=folder, env=environment, check=True, capture_output=True, text=True
        ).stdout

    with subprocess.Popen(
        [folder / "bin" / "chess-motif"],
        cwd=folder,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stderr is not None
            said = server.stderr.readline()
            address = re.search(r"http\S+?(?=/;)", said)
            assert address is not None, said
            with Client(base_url=address[0], headers={"Accept": "application/json"}, timeout=60) as client:
                puzzle = client.get("/").json()["items"][0]["puzzle_id"]
                moves = json.loads(command("puzzlegen", "show", puzzle, "--json"))["solution"][::2]
                where, state = "/solve/0", {"puzzle": puzzle}
                for move in moves:
                    where = client.post(f"{where}/move", data=state | {"move": move}).headers["Location"]
                    state = client.get(where).json()
                assert state["done"]
        finally:
            server.terminate()


def test_on_the_index_all_links_of_the_readme_are_absolute(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        text = archive.read(name).decode()
    assert "![" in text
    assert re.findall(r"\]\((?!https?:)[^)]*", text) == []
