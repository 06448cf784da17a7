"""The screen on which puzzles are searched, `/search`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlencode

import chess
from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from sqlalchemy.orm import Session
from starlette.responses import Response

from chess_motif.boards import solution_san, to_move
from chess_motif.errors import InputError
from chess_motif.notation import parse_position
from chess_motif.pages.boards import Look, Size, board_svg
from db.puzzles import PuzzleFilter, count_puzzles
from db.selection import Selection, select_puzzles
from db.sets import all_sets
from motifsearch.puzzles.searcher import explained
from motifsearch.search import By, PuzzleQuery, SearchRequest, is_fen, visible_to
from motifsearch.show.card import PuzzleCard
from motifsearch.show.similar import PuzzleSearch
from motifsearch.terms.weights import DEFAULT
from motifsearch.trainer.report import PHASES
from motifsearch.web.problems import public_message
from motifsearch.web.site import Site, page, site_of
from puzzlegen.motifs.table import TAGS, TagGroup
from puzzlegen.motifs.tags import tag_words

router = APIRouter()

# Results of one search, and the most that are shown when more are asked for.
COUNT = 12
MOST = 60

# Motifs that are offered at once; the others unfold.
COMMON = (
    *("fork", "pin", "discoveredAttack", "deflection", "attraction", "sacrifice", "hangingPiece"),
    *("trappedPiece", "backRankMate", "skewer", "promotion", "quietMove"),
)


class AllOrAny(StrEnum):
    """Whether a puzzle must have all motifs that are asked for, or any of them."""

    ALL = "all"
    ANY = "any"


@dataclass(frozen=True)
class Asked:
    """The query and filters of a search, as in its address, and who asks."""

    student: str = ""
    q: str = ""
    moves: str = ""
    motif: Sequence[str] = ()
    match: AllOrAny = AllOrAny.ALL
    low: int | None = None
    high: int | None = None
    find: int | None = None
    phase: str = ""
    material: str = ""
    source: str = ""
    count: int = COUNT

    @property
    def filters(self) -> PuzzleFilter:
        """The filters of the database. Raises `InputError` for tags that there are none of."""
        asked: list[tuple[str, str, Collection[str]]] = [("motif", name, TAGS) for name in self.motif]
        asked += [("phase", self.phase, PHASES), ("material", self.material, MATERIAL)]
        for kind, name, known in asked:
            if name and name not in known:
                raise InputError(f"there is no {kind} {name!r}")
        motifs = tuple(self.motif) if self.match is AllOrAny.ALL else (",".join(self.motif),)
        longest = None if self.find == LONGEST else self.find
        filters = PuzzleFilter(
            rating=(self.low, self.high),
            tags=tuple(tag for tag in (*motifs, self.phase, self.material) if tag),
            moves=(self.find, longest),
            source=self.source or None,
            sound=True,
        )
        return visible_to(self.student or None, filters)

    def address(self, **changes: object) -> str:
        """Return the address of this search with some changes."""
        words: dict[str, object] = {
            "q": self.q,
            "moves": self.moves,
            "motif": list(self.motif),
            "match": self.match.value if self.match is not AllOrAny.ALL else "",
            "low": self.low,
            "high": self.high,
            "find": self.find,
            "phase": self.phase,
            "material": self.material,
            "source": self.source,
            "count": self.count if self.count != COUNT else None,
        } | changes
        return "/search?" + urlencode({name: each for name, each in words.items() if each}, doseq=True)


# The other tags of phases say which pieces there are beside kings and pawns.
MATERIAL = tuple(name for name, tag in TAGS.items() if tag.group is TagGroup.PHASE and name not in PHASES)

# Four moves to find, or more.
LONGEST = 4


@dataclass
class Found:
    """The screen as it is shown."""

    asked: Asked
    results: Sequence[PuzzleCard] = ()
    says: str = ""
    notes: list[str] = field(default_factory=list)
    error: str = ""
    instead: list[tuple[str, str]] = field(default_factory=list)
    board: chess.Board | None = None
    sources: Sequence[str] = ()
    sets: Sequence[str] = ()
    more: str = ""

    @property
    def editor(self) -> Markup:
        """The board of the query, or an empty one to set up a position on."""
        board = self.board or chess.Board.empty()
        look = Look(chess.WHITE, "The position to search for", Size.SMALL, coordinates=True)
        return board_svg(board, look)

    @property
    def fen(self) -> str:
        """The position on that board."""
        return (self.board or chess.Board.empty()).fen()

    @property
    def motifs(self) -> list[tuple[str, str, bool]]:
        """The motifs that are offered at once: name, words, and whether each is chosen."""
        chosen = [name for name in self.asked.motif if name not in COMMON]
        names = [name for name in (*chosen, *COMMON) if name in TAGS]
        return [(name, tag_words(name), name in self.asked.motif) for name in names]

    @property
    def further(self) -> list[tuple[str, str]]:
        """The other motifs: name and words."""
        groups = (TagGroup.MOTIF, TagGroup.MATE_PATTERN, TagGroup.MATE, TagGroup.GAIN)
        shown = {name for name, _, _ in self.motifs}
        return sorted(
            (tag_words(name), name) for name, tag in TAGS.items() if tag.group in groups and name not in shown
        )

    @property
    def choices(self) -> list[tuple[str, str, list[tuple[str, str]], str]]:
        """The filters with one value: name, words, values with their words, and the chosen one."""
        tagged = (("phase", "Phase", PHASES), ("material", "Material", MATERIAL))
        found = [
            (name, words, [(tag, tag_words(tag)) for tag in tags], getattr(self.asked, name))
            for name, words, tags in tagged
        ]
        sources = [(source, source) for source in self.sources]
        return [*found, ("source", "Source", sources, self.asked.source)]

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return {
            "says": self.says,
            "notes": self.notes,
            "error": self.error or None,
            "results": [each.json() for each in self.results],
        }


@router.get("/search")
def search(
    request: Request,
    q: Annotated[
        str, Query(max_length=300, description="The id of a puzzle, its address, or a position as FEN.")
    ] = "",
    moves: Annotated[
        str, Query(max_length=500, description="The solution of the position, if it is known.")
    ] = "",
    motif: Annotated[
        list[str] | None, Query(max_length=20, description="Tags, such as fork or mateIn2.")
    ] = None,
    match: Annotated[
        AllOrAny, Query(description="Whether all of the motifs are wanted, or any.")
    ] = AllOrAny.ALL,
    low: Annotated[str, Query(max_length=4, pattern=r"^\d*$", description="The lowest rating.")] = "",
    high: Annotated[str, Query(max_length=4, pattern=r"^\d*$", description="The highest rating.")] = "",
    find: Annotated[
        str,
        Query(
            pattern=r"^[1-4]?$", description="How many moves the solver has to find; 4 stands for more, too."
        ),
    ] = "",
    phase: Annotated[str, Query(description="The tag of a phase, such as endgame.")] = "",
    material: Annotated[str, Query(description="The tag of a kind of endgame, such as rookEndgame.")] = "",
    source: Annotated[str, Query(description="Where the puzzles are from.")] = "",
    count: Annotated[int, Query(ge=1, le=MOST, description="How many results.")] = COUNT,
) -> Response:
    """Search puzzles like a stored one or a position, or list those that pass the filters."""
    site = site_of(request)
    asked = Asked(
        site.student(request),
        q.strip(),
        moves.strip(),
        tuple(motif or ()),
        match,
        int(low) if low else None,
        int(high) if high else None,
        int(find) if find else None,
        phase,
        material,
        source,
        count,
    )
    found = Found(asked)
    with site.store.reading() as session:
        found.sources = site.sources(session)
        found.sets = [each.name for each in all_sets(session)]
    status = 200
    try:
        _search(site, found, request)
    except InputError as error:
        found.error, status = public_message(error), 400
    return page(request, "search.html", title="Search", view=found, status=status, data=found.data)


def _search(site: Site, found: Found, request: Request) -> None:
    asked = found.asked
    if is_fen(asked.q):
        found.board = parse_position(asked.q)
    with site.store.reading() as session:
        total = site.count(session, asked.filters)
        if not total:
            _say_why_none(session, found)
            return
        if not asked.q:
            selection = Selection(asked.filters, limit=asked.count)
            found.results = [PuzzleCard.of(puzzle) for puzzle in select_puzzles(session, selection)]
            found.says = f"{len(found.results)} of {total:,} puzzles"
            _offer_more(found, total)
            return
    searched = site.asked(asked.q, asked.moves or None, request)
    found.board = searched.board
    by = searched.compared_by(By.COMBINED)
    hits = site.searcher().similar(SearchRequest(searched, asked.filters, by=by, k=asked.count))
    shown = PuzzleSearch(searched, by, DEFAULT, hits)
    found.notes = [_line(searched), *shown.notes(), *shown.notices()]
    found.results = [PuzzleCard.of_hit(hit) for hit in explained(searched, hits)]
    found.says = f"{len(hits)} of {total:,} puzzles, most alike first"
    _offer_more(found, total)


def _offer_more(found: Found, total: int) -> None:
    count = found.asked.count
    if len(found.results) == count < min(MOST, total):
        found.more = found.asked.address(count=min(count + COUNT, MOST))


def _line(query: PuzzleQuery) -> str:
    """Return the query's solution, unless it is what the engine would play without a tactic."""
    line = solution_san(query.board, query.moves) if query.shows_solution else ""
    return f"{to_move(query.board)}: {line}" if line else to_move(query.board)


def _say_why_none(session: Session, found: Found) -> None:
    """Say that no puzzle passes the filters, and which of them to leave."""
    asked = found.asked
    found.says = "No puzzle passes all filters"
    if len(asked.motif) > 1 and asked.match is AllOrAny.ALL:
        _offer(session, found, "any of the motifs", match=AllOrAny.ANY)
    if asked.motif:
        _offer(session, found, "any motif", motif=())
    if asked.low is not None or asked.high is not None:
        _offer(session, found, "any rating", low=None, high=None)
    if asked.find is not None:
        _offer(session, found, "any number of moves", find=None)
    if asked.phase:
        _offer(session, found, "any phase", phase="")
    if asked.material:
        _offer(session, found, "any material", material="")
    if asked.source:
        _offer(session, found, "any source", source="")
    if not found.instead and (number := count_puzzles(session, Asked(asked.student).filters)):
        found.instead.append(("/search", f"{number:,} without any filter"))


def _offer(session: Session, found: Found, words: str, **changes: object) -> None:
    """Offer a search with some filters changed, if that finds anything."""
    changed = replace(found.asked, **changes)  # type: ignore[arg-type]
    if number := count_puzzles(session, changed.filters):
        found.instead.append((changed.address(), f"{number:,} with {words}"))
