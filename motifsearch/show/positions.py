"""Similar positions as text for a terminal, as a page and as JSON, all made from the same cards.

A search with its results goes in. This module also shows the counts of archives and memories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import chess
from markupsafe import Markup

from chess_motif.boards import same_pieces, solution_san, to_move
from chess_motif.material import material_of
from chess_motif.pages import link, render
from chess_motif.pages.boards import Arrow, Look, Size, board_svg
from chess_motif.tables import table
from db.models import ArchivedGame, Game
from motifsearch.index.bm25 import Match
from motifsearch.positions.index import PositionsReport
from motifsearch.positions.searcher import PositionHit, PositionQuery
from motifsearch.positions.summary import Summary, summarise
from motifsearch.positions.terms import PAWN_FIELD, WEIGHTS, Family, FeatureSet, Pieces
from motifsearch.show.grid import Cell, grid

# For annotations only: a search should not load the modules that read games or build a memory.
if TYPE_CHECKING:
    from motifsearch.positions.archiving import AddReport
    from motifsearch.retrieval.build import MemoryReport

# The parts of a score in words. Matches of reach terms count as pieces.
PARTS: dict[str, str] = {
    Family.PLACED: "pieces",
    Family.ATTACK: "attacks",
    Family.DEFENCE: "defences",
    Family.XRAY: "x-rays",
    PAWN_FIELD: "pawns",
}

# The meaning of each part, with an example of its terms.
_MEANINGS = {
    Family.PLACED: "pieces on the same squares (Qf2)",
    Family.ATTACK: "attacks (Q>pf2)",
    Family.DEFENCE: "defences (Q<Pf2)",
    Family.XRAY: "x-rays: enemy pieces on a line, whatever is in between (Q=pf2)",
}
_WITH_REACH = "pieces on the same squares, or one move away (Qf2)"

NOTHING_FOUND = "No game that passes the filters has a position that shares a term with the query."

# The number of plies shown of the rest of a game.
NEXT_PLIES = 6

# The number of next moves shown in a summary, and the columns of their table.
NEXT_MOVES = 5
MOVE_COLUMNS = ("next move", "games", "White won", "drawn", "Black won", "score")

# The largest number of matched terms shown in a terminal.
MAX_TERMS = 12

# The fields of a game in a JSON document, as in the database.
GAME_FIELDS = (
    *("white", "black", "white_elo", "black_elo"),
    *("event", "site", "date", "round", "result", "eco"),
)

# Decimals of a share.
_SCORE_DIGITS = 3


@dataclass(frozen=True)
class PositionSearch:
    """A search to be shown: the query and its options, the results, and warnings about the results."""

    query: PositionQuery
    feature_set: FeatureSet
    hits: Sequence[PositionHit]
    warnings: Sequence[str] = ()
    pieces: Pieces = Pieces.ALL

    @cached_property
    def compared(self) -> chess.Board:
        """The query with only those pieces that are compared."""
        board = self.query.board.copy(stack=False)
        if self.pieces is Pieces.PAWNS:
            board.set_piece_map(
                {
                    square: chess.Piece(chess.PAWN, board.color_at(square) or False)
                    for square in chess.SquareSet(board.pawns)
                }
            )
        return board

    @property
    def summary(self) -> Summary:
        """What happened in the games."""
        return summarise(self.hits)

    def cards(self) -> list[PositionCard]:
        """Return the cards of the results."""
        return [PositionCard(hit, self) for hit in self.hits]


@dataclass(frozen=True)
class PositionCard:
    """What is shown of a result, in the colours of the query. Unknown values are empty."""

    hit: PositionHit
    search: PositionSearch

    @property
    def game(self) -> Game:
        """The game."""
        return self.hit.game.game

    @property
    def players(self) -> str:
        """The players of the game, with their Elo ratings where they are known."""
        sides = ((self.game.white, self.game.white_elo), (self.game.black, self.game.black_elo))
        return " – ".join(f"{name or '?'} ({elo})" if elo else name or "?" for name, elo in sides)

    @property
    def occasion(self) -> str:
        """Where and when the game was played, its result and its opening."""
        game = self.game
        return ", ".join(filter(None, [game.event, game.date.rstrip("?."), game.result, game.eco]))

    @property
    def link(self) -> str | None:
        """The address of the game, or None."""
        return link(self.game.url)

    @property
    def colours(self) -> str:
        """Who is White here, if the colours are reversed."""
        return f"Colours reversed: White here is {self.game.black or '?'}" if self.hit.reversed else ""

    @cached_property
    def _position(self) -> tuple[chess.Board, Sequence[chess.Move]]:
        return self.hit.as_query()

    @property
    def move(self) -> str:
        """The number of the next move, and the side to move."""
        board, _ = self._position
        return f"Move {board.fullmove_number}, {to_move(board)}"

    @property
    def continuation(self) -> str:
        """How the game went on."""
        board, moves = self._position
        return solution_san(board, moves[:NEXT_PLIES]) if moves else "The game ended here."

    @cached_property
    def _same(self) -> chess.SquareSet:
        return same_pieces(self._position[0], self.search.compared)

    @property
    def same_pieces(self) -> str:
        """How many pieces are on the same squares as in the query."""
        of_pawns, same = self.search.pieces is Pieces.PAWNS, len(self._same)
        others = chess.popcount(self._position[0].pawns) - same if of_pawns else 0
        of = len(self.search.compared.piece_map())
        text = f"{same} of {of} {'pawns' if of_pawns else 'pieces'} on the same squares"
        return f"{text}, {others} more" if others else text

    @property
    def svg(self) -> Markup:
        """The position, with the move that was played; pieces that are also in the query are marked."""
        board, moves = self._position
        drawn = tuple(Arrow(move.from_square, move.to_square) for move in moves[:1])
        label, marked = f"{self.players}, {self.same_pieces}", frozenset(self._same)
        look = Look(self.search.query.board.turn, label, Size.MEDIUM, marked=marked, arrows=drawn)
        return board_svg(board, look)

    @property
    def cell(self) -> Cell:
        """The position with its text, for a terminal."""
        said = [f"{self.hit.rank}. {self.players}", self.occasion, self.game.url.removeprefix("https://")]
        said += [self.colours, self.move, self.continuation, self.same_pieces, sum_of_parts(self.hit)]
        board, _ = self._position
        return Cell(board, [*said, *_term_lines(self.hit.matched)], seen_by=self.search.query.board.turn)

    def json(self, *, why: bool = False) -> dict[str, Any]:
        """Return the card as the keys and values of its JSON object, with `why` also the matched terms."""
        hit = self.hit
        found = {"rank": hit.rank, "score": hit.score, "parts": hit.parts, "reversed": hit.reversed}
        found |= archived_document(hit.game, hit.ply, *hit.played())
        if why:
            found["matched"] = [
                {"term": match.term, "family": match.field, "score": match.score} for match in hit.matched
            ]
        return found


def positions_document(search: PositionSearch, why: bool) -> dict[str, Any]:
    """Return the query and the results of a search; results have `matched` only with `why`."""
    query = search.query
    return {
        "query": {
            "fen": query.board.fen(),
            "id": query.puzzle.id if query.puzzle else None,
            "material": material_of(query.board),
            "run": search.feature_set,
            "pieces": search.pieces,
        },
        "warnings": list(search.warnings),
        "summary": _summary_document(search.summary),
        "results": [card.json(why=why) for card in search.cards()],
    }


def _summary_document(summary: Summary) -> dict[str, Any]:
    results = summary.results
    return {
        "games": results.games,
        "reversed": summary.reversed,
        **vars(results),
        "white_score": _rounded(results.score()),
        "next_moves": [
            {
                "san": move.san,
                "side": chess.COLOR_NAMES[move.side],
                "games": move.results.games,
                **vars(move.results),
                "score": _rounded(move.score),
            }
            for move in summary.next_moves
        ],
    }


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, _SCORE_DIGITS)


def archived_document(
    archived: ArchivedGame, ply: int, board: chess.Board, moves: Sequence[chess.Move]
) -> dict[str, Any]:
    """Return a position of an archived game as the keys and values of its JSON object.

    The position is `board`, after `ply` plies; `moves` are the moves from there to the end of the game.
    """
    return {
        "number": archived.number,
        **{name: getattr(archived.game, name) for name in GAME_FIELDS},
        "url": archived.game.url or None,
        "ply": ply,
        "fen": board.fen(),
        "next_moves": [move.uci() for move in moves],
        "next_san": solution_san(board, moves),
    }


def positions_text(search: PositionSearch, width: int) -> str:
    """Return the query and the results for a terminal of `width` columns.

    All boards are seen from the same side, in the colours of the query.
    """
    query, hits = search.query, search.hits
    title = f"Puzzle {query.puzzle.id}" if query.puzzle else "Position"
    query_cell = Cell(query.board, [f"{title}, {to_move(query.board)}"])
    summary = _summary(search) if hits else ""
    boards = grid(query_cell, [card.cell for card in search.cards()], width, summary)
    if not hits:
        return f"{boards}\n\n{NOTHING_FOUND}"
    parts = [f"  {meaning}" for meaning in meanings(search).values()]
    return "\n".join([boards, "", "Scores:", *parts])


def positions_page(search: PositionSearch) -> str:
    """Return the page of a search: the query, a summary, and the positions found.

    All boards are seen from the same side, in the colours of the query.
    """
    board = search.query.board
    return render(
        "motifsearch/show/templates/positions.html",
        search=search,
        svg=board_svg(board, Look(board.turn, to_move(board), Size.MEDIUM)),
        turn=to_move(board),
        results=results_line(search.summary),
        columns=MOVE_COLUMNS,
        next_moves=move_rows(search.summary),
        notes=summary_notes(search),
        nothing_found=NOTHING_FOUND,
        cards=search.cards(),
        ranked_by="pawns alone" if search.pieces is Pieces.PAWNS else search.feature_set,
        meanings=meanings(search),
        score=sum_of_parts,
        matched=lambda hit: [(match.field, match) for match in hit.matched],
    )


def _summary(search: PositionSearch) -> str:
    rows = move_rows(search.summary)
    moves = ["", table(MOVE_COLUMNS, rows, right="lrrrrr"), ""] if rows else []
    return "\n".join([results_line(search.summary), *moves, *summary_notes(search)])


def _term_lines(matched: Sequence[Match]) -> list[str]:
    """Return a line for each of the terms with the highest scores, and a last line for the other terms."""
    lines = [f"{match.score:6.2f} {match.term}" for match in matched[:MAX_TERMS]]
    if len(matched) > MAX_TERMS:
        rest = sum(match.score for match in matched[MAX_TERMS:])
        lines.append(f"{rest:6.2f} {len(matched) - MAX_TERMS} more")
    return lines


def opening_warning(opening: int) -> str:
    """Return the warning for a query in the first `opening` moves, which are not indexed."""
    return (
        f"this is a position from the opening, and positions up to move {opening} are not indexed; "
        "'motifsearch positions add GAMES --after-move N' changes that"
    )


def results_line(summary: Summary) -> str:
    """Return the results of the games in words."""
    results = summary.results
    counts = [f"White won {results.white_won}", f"drawn {results.drawn}", f"Black won {results.black_won}"]
    if results.unknown:
        counts.append(f"result unknown {results.unknown}")
    score = results.score()
    total = "" if score is None else f"; White scored {_percent(score)}"
    games = "1 game" if results.games == 1 else f"{results.games} games"
    return f"{games}: {', '.join(counts)}{total}."


def move_rows(summary: Summary) -> list[list[str]]:
    """Return the most frequent next moves, Black's after dots, as rows of a table with `MOVE_COLUMNS`."""
    rows = []
    for move in summary.next_moves[:NEXT_MOVES]:
        results = move.results
        counts = (results.games, results.white_won, results.drawn, results.black_won)
        name = move.san if move.side == chess.WHITE else f"…{move.san}"
        rows.append([name, *map(str, counts), _percent(move.score)])
    return rows


