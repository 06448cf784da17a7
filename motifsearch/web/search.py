"""The screen on which puzzles are searched, `/search`: by theme and level, or like a position.

The solutions stay hidden, for what is found is to be solved: only the card that is asked for has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal
from urllib.parse import urlencode

import chess
from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from pydantic import BaseModel, BeforeValidator, Field
from sqlalchemy.orm import Session
from starlette.responses import Response

from chess_motif.boards import board_after, solution_san, to_move
from chess_motif.errors import DownloadError, InputError
from chess_motif.notation import parse_position
from chess_motif.pages.boards import Look, Size, board_svg
from chess_motif.text import counted
from db.models import Puzzle
from db.puzzles import PuzzleFilter, count_puzzles, get_puzzles
from db.sets import find_set, set_entries, set_names
from motifsearch.puzzles.searcher import PuzzleHit, explained
from motifsearch.search import By, PuzzleQuery, SearchRequest, game_in, is_fen, visible_to
from motifsearch.show.card import PuzzleCard, written
from motifsearch.show.similar import PuzzleSearch
from motifsearch.terms.weights import DEFAULT
from motifsearch.trainer.practice import LONGEST, Level, Practice
from motifsearch.trainer.rating import rating_of
from motifsearch.trainer.report import PHASES
from motifsearch.trainer.unseen import unseen_first
from motifsearch.web.problems import public_message
from motifsearch.web.site import MOST_COUNTED, Site, page, see, site_of
from puzzlegen.games.pasted import PastedGame
from puzzlegen.motifs.table import TAGS, TagGroup
from puzzlegen.motifs.tags import tag_words

router = APIRouter()

# Results of one search, and the most that are shown when more are asked for.
COUNT = 12
MOST = 60

# Puzzles of one round, at most.
SOLVED = 50

# Motifs that are offered at once; the others unfold.
COMMON = (
    *("fork", "pin", "deflection", "discoveredAttack", "sacrifice", "attraction", "hangingPiece"),
    *("trappedPiece", "backRankMate", "skewer", "promotion", "quietMove"),
)
_OFFERED = (TagGroup.MOTIF, TagGroup.MATE_PATTERN, TagGroup.MATE, TagGroup.GAIN)

# The other tags of phases say which pieces there are beside kings and pawns.
MATERIAL = tuple(name for name, tag in TAGS.items() if tag.group is TagGroup.PHASE and name not in PHASES)

# What keeps a search from being made, and is said where its results would be.
REFUSED = (InputError, DownloadError)

Text = Annotated[
    str,
    Query(
        max_length=12_000,
        description="The id or address of a puzzle, a position (FEN), a game (PGN) or its address.",
    ),
]


def _none_if_empty(value: object) -> object:
    """Return None for a field of a form that was left empty."""
    return None if value == "" else value


# Four digits are enough for a rating.
Bound = Annotated[int | None, BeforeValidator(_none_if_empty), Field(ge=0, le=9999)]


class AllOrAny(StrEnum):
    """Whether a puzzle must have all motifs that are asked for, or any of them."""

    ALL = "all"
    ANY = "any"


class Asked(BaseModel, frozen=True, extra="ignore"):
    """The query and filters of a search, as in its address."""

    q: Text = ""
    moves: str = Field("", max_length=500, description="The solution of the position, if it is known.")
    motif: list[str] = Field([], max_length=20, description="Tags, such as fork or mateIn2.")
    match: AllOrAny = Field(AllOrAny.ALL, description="Whether all of the motifs are wanted, or any.")
    level: Level | Literal["any"] | None = Field(
        None, description="How hard: compared with the student's rating, or in a range."
    )
    low: Bound = Field(None, description="The lowest rating.")
    high: Bound = Field(None, description="The highest rating.")
    find: Annotated[int | None, BeforeValidator(_none_if_empty)] = Field(
        None, ge=1, le=LONGEST, description="How many moves the solver has to find; 4 stands for more, too."
    )
    phase: str = Field("", description="The tag of a phase, such as endgame.")
    material: str = Field("", description="The tag of a kind of endgame, such as rookEndgame.")
    opening: str = Field(
        "",
        max_length=200,
        description="The opening of the game: words of its name, a tag of Lichess, or an ECO code or its "
        "beginning. Lichess' puzzles have no codes.",
    )
    source: str = Field("", description="Where the puzzles are from.")
    count: int = Field(COUNT, ge=1, le=MOST, description="How many results.")
    shuffle: int = Field(
        0, ge=0, le=10**6, description="Another number gives another order; 0 the oldest first."
    )
    what: Literal["puzzles", "positions"] = Field("puzzles", alias="in", description="What is searched.")
    shown: str = Field("", max_length=20, description="The puzzle whose solution is shown.")
    set: str = Field("", max_length=200, description="The set to add puzzles to.")
    themes: Literal["", "all"] = Field("", description="Whether all motifs are offered.")
    select: Literal["", "all"] = Field("", description="Whether all results are selected.")

    @property
    def text(self) -> str:
        """The query without spaces around it."""
        return self.q.strip()

    def bounds(self, rating: float | None) -> tuple[int | None, int | None]:
        """Return the lowest and the highest rating of the puzzles for a student of a rating."""
        if self.level in (None, Level.RANGE):
            return self.low, self.high
        if self.level == "any" or rating is None:
            return None, None
        low, high = (10 * round(each / 10) for each in Practice.at(self.level).levels(rating))
        return low, high

    def filters(self, student: str, rating: float | None) -> PuzzleFilter:
        """Return the filters of the database. Raises `InputError` for tags that there are none of."""
        asked: list[tuple[str, str, Collection[str]]] = [("motif", name, TAGS) for name in self.motif]
        asked += [("phase", self.phase, PHASES), ("material", self.material, MATERIAL)]
        for kind, name, known in asked:
            if name and name not in known:
                raise InputError(f"there is no {kind} {name!r}")
        motifs = tuple(self.motif) if self.match is AllOrAny.ALL else (",".join(self.motif),)
        filters = PuzzleFilter(
            rating=self.bounds(rating),
            tags=tuple(tag for tag in (*motifs, self.phase, self.material) if tag),
            moves=(self.find, None if self.find == LONGEST else self.find),
            opening=self.opening.strip() or None,
            source=self.source or None,
            sound=True,
        )
        return visible_to(student, filters)

    def words(self, rating: float | None, openings: Sequence[tuple[str, str]]) -> str:
        """Return the filters in words, such as `with fork, 1440 to 1620`."""
        names = f" {'and' if self.match is AllOrAny.ALL else 'or'} ".join(map(tag_words, self.motif))
        low, high = self.bounds(rating)
        level = f"{low} to {high}" if low is not None and high is not None else ""
        level = level or (f"from {low}" if low is not None else f"up to {high}" if high is not None else "")
        more = "" if self.find != LONGEST else " or more"
        length = f"{counted(self.find, 'move')}{more}" if self.find else ""
        tags = [tag_words(each) if each else "" for each in (self.phase, self.material)]
        opening = dict(openings).get(self.opening, self.opening)
        said = [f"with {names}" if names else "", level, *tags, length, opening, self.source]
        return ", ".join(filter(None, said))

    def address(self, **changes: object) -> str:
        """Return the address of this search with some changes, without its path."""
        here = self.model_dump(
            mode="json", by_alias=True, exclude_defaults=True, exclude={"shown", "themes", "select"}
        )
        return "?" + urlencode({name: each for name, each in (here | changes).items() if each}, doseq=True)


@dataclass
class Found:
    """The screen as it is shown. `ids` are those of the puzzles to solve, of which some are shown."""

    asked: Asked
    student: str
    rating: float | None
    found: Sequence[Puzzle | PuzzleHit] = ()
    query: PuzzleQuery | None = None
    ids: Sequence[str] = ()
    says: str = ""
    which: str = ""
    notes: list[str] = field(default_factory=list)
    error: str = ""
    instead: list[tuple[str, str]] = field(default_factory=list)
    board: chess.Board | None = None
    game: PastedGame | None = None
    sources: Sequence[str] = ()
    openings: Sequence[tuple[str, str]] = ()
    sets: Sequence[str] = ()
    more: str = ""

    def _card(self, each: Puzzle | PuzzleHit, *, told: bool) -> PuzzleCard:
        if isinstance(each, Puzzle):
            return PuzzleCard.of(each) if told else PuzzleCard.to_solve(each)
        if not told:
            return PuzzleCard.to_solve(each.puzzle, hit=each)
        assert self.query is not None
        return PuzzleCard.of_hit(explained(self.query, [each])[0])

    @property
    def cards(self) -> list[PuzzleCard]:
        """What was found, with the solution of the one that is asked for."""
        ids = [each.id if isinstance(each, Puzzle) else each.puzzle.id for each in self.found]
        return [
            self._card(each, told=id_ == self.asked.shown) for id_, each in zip(ids, self.found, strict=True)
        ]

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
    def plies(self) -> list[list[tuple[str, str, bool]]]:
        """The moves of the game that was pasted, see `moves_of`."""
        return moves_of(self.game, lambda text: self.asked.address(q=text))

    @property
    def motifs(self) -> list[tuple[str, str, bool]]:
        """The motifs that are offered: name, words, and whether each is chosen."""
        chosen = [name for name in self.asked.motif if name not in COMMON]
        names = list(dict.fromkeys(name for name in (*chosen, *COMMON) if name in TAGS))
        if self.asked.themes:
            further = [name for name, tag in TAGS.items() if tag.group in _OFFERED and name not in names]
            names += sorted(further, key=tag_words)
        return [(name, tag_words(name), name in self.asked.motif) for name in names]

    @property
    def number_of_motifs(self) -> int:
        """How many motifs there are."""
        return sum(tag.group in _OFFERED for tag in TAGS.values())

    @property
    def levels(self) -> list[tuple[str, str]]:
        """The levels to choose from, with their words; without a rating, nothing is compared with it."""
        if self.rating is None:
            return [("any", "any"), ("range", "range")]
        own = f"{self.rating:.0f}"
        return [("any", "any"), *((each.value, own if each is Level.OWN else each.value) for each in Level)]

    @property
    def level(self) -> str:
        """The level that is chosen."""
        is_range = self.asked.level is None and (self.asked.low or self.asked.high)
        chosen = "range" if is_range else self.asked.level or "any"
        return chosen if chosen in dict(self.levels) else "any"

    @property
    def choices(self) -> list[tuple[str, str, list[tuple[str, str]], str]]:
        """The filters with one value: name, words, values with their words, and the chosen one."""
        lengths = [("1", "1 move"), ("2", "2 moves"), ("3", "3 moves"), ("4", "4 moves or more")]
        openings = dict(self.openings)
        if self.asked.opening:
            openings.setdefault(self.asked.opening, self.asked.opening)
        values = {
            "phase": [(tag, tag_words(tag)) for tag in PHASES],
            "find": lengths,
            "opening": list(openings.items()),
            "source": [(source, source) for source in self.sources],
            "material": [(tag, tag_words(tag)) for tag in MATERIAL],
        }
        words = {"find": "length"}
        return [
            (name, words.get(name, name), offered, str(getattr(self.asked, name) or ""))
            for name, offered in values.items()
        ]

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return {
            "says": " ".join(filter(None, [self.says, self.which])),
            "notes": self.notes,
            "error": self.error or None,
            "results": [self._card(each, told=True).json() for each in self.found],
        }


def moves_of(game: PastedGame | None, address: Callable[[str], str]) -> list[list[tuple[str, str, bool]]]:
    """Return the lines of a pasted game: each move, the address of a search after it, and if it is shown.

    Variations begin with the first move that is another one.
    """
    found = []
    for line in (game, *game.variations) if game else ():
        moves = written(board_after(line.start, line.moves[: line.branch]), line.moves[line.branch :])
        places = [(each.san, line.branch + each.place) for each in moves]
        found.append([(san, address(line.at(ply)), line is game and ply == line.ply) for san, ply in places])
    return found


@router.get("/search")
def search(request: Request, asked: Annotated[Asked, Query()]) -> Response:
    """Search puzzles like a stored one or a position, or list those that pass the filters, unseen first."""
    if asked.what == "positions":
        return see(f"/positions?{urlencode({'q': asked.text})}")
    site = site_of(request)
    student, status = site.student(request), 200
    with site.store.reading() as session:
        own = rating_of(session, student)
        found = Found(
            asked,
            student,
            None if own is None else own.value,
            sources=site.sources(session),
            openings=site.openings(session),
            sets=set_names(session),
        )
    try:
        _search(site, found, request)
    except REFUSED as error:
        found.error, status = public_message(error), 400 if isinstance(error, InputError) else 503
    return page(request, "search.html", title="Search", view=found, status=status, data=found.data)


def _search(site: Site, found: Found, request: Request) -> None:
    asked, text = found.asked, found.asked.text
    if text and (game := game_in(site.store, text)):
        found.game, text = game, game.board.fen()
    if is_fen(text):
        found.board = parse_position(text)
    filters, most = asked.filters(found.student, found.rating), max(asked.count, SOLVED)
    with site.store.reading() as session:
        is_known = asked.set and find_set(session, asked.set)
        taken = [each.puzzle.id for each in set_entries(session, asked.set)] if is_known else []
        total = site.count(session, filters)
        if not total:
            _say_why_none(session, found)
            return
        if not text:
            found.ids = unseen_first(
                session, filters, found.student, most, seed=asked.shuffle, left_out=taken
            )
            stored = get_puzzles(session, found.ids[: asked.count])
            found.found = [stored[id_] for id_ in found.ids if id_ in stored]
            found.says = f"{_number(total)} puzzle{'s' * (total != 1)}"
            found.which = ", ".join(filter(None, [asked.words(found.rating, found.openings), "unseen first"]))
    if text:
        query = _asked(site, text, asked.moves.strip(), request)
        by = query.compared_by(By.COMBINED)
        found.query, found.board = query, query.board
        wanted = SearchRequest(query, filters, by=by, k=most, left_out=taken)
        hits = site.searcher().similar(wanted)
        found.ids, found.found = [hit.puzzle.id for hit in hits], hits[: asked.count]
        shown = PuzzleSearch(query, by, DEFAULT, hits)
        found.notes = [*shown.notices()]
        # The solution of a stored puzzle is not told.
        if query.puzzle is None:
            found.notes = [_line(query), *shown.notes(), *found.notes]
        found.says = counted(len(found.found), "puzzle")
        words = asked.words(found.rating, found.openings)
        found.which = ", ".join(filter(None, [words, f"most alike first, of {_number(total)}"]))
    if len(found.ids) > asked.count < MOST:
        found.more = asked.address(count=min(asked.count + COUNT, MOST))


# Queries of positions by engine and position, for finding their solutions takes seconds.
_SOLVED: dict[tuple[object, str], PuzzleQuery] = {}
REMEMBERED = 100


def _asked(site: Site, text: str, moves: str, request: Request) -> PuzzleQuery:
    """Return the query that a text stands for, as `Site.asked` does."""
    key = (site.settings.engine, text)
    if moves or not is_fen(text):
        return site.asked(text, moves or None, request)
    if key not in _SOLVED:
        if len(_SOLVED) == REMEMBERED:
            _SOLVED.clear()
        _SOLVED[key] = site.asked(text, None, request)
    return _SOLVED[key]


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
        _offer(session, found, "any motif", motif=[])
    if found.level != "any":
        _offer(session, found, "any rating", level=None, low=None, high=None)
    leaves = {"find": "any number of moves", "phase": "any phase", "material": "any material"}
    for name, words in (leaves | {"opening": "any opening", "source": "any source"}).items():
        if getattr(asked, name):
            _offer(session, found, words, **{name: None if name == "find" else ""})
    if not found.instead and (
        number := count_puzzles(session, visible_to(found.student, PuzzleFilter(sound=True)), MOST_COUNTED)
    ):
        found.instead.append(("/search", f"{_number(number)} without any filter"))


def _offer(session: Session, found: Found, words: str, **changes: object) -> None:
    """Offer a search with some filters changed, if that finds anything."""
    changed = found.asked.model_copy(update=changes)
    if number := count_puzzles(session, changed.filters(found.student, found.rating), MOST_COUNTED):
        found.instead.append((f"/search{changed.address()}", f"{_number(number)} with {words}"))


def _number(count: int) -> str:
    return f"{count:,} or more" if count == MOST_COUNTED else f"{count:,}"
