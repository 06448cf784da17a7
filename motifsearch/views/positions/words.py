"""What the views of similar positions have in common: the search that they show, and its parts in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import chess

from chess_motif.boards import solution_san, to_move
from db.models import Game
from motifsearch.positions.colours import Colours
from motifsearch.positions.feature_sets import WEIGHTS, FeatureSet
from motifsearch.positions.query import PositionQuery
from motifsearch.positions.searcher import PositionHit
from motifsearch.positions.summary import NextMove, Results, Summary, summarise
from motifsearch.positions.terms import Family

# The parts of a score in words. Matches of reach terms count as pieces.
PARTS: dict[str, str] = {
    Family.PLACED: "pieces",
    Family.ATTACK: "attacks",
    Family.DEFENCE: "defences",
    Family.XRAY: "x-rays",
}

# What each part means, with an example of its terms.
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


@dataclass(frozen=True)
class PositionSearch:
    """A search as it is shown: what was searched for and how, the results, and warnings about them."""

    query: PositionQuery
    feature_set: FeatureSet
    colours: Colours
    hits: Sequence[PositionHit]
    warnings: Sequence[str] = ()

    @property
    def summary(self) -> Summary:
        """What happened in the games."""
        return summarise(self.hits)


class Caption(NamedTuple):
    """What is said of a result, in the colours of the query. What is not known or does not apply is empty."""

    title: str
    occasion: str
    colours: str
    move: str
    continuation: str
    same_pieces: str
    score: str


def caption_of(hit: PositionHit, query: chess.Board) -> Caption:
    """Return the caption of a result of a search for the position `query`."""
    game = hit.game.game
    board, moves = hit.as_query()
    same, pieces = len(same_pieces(board, query)), len(query.piece_map())
    return Caption(
        title=f"{hit.rank}. {_players(game)}",
        occasion=", ".join(filter(None, [game.event, game.date.rstrip("?."), game.result, game.eco])),
        colours=f"Colours reversed: White here is {game.black or '?'}" if hit.reversed else "",
        move=f"Move {board.fullmove_number}, {to_move(board)}",
        continuation=solution_san(board, moves[:NEXT_PLIES]) if moves else "The game ended here.",
        same_pieces=f"{same} of {pieces} pieces on the same squares",
        score=sum_of_parts(hit),
    )


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
    """Return the most frequent next moves as rows of a table with `MOVE_COLUMNS`."""
    return [
        [_move_name(move), *map(str, _counts(move.results)), _percent(move.score)]
        for move in summary.next_moves[:NEXT_MOVES]
    ]


def summary_notes(search: PositionSearch) -> list[str]:
    """Return what must be known to read the summary and its table."""
    summary, notes = search.summary, []
    if summary.next_moves:
        more = len(summary.next_moves) - NEXT_MOVES
        others = f" {more} other moves were played, too." if more > 0 else ""
        notes.append(f"The score is that of the side that played the move.{others}")
    if summary.reversed:
        games = "1 game" if summary.reversed == 1 else f"{summary.reversed} games"
        notes.append(f"{games} with colours reversed: shown, and counted above, with Black as White.")
    return notes


def _counts(results: Results) -> tuple[int, ...]:
    return results.games, results.white_won, results.drawn, results.black_won


def _move_name(move: NextMove) -> str:
    """Return a move with dots before it if it is Black's."""
    return move.san if move.side == chess.WHITE else f"…{move.san}"


def _percent(score: float | None) -> str:
    return "–" if score is None else f"{100 * score:.0f} %"


def meanings(feature_set: FeatureSet) -> dict[str, str]:
    """Return what each part of a score means with this feature set."""
    weights = WEIGHTS[feature_set]
    used: dict[str, str] = {family: meaning for family, meaning in _MEANINGS.items() if family in weights}
    return used | {Family.PLACED: _WITH_REACH} if Family.REACH in weights else used


def _players(game: Game) -> str:
    """Return the players, with their Elo ratings where they are known."""
    sides = ((game.white, game.white_elo), (game.black, game.black_elo))
    return " – ".join(f"{name or '?'} ({elo})" if elo else name or "?" for name, elo in sides)


def sum_of_parts(hit: PositionHit) -> str:
    """Return a score as the sum of its parts, such as `38.20 = pieces 20.10 + attacks 18.10`."""
    parts = [f"{PARTS[family]} {score:.2f}" for family, score in hit.parts.items()]
    return f"{hit.score:.2f} = {' + '.join(parts)}"


def same_pieces(board: chess.Board, other: chess.Board) -> chess.SquareSet:
    """Return the squares on which two positions have the same piece."""
    # No two of these masks overlap.
    return chess.SquareSet(
        sum(
            board.pieces_mask(kind, color) & other.pieces_mask(kind, color)
            for color in chess.COLORS
            for kind in chess.PIECE_TYPES
        )
    )
