"""The training of a player: games from a file or from a hostile server, sets and their exports, solving."""

from __future__ import annotations

import json
import shutil
import socketserver
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from unittest.mock import patch
from zipfile import ZipFile

from chess_motif.progress import Progress
from puzzlegen.formats.exporting import Format
from puzzlegen.games.accounts import SITES, Account, GameSite
from puzzlegen.games.online import download_games
from tests.fuzz.case import (
    CORPUS,
    EMPTY,
    EXPORTED,
    LESSON,
    SET,
    FuzzCase,
    as_argument,
    chosen,
    require,
    run,
)
from tests.fuzz.mining_here import MadeUpEngine, made_up_pool
from tests.helpers.pool_here import mining_in

# The account whose games are asked for, and what stands for the address of the site in an answer.
_USER = "some-user"
_ADDRESS = b"@SITE@"

# Seconds for which a site may be silent.
_PATIENCE = 0.5

# What a good site answers.
_GOOD = {"lichess": CORPUS / "lichess" / "good.http", "chesscom": CORPUS / "chesscom" / "good"}

# The texts that a set has, and what the player's name replaces in its puzzles.
_PARTS = ("name", "student", "title", "player")
# Each character may be twelve of JSON.
_LONGEST_NAME = 800
_OF_GAME = ("white", "black", "event", "site", "opening", "result", "url", "game_url")

# Lines that somebody types at most: what is done with more takes proportionally longer.
_MOST_TYPED = 2000

# The formats from which the same puzzles can be imported.
_IMPORTED = (Format.CSV, Format.PGN, Format.EPD, Format.JSONL)


def train_on_games(case: FuzzCase) -> None:
    """Make a training set of the games in a file."""
    _train(case, str(case.file), "--player", "ann")


def train_on_lichess(case: FuzzCase) -> None:
    """Train on what a server answers in place of Lichess. No game that was there before is lost."""
    games = _GOOD["lichess"].read_bytes().partition(b"\r\n\r\n")[2]
    folder = case.folder / "games"
    folder.mkdir()
    file = folder / f"lichess-{_USER}.pgn"
    file.write_bytes(games)
    file.with_suffix(".json").write_text('{"since": "2024-01-01"}')
    since = chosen(("2023-01-01", "2024-06-01"), case)
    _train_on_site(case, "lichess", "--since", since)
    kept = file.read_bytes()
    for game in games.split(b"\n\n\n"):
        require(game.strip() in kept, "a downloaded game is lost")


def train_on_chesscom(case: FuzzCase) -> None:
    """Train on what a server answers in place of Chess.com."""
    _train_on_site(case, "chesscom", "--since", "2000-01-01")


def _train_on_site(case: FuzzCase, site: str, *options: str) -> None:
    """Train on what a server answers; afterwards the site is good again, and downloads go on."""
    with _site_in_place_of(site, [case.files[name] for name in sorted(case.files)]):
        _train(case, f"{site}:{_USER}", *options)
    good = _GOOD[site]
    answers = (
        [good.read_bytes()] if good.is_file() else [file.read_bytes() for file in sorted(good.iterdir())]
    )
    with _site_in_place_of(site, answers):
        downloaded = download_games(Account(site, _USER), case.folder / "games", None, Progress())
    require(bool(downloaded), "after a hostile answer, no game can be downloaded")


def _train(case: FuzzCase, *words: str) -> None:
    with mining_in(made_up_pool):
        run("motifsearch", "train", *words, "-k", "0", "--workers", "1", "--db", case.copy_of(EMPTY))


@contextmanager
def _site_in_place_of(site: str, answers: list[bytes]) -> Iterator[None]:
    """Let a server stand for a site. It gives these answers in turn, and the last one again and again."""
    left = list(answers)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            answer = left.pop(0) if len(left) > 1 else left[0]
            self.wfile.write(answer.replace(_ADDRESS, address.encode()))

    class Server(socketserver.TCPServer):
        def handle_error(self, *_: object) -> None:
            """Say nothing where the client left early."""

    with Server(("127.0.0.1", 0), Handler) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        patient = GameSite("the site", address, (0,), (0,), _PATIENCE)
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            with patch.dict(SITES, {site: patient}), patch("puzzlegen.games.server.LONGEST_PAUSE", 0):
                yield
        finally:
            server.shutdown()
            thread.join()


