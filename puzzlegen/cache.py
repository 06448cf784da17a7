"""The cache of engine searches: packed files of positions with the verdicts of searches on them.

A packed file (see `db.packed`) is written from the store, from games or EPD files, or by merging packed
files. The miner looks up searches in such a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from chess_motif.errors import ArchiveError, InputError, PositionError, StoreError
from chess_motif.notation import parse_position
from chess_motif.progress import Progress
from chess_motif.search import Search
from db.evaluations import count_evaluations, evaluated_positions
from db.packed.file import Header, PackedFile, write_packed
from db.packed.verdicts import PackedEntry, Verdict
from db.store import Store
from engines.search_cache import Lookup, legal_variations
from puzzlegen.formats.lines import lines_of
from puzzlegen.games.archive import Archive, open_archive
from puzzlegen.games.pgn import SkipGame, read_game, skip_notice
from puzzlegen.games.split import split_games

# The suffix of an EPD file, before that of its compression.
_EPD_SUFFIX = ".epd"

_NOTHING = "no position that can be packed"


@dataclass(frozen=True)
class PackReport:
    """What was packed: different positions and verdicts, in `bytes` bytes.

    `left_out` counts what could not be packed: games, lines, damaged blocks, or searches that older versions
    stored without their position. `damage` says where an archive is damaged, if it is.
    """

    positions: int
    verdicts: int
    bytes: int
    left_out: int
    damage: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the keys and values of its JSON object."""
        return vars(self) | {"bits_per_position": round(self.bits, 2)}

    @property
    def bits(self) -> float:
        """The size of the whole file in bits per position."""
        return 8 * self.bytes / max(self.positions, 1)


def pack_store(path: Path, store: Store, progress: Progress | None = None) -> PackReport:
    """Write the searched positions of a store, with their verdicts, as a packed file.

    Raises `InputError` if there are none, and `StoreError`.
    """
    progress = progress or Progress()
    with store.reading() as session:
        known, unknown = count_evaluations(session)
        if not known:
            raise InputError("no search is stored with its position; mine or audit first, or name GAMES")
        header = write_packed(path, evaluated_positions(session), progress)
    return _report(path, header, unknown)


def pack_archives(path: Path, names: Sequence[str], progress: Progress | None = None) -> PackReport:
    """Write the positions of archives of games, or of EPD files, as a packed file without verdicts.

    Unusable games and lines are reported and left out. A damaged archive is packed up to the damage. Raises
    `InputError` if there is no position, `ArchiveError` if an archive cannot be opened, `PackedFileError`.
    """
    source = _Source(progress or Progress())
    with ExitStack() as stack:
        archives = [stack.enter_context(open_archive(name)) for name in names]
        positions = chain.from_iterable(map(source.archive, archives))
        entries = _not_empty(positions, lambda: source.damage or f"{', '.join(names)}: {_NOTHING}")
        header = write_packed(path, entries, source.progress)
    return _report(path, header, source.left_out, source.damage)


def merge_packed(path: Path, files: Sequence[Path], progress: Progress | None = None) -> PackReport:
    """Merge packed files. Damaged blocks are reported and left out.

    Of two verdicts on the same position by the same engine and budget, one is kept. Raises `InputError` if
    nothing is left, or if `path` exists and is not one of `files`, and `PackedFileError`.
    """
    if path.exists() and not any(path.samefile(file) for file in files if file.exists()):
        raise InputError(f"{path}: already exists; to add to it, name it as one of the files to merge")
    source = _Source(progress or Progress())
    with ExitStack() as stack:
        opened = [stack.enter_context(PackedFile(file)) for file in files]
        entries = _not_empty(source.files(opened), lambda: f"{', '.join(map(str, files))}: {_NOTHING}")
        header = write_packed(path, entries, source.progress)
    return _report(path, header, source.left_out)