def summary_notes(search: PositionSearch) -> list[str]:
    """Return notes on how to read the summary and its table."""
    summary, notes = search.summary, []
    if summary.next_moves:
        more = len(summary.next_moves) - NEXT_MOVES
        others = f" {more} other moves were played, too." if more > 0 else ""
        notes.append(f"The score is that of the side that played the move.{others}")
    if summary.reversed:
        games = "1 game" if summary.reversed == 1 else f"{summary.reversed} games"
        notes.append(f"{games} with colours reversed: shown, and counted above, with Black as White.")
    return notes


def _percent(score: float | None) -> str:
    return "–" if score is None else f"{100 * score:.0f} %"


def meanings(search: PositionSearch) -> dict[str, str]:
    """Return the meaning of each part of a score in a search."""
    if search.pieces is Pieces.PAWNS:
        return {PAWN_FIELD: "pawns on the same squares (Pf2)"}
    weights = WEIGHTS[search.feature_set]
    used: dict[str, str] = {family: meaning for family, meaning in _MEANINGS.items() if family in weights}
    return used | {Family.PLACED: _WITH_REACH} if Family.REACH in weights else used


def sum_of_parts(hit: PositionHit) -> str:
    """Return a score as the sum of its parts, such as `38.20 = pieces 20.10 + attacks 18.10`."""
    parts = [f"{PARTS[family]} {score:.2f}" for family, score in hit.parts.items()]
    return f"{hit.score:.2f} = {' + '.join(parts)}"


