"""Building the memory of the archived games. An interrupted build is resumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import numpy.typing as npt

from chess_motif.errors import IndexDamagedError, InputError
from chess_motif.parallel import chunks_of, in_processes
from chess_motif.progress import Progress
from db.games import (
    GameRecord,
    archived_numbers,
    archived_records,
    count_archived,
    first_archived,
    get_archived,
    last_archived,
)
from db.store import Store
from engines.human.model import HumanModel, model_file
from engines.human.planes import Array
from motifsearch.positions.archiving import ALL_GAMES, AddReport, add_games
from motifsearch.retrieval.embedding import Embedding, fit_embedding, load_model
from motifsearch.retrieval.folder import (
    Facts,
    MemoryFolder,
    MemoryPart,
    copy_name,
    default_folder,
    embed_games,
    load_part,
    load_parts,
    part_files,
)
from motifsearch.retrieval.memory import make_table, open_searches
from motifsearch.retrieval.vectors import index_vectors
from puzzlegen.games.filter import ArchiveFilter

# Games that are embedded at a time and stored in one part: about 8,000 positions, 2 MB.
CHUNK = 100

# Games that the projections are fitted to, and the positions of each.
FITTED_GAMES = 600
FITTED_OF_GAME = 10


@dataclass(frozen=True)
class MemoryReport:
    """What a memory holds: games, occurrences of positions, different positions, and bytes on disk.

    `added` is the number of games that this call added.
    """

    games: int
    added: int
    occurrences: int
    positions: int
    bytes: int


def remember_games(
    games: Iterable[str | chess.pgn.Game],
    store: Store,
    path: Path | None = None,
    *,
    wanted: ArchiveFilter = ALL_GAMES,
    model: Path | None = None,
    progress: Progress | None = None,
) -> tuple[AddReport, MemoryReport]:
    """Archive games, see `add_games`, and build the memory, see `build_memory`; return a report of each step.

    `games` are games of python-chess, or paths of archives of games.

    Raises what `build_memory` raises.
    """
    report = add_games(games, store, wanted=wanted, progress=progress)
    return report, build_memory(store, path, model=model, progress=progress)


def build_memory(
    store: Store,
    path: Path | None = None,
    *,
    model: Path | None = None,
    progress: Progress | None = None,
) -> MemoryReport:
    """Add the archived games that the memory lacks, and return what it holds.

    `path` is the folder of the memory (default: beside the database). `model` is the file of a human-move
    model or of an encoder (see `load_encoder`); the default is the model of an existing memory, or else that
    of `load_human_model`. If the memory was built with another model or database, it is rebuilt. After an
    interruption, the next call resumes the work. Raises `InputError` if no game is archived or the encoder
    cannot be used, `HumanModelError`, `IndexUnavailableError`, `StoreError`, `LibraryMissingError`.
    """
    progress = progress or Progress()
    folder = MemoryFolder(path or default_folder(store))
    with folder.writing():
        with store.reading() as session:
            last = last_archived(session)
        if not last:
            raise InputError("no games are archived yet; 'motifsearch retrieval build GAMES' does that")
        facts = _begun(folder, store, model, progress)
        before = facts.games
        facts = _without_damage(folder, facts, store, progress)
        if facts.last < last:
            _embed_rest(folder, store, progress)
            facts = _searchable(folder, facts)
        size = sum(file.stat().st_size for file in folder.path.rglob("*") if file.is_file())
    return MemoryReport(facts.games, facts.games - before, facts.occurrences, facts.positions, size)


def _begun(folder: MemoryFolder, store: Store, model: Path | None, progress: Progress) -> Facts:
    """Return the facts of the memory in a folder.

    A memory of other games or another model, or with damaged facts or embedding, is replaced by an empty one.
    """
    facts = _usable(folder, progress)
    if model is None and facts is not None and facts.store == store.identity():
        model = folder.path / facts.model
    model = model_file(model)
    loaded = load_model(model)
    encoder = not isinstance(loaded, HumanModel)
    new = Facts(store.identity(), loaded.digest, copy_name(model, encoder=encoder))
    if facts is not None and (facts.store, facts.digest) != (new.store, new.digest):
        progress.notice(f"{folder.path}: built from another database or model; rebuilding it")
        facts = None
    if facts is None:
        facts = folder.begin(new, model)
    if isinstance(loaded, HumanModel) and not folder.embedding_file.exists():
        fit_embedding(loaded, [*_sample(store)]).save(folder.embedding_file)
    return facts


def _usable(folder: MemoryFolder, progress: Progress) -> Facts | None:
    """Return the facts of a memory, or None if there is no memory or it must be rebuilt."""
    try:
        facts = folder.facts()
        if facts is not None and part_files(folder.parts):
            folder.open_embedding(facts)
    except IndexDamagedError as error:
        progress.notice(f"{error}; rebuilding the memory")
        return None
    return facts


def _without_damage(folder: MemoryFolder, facts: Facts, store: Store, progress: Progress) -> Facts:
    """Remove the first damaged part and the parts after it, which are then made again; return the facts.

    A part whose games do not follow those of the last part counts as damaged: a part is missing, or an older
    copy has replaced the database. If any part or any file for searches is damaged, `last` is 0.
    """
    try:
        before = 0
        for number, file in enumerate(files := part_files(folder.parts)):
            try:
                part = load_part(file)
                if not _goes_on(part, store, before):
                    raise IndexDamagedError(f"{file}: has other games than the database")
            except IndexDamagedError:
                for later in files[number:]:
                    later.unlink()
                raise
            before = part.last
        if facts.last:
            open_searches(folder, facts, folder.open_embedding(facts))
    except IndexDamagedError as error:
        progress.notice(f"{error}; making it again")
        return replace(facts, last=0)
    return facts


def _goes_on(part: MemoryPart, store: Store, before: int) -> bool:
    """Return whether a part begins with the first game after number `before`, and ends with a stored game."""
    with store.reading() as session:
        first = first_archived(session, before)
        games = get_archived(session, [first, part.last])
    return all(number in games and part.has(games[number]) for number in (first, part.last))


def _sample(store: Store) -> Iterator[chess.Board]:
    """Yield positions of games that are spread evenly over the archive."""
    with store.reading() as session:
        numbers = archived_numbers(session)
    chosen = set(numbers[:: max(1, len(numbers) // FITTED_GAMES)])
    for game in [game for game in archived_records(store, 0) if game.number in chosen]:
        board = chess.Board(game.start or chess.STARTING_FEN)
        moves = game.moves.split()
        step = max(1, len(moves) // FITTED_OF_GAME)
        # The first ply differs from game to game, so that all plies are equally frequent.
        plies = range(game.number % step, len(moves), step)
        for ply, move in enumerate(moves):
            if ply in plies:
                yield board.copy(stack=False)
            board.push_uci(move)


def _embed_rest(folder: MemoryFolder, store: Store, progress: Progress) -> None:
    """Embed the games after those of the last part."""
    # This process may have built another memory in the same folder before.
    _embedding.cache_clear()
    files = part_files(folder.parts)
    done = int(files[-1].stem) if files else 0
    with store.reading() as session:
        count = count_archived(session, done)
    games = chunks_of(archived_records(store, done), CHUNK)
    with closing(in_processes(partial(_embed, folder.path), games)) as parts:
        embedded = 0
        for part, games_of_part in parts:
            part.save(folder.parts)
            embedded += games_of_part
            progress.update("embedding positions", embedded, count, "game")


def _embed(path: Path, games: list[GameRecord]) -> tuple[MemoryPart, int]:
    return embed_games(_embedding(path), games), len(games)


@cache
def _embedding(path: Path) -> Embedding:
    folder = MemoryFolder(path)
    facts = folder.facts()
    assert facts is not None
    return folder.open_embedding(facts)


def _searchable(folder: MemoryFolder, facts: Facts) -> Facts:
    """Make the files for searches from all parts, and return the new facts."""
    last = int(part_files(folder.parts)[-1].stem)
    table, is_first = make_table(load_parts(folder.parts))
    vectors = index_vectors(partial(distinct_vectors, folder, is_first), table.count)
    facts = replace(
        facts,
        last=last,
        games=len(np.unique(table.occurrences["game"])),
        occurrences=len(table.occurrences),
        positions=table.count,
        vectors=vectors.save(folder.vectors_file(last)),
    )
    table.save(folder.table_file(last))
    folder.record(facts)
    folder.remove_old(facts)
    return facts


def distinct_vectors(folder: MemoryFolder, is_first: npt.NDArray[np.bool_]) -> Iterator[Array]:
    """Yield the vectors of the positions that had not occurred before, see `make_table`, part by part.

    Raises `IndexDamagedError`.
    """
    place = 0
    for part in load_parts(folder.parts):
        chosen = is_first[place : place + len(part.keys)]
        place += len(part.keys)
        yield part.vectors[chosen].astype(np.float32)