@dataclass
class _Source:
    """A source of positions, which counts what is left out, and ends where an archive is damaged."""

    progress: Progress
    left_out: int = 0
    damage: str = ""

    def skip(self, notice: str) -> None:
        self.left_out += 1
        self.progress.notice(notice)

    def archive(self, archive: Archive) -> Iterator[PackedEntry]:
        """Yield the positions of games or of an EPD file, up to where the archive is damaged."""
        is_epd = _EPD_SUFFIX in Path(archive.name).suffixes
        try:
            yield from self.epd(archive) if is_epd else self.games(archive)
        except ArchiveError as error:
            self.damage = "; ".join(filter(None, [self.damage, str(error)]))

    def games(self, archive: Archive) -> Iterator[PackedEntry]:
        """Yield every position of the games of an archive. Raises `ArchiveError` where it is damaged."""
        for raw in split_games(archive.chunks()):
            try:
                game = read_game(raw)
            except SkipGame as skip:
                self.skip(skip_notice(archive.name, raw.number, raw.offset, skip.reason, skip.detail))
                continue
            yield from (PackedEntry(board, []) for board in game.positions())
            archive.finish_text(raw.end)
            self.progress.update(archive.name, archive.finished(), archive.size, "B")

    def epd(self, archive: Archive) -> Iterator[PackedEntry]:
        """Yield the position of each line of an EPD file. Raises `ArchiveError` where it is damaged."""
        for place, line in lines_of(archive):
            try:
                board = parse_position(" ".join([*line.split()[:4], "0 1"]))
            except PositionError as error:
                self.skip(f"{archive.name}: {place}: {error}")
            else:
                yield PackedEntry(board, [])

    def files(self, files: Sequence[PackedFile]) -> Iterator[PackedEntry]:
        """Yield the positions of packed files. Damaged blocks are left out."""
        for file in files:
            # The result may replace one of the files. Windows replaces no open file.
            with file:
                for done, entry in enumerate(file.entries(self.skip), 1):
                    yield entry
                    if done % 1000 == 0:
                        self.progress.update(file.path.name, done, file.header.positions, "position")


def _not_empty(entries: Iterator[PackedEntry], why: Callable[[], str]) -> Iterator[PackedEntry]:
    first = next(entries, None)
    if first is None:
        raise InputError(why())
    yield first
    yield from entries


def _report(path: Path, header: Header, left_out: int, damage: str = "") -> PackReport:
    return PackReport(header.positions, header.verdicts, path.stat().st_size, left_out, damage)


@dataclass(frozen=True)
class VerdictCount:
    """The number of an engine's `verdicts` with a budget: nodes, variations, and a depth in plies, if any."""

    engine: str
    nodes: int
    lines: int
    depth: int | None
    verdicts: int


@dataclass(frozen=True)
class Contents:
    """The contents of a packed file: counts, the bytes of each part, and the verdicts by budget.

    `damage` has a line for each block that is damaged.
    """

    positions: int
    verdicts: int
    blocks: int
    position_bytes: int
    index_bytes: int
    verdict_bytes: int
    searches: list[VerdictCount]
    damage: list[str]


def contents_of(file: PackedFile) -> Contents:
    """Return the contents of a packed file. No position is decoded."""
    searches: Counter[tuple[str, int, int, int | None]] = Counter()
    for slot in file.slots:
        try:
            verdicts = file.verdicts(slot)
        except StoreError:
            continue
        for verdict in (verdict for each in verdicts for verdict in each):
            searches[verdict.settings, verdict.nodes, verdict.lines, verdict.depth] += 1
    return Contents(
        file.header.positions,
        file.header.verdicts,
        file.header.blocks,
        sum(slot.position_bytes for slot in file.slots),
        file.header.index_bytes,
        sum(slot.verdict_bytes for slot in file.slots),
        [VerdictCount(*budget, count) for budget, count in searches.most_common()],
        file.damage(),
    )


def packed_lookup(file: PackedFile) -> Lookup:
    """Return a function that finds the results of searches in a packed file.

    A result is used if it is of the same search or else of a search by the same engine with at least as many
    nodes and variations, and may then have more variations than were asked for. Damaged blocks are ignored.
    """

    def known(searches: Sequence[Search]) -> dict[Search, str]:
        found = {}
        for search in searches:
            # The file may come from somebody else.
            with suppress(StoreError):
                board = search.board()
                entry = file.get(board)
                verdict = _sufficient(entry.verdicts, search) if entry else None
                if verdict is not None and legal_variations(board, verdict.found):
                    found[search] = verdict.found
        return found

    return known


def _sufficient(verdicts: Sequence[Verdict], search: Search) -> Verdict | None:
    """Return the verdict with the smallest budget that is sufficient, None if there is none."""
    sufficient = [verdict for verdict in verdicts if _is_sufficient(verdict, search)]
    return min(sufficient, key=lambda verdict: (verdict.nodes, verdict.lines), default=None)


def _is_sufficient(verdict: Verdict, search: Search) -> bool:
    if (verdict.clock, verdict.settings, verdict.depth) != (search.clock, search.settings, search.depth):
        return False
    if search.depth is not None:
        return (verdict.nodes, verdict.lines) == (search.nodes, search.lines)
    return verdict.nodes >= search.nodes and verdict.lines >= search.lines
