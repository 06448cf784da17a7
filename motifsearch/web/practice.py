"""Practice, `/practice`: puzzles without an end by level, motif, opening, phase, length; and the clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import Response

from chess_motif.errors import InputError
from chess_motif.text import counted
from db.attempts import Round
from db.days import day_of
from motifsearch.trainer.practice import LONGEST, Level, Practice, keep_practice, practice_of
from motifsearch.trainer.progress import motifs_of
from motifsearch.trainer.rating import Rating, rating_of
from motifsearch.trainer.report import PHASES
from motifsearch.trainer.round_state import CLOCKS, RoundKind, RoundState
from motifsearch.trainer.rounds import begin_practice
from motifsearch.web.progress import MotifRow, motif_words
from motifsearch.web.site import Site, page, see, site_of
from motifsearch.web.student import named
from puzzlegen.motifs.table import TAGS, TagGroup
from puzzlegen.motifs.tags import tag_words

router = APIRouter()

# Motifs that are offered at once, and those of a student without many attempts.
TILES = 12
USUAL = (
    "fork", "pin", "discoveredAttack", "hangingPiece", "backRankMate", "deflection", "skewer", "sacrifice",
    "trappedPiece", "attraction", "quietMove", "promotion",
)  # fmt: skip


@dataclass(frozen=True)
class Best:
    """A round against the clock, and the best score in it so far, with its date in words."""

    minutes: int
    best: str


class PracticeView:
    """The screen as it is shown."""

    def __init__(self, site: Site, session: Session, student: str) -> None:
        self.practice = practice_of(session, student)
        known = rating_of(session, student)
        self.rating, self.is_rated = known or Rating(), known is not None
        self.openings = site.openings(session)
        self._rows = [MotifRow.of(one) for one in motifs_of(session, student)]
        self.clocks = [Best(minutes, best_of(session, student, minutes)) for minutes in CLOCKS]

    @property
    def level(self) -> int:
        """The rating of the student."""
        return round(self.rating.value)

    @property
    def levels(self) -> list[tuple[Level, str]]:
        """The levels that can be chosen, and their words."""
        own = str(self.level) if self.is_rated else "mine"
        return [(Level.EASIER, "easier"), (Level.OWN, own), (Level.HARDER, "harder"), (Level.RANGE, "range")]

    @property
    def said_of_levels(self) -> str:
        """What the levels are, in ratings."""
        if not self.is_rated:
            return "Your level is found by your first puzzles. What you set here is kept."
        spans = {
            each: Practice(level=each).levels(self.rating.value) for each in Level if each is not Level.RANGE
        }
        words = {each: f"{low:.0f} to {high:.0f}" for each, (low, high) in spans.items()}
        return (
            f"{self.level} is your rating now, and puzzles of {words[Level.OWN]} are yours: seven of ten are "
            f"solved at once. Easier is {words[Level.EASIER]}, harder {words[Level.HARDER]}. "
            "What you set here is kept."
        )

    @cached_property
    def tiles(self) -> list[MotifRow | tuple[str, str]]:
        """The motifs that are offered: weak ones first, then others by name and words."""
        known = [row for row in self._rows if row.is_known][:TILES]
        names = [name for name in USUAL if name not in {row.name for row in known}]
        return [*known, *((name, motif_words(name)) for name in names[: TILES - len(known)])]

    @property
    def all_motifs(self) -> list[tuple[str, str]]:
        """All motifs by name and words."""
        groups = (TagGroup.MOTIF, TagGroup.MATE_PATTERN, TagGroup.MATE)
        return sorted(
            ((name, motif_words(name)) for name, tag in TAGS.items() if tag.group in groups), key=_words
        )

    @property
    def phases(self) -> list[tuple[str, str]]:
        """The phases of a game, by name and words."""
        return [(name, tag_words(name)) for name in PHASES]

    @property
    def lengths(self) -> list[tuple[int, str]]:
        """How many moves are to be found, and in words."""
        return [(count, counted(count, "move")) for count in range(1, LONGEST)] + [(LONGEST, "4 and more")]

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        return {
            "rating": self.level if self.is_rated else None,
            "practice": self.practice,
            "motifs": self._rows,
        }


def _words(motif: tuple[str, str]) -> str:
    return motif[1]


def best_of(session: Session, student: str, minutes: int) -> str:
    """Return the best score of a student against the clock, such as `best 31, on 12 November`."""
    best = best_score(session, student, clock_title(minutes))
    if best is None:
        return "not tried yet"
    score, day = best[0], day_of(best[1])
    return f"best {score}, on {day.day} {day:%B}"


def best_score(session: Session, student: str, title: str, but: int = 0) -> tuple[int, datetime] | None:
    """Return the best score of a student in the rounds of a title, without the round `but`, and its time."""
    on_clock = (Round.kind == RoundKind.CLOCK.value) & (Round.title == title)
    rounds = select(Round).where(Round.solver == student, on_clock, Round.number != but)
    scores = [(RoundState.model_validate(one.state).solved, one.started) for one in session.scalars(rounds)]
    return max(scores, key=lambda each: each[0], default=None)


def clock_title(minutes: int) -> str:
    """Return the title of a round against the clock."""
    return f"{minutes} minutes"


@router.get("/practice")
def show_practice(request: Request) -> Response:
    """Show what can be practised."""
    site = site_of(request)
    with site.store.reading() as session:
        view = PracticeView(site, session, site.student(request))
    return page(request, "practice.html", title="Practice", view=view, data=view.data)


Number = Annotated[str, Form(pattern=r"^\d{0,4}$")]


@router.post("/practice")
def practise(
    request: Request,
    motif: Annotated[str, Form(description="A tag, such as fork; empty for any motif.")] = "",
    clock: Annotated[Literal["", "3", "5"], Form(description="Minutes of a round against the clock.")] = "",
    level: Annotated[
        Level | None, Form(description="How hard; without it, all is as it was set last.")
    ] = None,
    low: Annotated[Number, Form(description="The lowest rating of a range.")] = "",
    high: Annotated[Number, Form(description="The highest rating of a range.")] = "",
    opening: Annotated[str, Form(max_length=100, description="An opening.")] = "",
    phase: Annotated[str, Form(description="A phase of the game.")] = "",
    length: Annotated[Literal["", "1", "2", "3", "4"], Form(description="Moves to find.")] = "",
    unseen: Annotated[str, Form(description="Whether puzzles that were tried before are left out.")] = "",
    most: Annotated[int | None, Form(ge=1, le=200, description="How many puzzles; default: no end.")] = None,
) -> Response:
    """Begin to practise."""
    site = site_of(request)
    for name, known in ((motif, TAGS), (phase, PHASES)):
        if name and name not in known:
            raise InputError(f"there is no tag {name!r}")
    student, answer = named(request)
    with site.store.reading() as session:
        practice = practice_of(session, student)
        if level is not None:
            if opening and opening not in dict(site.openings(session)):
                raise InputError(f"there are no puzzles of the opening {opening!r}")
            lowest, highest = (int(bound) if bound else None for bound in (low, high))
            practice = Practice(
                level=level,
                low=lowest,
                high=highest,
                opening=opening,
                phase=phase,
                length=int(length) if length else None,
                unseen=bool(unseen),
            )
    if clock:
        minutes = int(clock)
        easy = Practice(on_clock=True, unseen=practice.unseen)
        number = begin_practice(
            site.store, student, clock_title(minutes), easy, RoundKind.CLOCK, minutes=minutes
        )
    else:
        practice = practice.model_copy(update={"motif": motif})
        title = motif_words(motif) if motif else "Mixed"
        number = begin_practice(site.store, student, title, practice, most=most)
    if level is not None:
        with site.store.session() as session:
            keep_practice(session, student, practice.model_copy(update={"motif": ""}))
    return answer(see(f"/solve/{number}"))