def use_set(case: FuzzCase) -> None:
    """Make a set of puzzles from the games of people with these names, export it, and delete it."""
    database, kind = case.copy_of(EMPTY), chosen([*Format], case)
    texts = {part: as_argument(case.files.get(part, b"")) for part in _PARTS}
    file = _exported_set(case.base, database, kind, texts)
    if file is None:
        return
    if kind in (Format.HTML, Format.APKG):
        plain = _plain_elements(case.base, kind)
        found = _elements(file, kind)
        require(found.keys() <= plain.keys() and found["script"] == plain["script"], f"markup in {kind}")
    if kind in _IMPORTED:
        other = case.copy_of(EMPTY, "other.db")
        run("puzzlegen", "import", file, "--db", other)
        require(bool(_ids(other)), f"what was exported to {kind} cannot be imported")
        require(_ids(other) <= _ids(database), f"what was exported to {kind} is imported as other puzzles")
    _on_set(database, texts, "delete", "--yes")


def _exported_set(base: Path, database: Path, kind: Format, texts: Mapping[str, str]) -> Path | None:
    """Make a set in an empty database, use it, and export it; None if its name is refused."""
    puzzles = database.with_name(EXPORTED)
    # JSON that is not UTF-8 is refused, and so are lines of more than 100,000 characters.
    player = texts["player"].encode(errors="replace").decode()[:_LONGEST_NAME]
    lines = (base / EXPORTED).read_text(encoding="utf-8").splitlines()
    objects = [json.loads(line) | dict.fromkeys(_OF_GAME, player) for line in lines]
    puzzles.write_text("".join(f"{json.dumps(puzzle)}\n" for puzzle in objects))
    run("puzzlegen", "import", puzzles, "--db", database)
    about = ("--for", texts["student"], "--title", texts["title"])
    if run("motifsearch", "sets", "create", *about, "--db", database, "--", texts["name"]):
        return None
    run("motifsearch", "sets", "list", "--db", database)
    _on_set(database, texts, "add", words=sorted(_ids(database)))
    _on_set(database, texts, "show")
    _on_set(database, texts, "results")
    file = database.with_name(f"exported.{kind}")
    _on_set(database, texts, "export", "--format", kind, words=[file])
    return file


def _on_set(
    database: Path, texts: Mapping[str, str], command: str, *options: str, words: Sequence[object] = ()
) -> None:
    """Run a command on a set, whose name was accepted."""
    status = run("motifsearch", "sets", command, *options, "--db", database, "--", texts["name"], *words)
    require(status == 0, f"'sets {command}' fails for a name that was accepted")


def _ids(database: Path) -> set[str]:
    with closing(sqlite3.connect(database)) as connection:
        return {name for (name,) in connection.execute("SELECT id FROM puzzles")}


def _elements(file: Path, kind: Format) -> Counter[str]:
    """Return how often each element is in the HTML of an exported file."""
    found: Counter[str] = Counter()

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attributes: object) -> None:
            found[tag] += 1

    Parser().feed(file.read_text(encoding="utf-8") if kind is Format.HTML else _fields_of_notes(file))
    return found


def _fields_of_notes(deck: Path) -> str:
    collection = deck.with_name("collection.anki2")
    with ZipFile(deck) as archive:
        collection.write_bytes(archive.read(collection.name))
    with closing(sqlite3.connect(collection)) as connection:
        return "".join(fields for (fields,) in connection.execute("SELECT flds FROM notes"))


@cache
def _plain_elements(base: Path, kind: Format) -> Counter[str]:
    """Return the elements of a set whose names have no markup."""
    with TemporaryDirectory() as folder:
        database = Path(shutil.copy(base / EMPTY, folder))
        file = _exported_set(base, database, kind, dict.fromkeys(_PARTS, "plain"))
        assert file is not None
        return _elements(file, kind)


def solve(case: FuzzCase) -> None:
    """Solve a set by what somebody types. What was answered is stored."""
    made_up = patch("motifsearch.trainer.refutation.Engine", MadeUpEngine)
    typed = b"".join(case.file.read_bytes().splitlines(keepends=True)[:_MOST_TYPED])
    with made_up:
        status = run("motifsearch", "solve", SET, "--db", case.copy_of(LESSON), typed=typed)
    require(status == 0, "what is typed ends the command")