def added_text(report: AddReport, index: PositionsReport) -> str:
    """Return the counts of archived games, with an example of each reason to skip a game."""
    rows: list[list[object]] = [
        ["games read", f"{report.games:,}", ""],
        ["archived", f"{report.archived:,}", ""],
        ["already archived", f"{report.known:,}", ""],
    ]
    rows += skipped_rows(report)
    rows.append(["positions in the index", f"{index.indexed:,}", ""])
    if index.positions:
        rows += [["newly indexed", f"{index.positions:,}", ""], ["positions/s", f"{index.rate:,.0f}", ""]]
    return table(["", "count", "for example"], rows, right="lr")


def skipped_rows(report: AddReport) -> list[list[object]]:
    """Return a row of a table for each reason why games were skipped, with their number and an example."""
    return [
        [f"skipped: {reason}", f"{count:,}", report.examples[reason]]
        for reason, count in report.skipped.most_common()
    ]


def memory_text(added: AddReport, memory: MemoryReport) -> str:
    """Return the counts of a build of a memory, with an example of each reason to skip a game."""
    rows: list[list[object]] = []
    if added.games:
        rows = [["games read", f"{added.games:,}", ""], ["archived", f"{added.archived:,}", ""]]
        rows += skipped_rows(added)
    rows += [
        ["games in the memory", f"{memory.games:,}", ""],
        ["of which new", f"{memory.added:,}", ""],
        ["moves played", f"{memory.occurrences:,}", ""],
        ["different positions", f"{memory.positions:,}", ""],
        ["MB on disk", f"{memory.bytes / 1e6:,.0f}", ""],
    ]
    return table(["", "count", "for example"], rows, right="lr")
