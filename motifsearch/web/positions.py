"""The screen on which similar positions of archived games are searched, `/positions`, and their games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated
from urllib.parse import urlencode

import chess
from fastapi import APIRouter, File, HTTPException, Path, Query, Request, UploadFile
from markupsafe import Markup
from starlette.responses import Response

from chess_motif.errors import InputError
from chess_motif.material import parse_material
from chess_motif.pages import link
from chess_motif.pages.boards import Look, Size, board_svg
from chess_motif.text import counted
from db.games import GameFilter, get_archived
from motifsearch.positions.ranking import Colours
from motifsearch.positions.searcher import PositionFilters, resolve_position
from motifsearch.positions.summary import Summary, summarise
from motifsearch.positions.terms import FeatureSet
from motifsearch.search import game_in
from motifsearch.show.card import steps, written
from motifsearch.show.positions import PositionCard, PositionSearch
from motifsearch.web.analyses import upload_to_archive
from motifsearch.web.problems import public_message
from motifsearch.web.search import REFUSED, Text, moves_of
from motifsearch.web.site import LARGEST_NUMBER, Site, page, see, site_of
from puzzlegen.games.pasted import PastedGame

router = APIRouter()

# Games whose results and next moves are counted, and diagrams and moves that are shown.
COUNT = 50
SHOWN = 12
MOVES = 8


@dataclass(frozen=True)
class NextRow:
    """A move that was played next, with the results of the games and the mover's score in percent."""

    san: str
    games: int
    white: int
    drawn: int
    black: int
    score: str


@dataclass
class PositionsView:
    """The screen as it is shown."""

    q: str = ""
    player: str = ""
    low: int | None = None
    high: int | None = None
    since: str = ""
    until: str = ""
    material: str = ""
    colours: str = Colours.EITHER.value
    game: PastedGame | None = None
    board: chess.Board | None = None
    says: str = ""
    error: str = ""
    summary: Summary | None = None
    moves: Sequence[NextRow] = ()
    games: Sequence[PositionCard] = field(default_factory=list)

    @property
    def editor(self) -> Markup:
        """The board of the query, or an empty one to set up a position on."""
        board = self.board or chess.Board.empty()
        return board_svg(board, Look(chess.WHITE, "The position to search for", coordinates=True))

    @property
    def fen(self) -> str:
        """The position on that board."""
        return (self.board or chess.Board.empty()).fen()

    @property
    def plies(self) -> list[list[tuple[str, str, bool]]]:
        """The moves of the game that was pasted, see `moves_of`."""
        return moves_of(self.game, lambda text: f"?{urlencode({'q': text})}")

    def data(self) -> dict[str, object]:
        """Return what is answered as JSON."""
        results = [each.json() for each in self.games]
        return {"says": self.says, "error": self.error or None, "moves": self.moves, "results": results}


@router.get("/positions")
def search(
    request: Request,
    q: Text = "",
    player: Annotated[str, Query(max_length=100, description="Words of the name of a player.")] = "",
    low: Annotated[str, Query(pattern=r"^\d{0,4}$", description="The lowest rating of the players.")] = "",
    high: Annotated[str, Query(pattern=r"^\d{0,4}$", description="The highest rating of the players.")] = "",
    since: Annotated[str, Query(pattern=r"^(\d{4})?$", description="The first year.")] = "",
    until: Annotated[str, Query(pattern=r"^(\d{4})?$", description="The last year.")] = "",
    material: Annotated[
        str, Query(max_length=40, description="The material of both sides, such as KRPP-KRP.")
    ] = "",
    colours: Annotated[
        Colours, Query(description="Whether positions with colours reversed count, too.")
    ] = Colours.EITHER,
) -> Response:
    """Search positions of archived games like one, and count what happened in them."""
    site = site_of(request)
    view = PositionsView(
        q.strip(), player.strip(), _number(low), _number(high), since, until, material.strip(), colours.value
    )
    try:
        _search(site, view)
    except REFUSED as error:
        view.error = public_message(error)
    return _screen(request, view)


def _screen(request: Request, view: PositionsView) -> Response:
    status = 400 if view.error else 200
    return page(request, "positions.html", title="Positions", view=view, status=status, data=view.data)


@router.post("/archive")
def archive_games(
    request: Request,
    file: Annotated[UploadFile | None, File(description="A file of games, as PGN.")] = None,
) -> Response:
    """Begin to archive the games of a file, so that their positions can be searched."""
    site = site_of(request)
    try:
        if file is None or not file.filename:
            raise InputError("choose a file of games first")
        path = upload_to_archive(site.store, file)
        site.analyses.archive(path, file.filename, site.student(request))
    except InputError as error:
        return _screen(request, PositionsView(error=public_message(error)))
    return see("/games")


@router.get("/archive/{number}")
def show_game(
    request: Request,
    number: Annotated[int, Path(ge=0, le=LARGEST_NUMBER, description="The number of an archived game.")],
    ply: Annotated[int, Query(ge=0, description="The half-moves of the game that have been played.")] = 0,
) -> Response:
    """Show an archived game, to step through."""
    site = site_of(request)
    with site.store.reading() as session:
        game = get_archived(session, [number], GameFilter()).get(number)
        if game is None:
            raise HTTPException(404, f"no game {number} is archived")
        start, moves = game.played(0)
        ply = min(ply, len(moves))
        board, _ = game.played(ply)
    facts = game.game
    last = moves[ply - 1] if ply else None
    look = Look(chess.WHITE, f"The position after {ply} plies", Size.MEDIUM, last, coordinates=True)
    return page(
        request,
        "game.html",
        title=f"{facts.white or '?'} – {facts.black or '?'}",
        board=board_svg(board, look),
        plies=written(start, moves),
        ply=ply,
        steps=steps(ply, len(moves)),
        facts=facts,
        link=link(facts.url),
        fen=board.fen(),
        data=lambda: {"fen": board.fen(), "moves": [move.uci() for move in moves], "ply": ply},
    )


def _number(text: str) -> int | None:
    return int(text) if text else None


def _search(site: Site, view: PositionsView) -> None:
    if not view.q:
        view.says = "Set up a position, or paste one"
        return
    view.game = game_in(site.store, view.q)
    query = resolve_position(site.store, view.q if view.game is None else view.game.board.fen())
    view.board = query.board
    filters = GameFilter(
        player=view.player or None,
        elo=(view.low, view.high),
        date=(view.since or None, view.until or None),
        other_than=query.own_game,
    )
    material = parse_material(view.material) if view.material else None
    hits = site.positions().similar(
        query.board, colours=view.colours, k=COUNT, filters=PositionFilters(filters, material)
    )
    view.summary = summarise(hits)
    view.moves = [
        NextRow(
            each.san if each.side else f"…{each.san}",
            each.results.games,
            each.results.white_won,
            each.results.drawn,
            each.results.black_won,
            "" if each.score is None else f"{100 * each.score:.0f} %",
        )
        for each in view.summary.next_moves[:MOVES]
    ]
    search = PositionSearch(query, FeatureSet.DEFAULT, hits[:SHOWN])
    view.games = search.cards()
    count = counted(len(hits), "game")
    view.says = count if hits else "No archived game has such a position"
