"""Opportunities of a player, with exercises, as an analysis stores them."""

from __future__ import annotations

from typing import Any

import chess

from db.analyses import AnalysedGame, Opportunity
from db.games import game_number
from db.models import Game, Kind, MiningRun, Puzzle
from db.puzzles import add_puzzles, puzzle_id
from db.sets import keep_analysis
from db.store import Store
from tests.helpers.rows import puzzle_row

# Position before the opponent's mistake, the mistake, and the line that punishes it.
FORK = ("4k3/r4ppp/8/3N4/8/8/5PPP/4K3 b - - 0 1", "a7a8", "d5c7 e8d8 c7a8")
BACK_RANK = ("3r2k1/r4ppp/8/8/8/8/4QPPP/4R1K1 b - - 0 1", "a7a8", "e2e8 d8e8 e1e8")
BLACKS_FORK = ("4k3/5ppp/8/8/3n4/8/R4PPP/4K3 w - - 0 1", "a2a1", "d4c2 e1d1 c2a1")


def opportunity_row(fen: str, blunder: str, solution: str, **columns: Any) -> Opportunity:
    """Return an opportunity that was missed; `columns` says in what it differs."""
    position = chess.Board(fen)
    position.push_uci(blunder)
    usual: dict[str, Any] = {
        "ply": 20,
        "white": position.turn == chess.WHITE,
        "fen": fen,
        "blunder": blunder,
        "solution": solution,
        "played": "g2g3" if position.turn else "g7g6",
        "taken": False,
        "before": 0.0,
        "after": 0.8,
        "reply": 0.0,
        "tags": "fork middlegame",
        "puzzle_id": puzzle_id(position.fen(), chess.Move.from_uci(solution.split()[0])),
        "kind": Kind.EXERCISE.value,
    }
    return Opportunity(**usual | columns)


def store_game(store: Store, *opportunities: Opportunity, key: str = "game", **columns: Any) -> int:
    """Store an analysed game of Ann (White) and Bob, with an exercise for each opportunity that has an id."""
    with store.session() as session:
        run = MiningRun(engine="Scripted", rules={})
        session.add(run)
        session.flush()
        usual: dict[str, Any] = {"white": "Ann", "black": "Bob", "date": "2024.01.01", "eco": "C20"}
        number = game_number(session, Game(key=key, **usual | columns))
        for opportunity in opportunities:
            if opportunity.puzzle_id:
                add_puzzles(session, [_exercise(opportunity, number)])
        analysed = AnalysedGame(game_number=number, run_number=run.number, searches=1, nodes=10)
        keep_analysis(session, analysed, opportunities)
    return number


def _exercise(opportunity: Opportunity, game: int) -> Puzzle:
    position = chess.Board(opportunity.fen)
    position.push_uci(opportunity.blunder)
    return puzzle_row(
        opportunity.puzzle_id,
        kind=Kind.EXERCISE.value,
        fen=opportunity.fen,
        blunder=opportunity.blunder,
        puzzle_fen=position.fen(),
        solution=opportunity.solution,
        accepted=opportunity.solution.split()[0],
        game_number=game,
        difficulty=1500.0,
        tags=opportunity.tags,
    )
