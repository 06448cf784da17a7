"""The unit of work: one game in, its puzzles out. The same code runs wherever the work is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import chess

from chess_motif.errors import EngineFailedError
from db.puzzles import puzzle_id
from db.rows import GameRow, PuzzleRow
from engines.search_cache import CachedEngine
from puzzlegen.candidates.blunders import Triple, find_triples, is_triple
from puzzlegen.games.pgn import PlayedGame, Skip, SkipGame, read_game
from puzzlegen.games.split import RawGame
from puzzlegen.motifs.replay import capture_square
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.rules import MiningRules
from puzzlegen.verify.solution import Rejection, Solution, find_solution

MINED = "mined"


@dataclass
class GameResult:
    """What came of one game. `end` is the byte after it in the archive's text.

    `game` and `puzzles` are rows for the store, without the numbers that the store gives;
    `evaluations` what was searched, to be kept. `rejected` has the plies after which candidates of
    the game were rejected, by reason.
    """

    number: int
    offset: int
    end: int
    skipped: Skip | None = None
    detail: str = ""
    game: GameRow | None = None
    puzzles: list[PuzzleRow] = field(default_factory=list)
    candidates: int = 0
    rejected: dict[str, list[int]] = field(default_factory=dict)
    evaluations: dict[bytes, str] = field(default_factory=dict)
    searches: int = 0
    reused: int = 0
    nodes: int = 0


def mine_game(
    raw: RawGame, evaluator: CachedEngine, rules: MiningRules, player: str | None = None
) -> GameResult:
    """Return the puzzles of a game and what it took to find them.

    With `player`, only games of that player (a part of the name, any case), and only what she could
    have played. A game that cannot be used or that the engine fails on comes back as skipped.
    """
    result = GameResult(raw.number, raw.offset, raw.end)
    engine = evaluator.engine
    searches, nodes = engine.searches, engine.nodes
    evaluator.begin()
    try:
        game = read_game(raw)
        sides = _sides(game, player)
        engine.attempt(lambda: _mine(game, sides, evaluator, rules, result))
    except SkipGame as skip:
        result.skipped, result.detail = skip.reason, skip.detail
    except EngineFailedError as error:
        result = GameResult(raw.number, raw.offset, raw.end, Skip.ENGINE, str(error))
    result.evaluations, result.reused = evaluator.found, evaluator.reused
    result.searches, result.nodes = engine.searches - searches, engine.nodes - nodes
    return result


def _sides(game: PlayedGame, player: str | None) -> set[chess.Color]:
    if player is None:
        return {chess.WHITE, chess.BLACK}
    names = {chess.WHITE: game.header("White"), chess.BLACK: game.header("Black")}
    sides = {side for side, name in names.items() if player.lower() in name.lower()}
    if not sides:
        raise SkipGame(Skip.OTHER_PLAYER)
    return sides


def _mine(
    game: PlayedGame, sides: set[chess.Color], evaluator: CachedEngine, rules: MiningRules, result: GameResult
) -> None:
    # An attempt that failed half-way may have left its counts.
    result.game, result.puzzles, result.candidates, result.rejected = None, [], 0, {}
    boards = _boards(game)
    solved: set[str] = set()
    for triple in _triples(game, boards, evaluator, rules):
        position = boards[triple.ply + 1]
        if position.turn not in sides:
            continue
        result.candidates += 1
        found = _verify(triple, boards, solved, game.evaluated, evaluator, rules)
        if isinstance(found, Rejection):
            result.rejected.setdefault(found.value, []).append(triple.ply + 1)
            continue
        line, decided = found
        result.puzzles.append(_puzzle_row(game, boards, decided, line, evaluator, rules))
        solved |= _positions_of(position, line)
    if result.puzzles:
        result.game = game.row()


def _boards(game: PlayedGame) -> list[chess.Board]:
    """Return the positions of a game, the one after i plies at i."""
    board = game.start.copy()
    boards = [board.copy()]
    for move in game.moves:
        board.push(move)
        boards.append(board.copy())
    return boards


def _triples(
    game: PlayedGame, boards: Sequence[chess.Board], evaluator: CachedEngine, rules: MiningRules
) -> list[Triple]:
    if game.evaluated:
        return find_triples(game.chances, game.start.turn, rules)
    evaluator.look_up(boards, rules.scan_nodes)
    chances = [_white_chance(board, evaluator, rules.scan_nodes) for board in boards]
    return find_triples(chances, game.start.turn, rules, rules.scan_share)


def _verify(
    triple: Triple,
    boards: Sequence[chess.Board],
    solved: set[str],
    evaluated: bool,
    evaluator: CachedEngine,
    rules: MiningRules,
) -> tuple[Solution, Triple] | Rejection:
    position = boards[triple.ply + 1]
    if position.epd() in solved:
        return Rejection.REPEATED
    line = find_solution(position, evaluator, rules)
    if isinstance(line, Rejection):
        return line
    # Few candidates come so far, and a decision costs as much as the line of most of them.
    if not evaluated:
        triple = _decided(triple, boards, evaluator, rules)
        if not is_triple(triple, rules):
            return Rejection.UNDECIDED
    return line, triple


def _decided(
    triple: Triple, boards: Sequence[chess.Board], evaluator: CachedEngine, rules: MiningRules
) -> Triple:
    """Return the triple with evaluations at the deciding budget."""
    sign = 1 if boards[triple.ply + 1].turn == chess.WHITE else -1
    before, after, *reply = (
        sign * _white_chance(board, evaluator, rules.decide_nodes)
        for board in boards[triple.ply : triple.ply + 3]
    )
    return Triple(triple.ply, before, after, reply[0] if reply else None)


def _white_chance(board: chess.Board, evaluator: CachedEngine, nodes: int) -> float:
    if board.is_checkmate():
        return -1.0 if board.turn == chess.WHITE else 1.0
    if board.is_game_over():
        return 0.0
    chance = evaluator.search(board, nodes)[0].chance
    return chance if board.turn == chess.WHITE else -chance


def _positions_of(position: chess.Board, line: Solution) -> set[str]:
    """Return the positions in which the solver moves along a line."""
    board = position.copy(stack=False)
    found = set()
    for number, move in enumerate(line.moves):
        if number % 2 == 0:
            found.add(board.epd())
        board.push(move)
    return found


def _puzzle_row(
    game: PlayedGame,
    boards: Sequence[chess.Board],
    triple: Triple,
    line: Solution,
    evaluator: CachedEngine,
    rules: MiningRules,
) -> PuzzleRow:
    before, blunder, position = boards[triple.ply], game.moves[triple.ply], boards[triple.ply + 1]
    played = game.moves[triple.ply + 1] if triple.ply + 1 < len(game.moves) else None
    return {
        "id": puzzle_id(position, line.moves[0]),
        "fen": before.fen(),
        "blunder": blunder.uci(),
        "puzzle_fen": position.fen(),
        "solution": " ".join(move.uci() for move in line.moves),
        "outcome": line.ending.value,
        "solver_found": played == line.moves[0],
        "gap": round(line.gap, 4),
        "evaluations": {
            "before": round(triple.before, 4),
            "after": round(triple.after, 4),
            "reply": None if triple.reply is None else round(triple.reply, 4),
            "end": round(line.chance, 4),
        },
        "nodes": {
            "line": rules.stages[-1].nodes,
            "confirm": max((again.nodes for again in rules.confirmations), default=0),
        },
        "engine": evaluator.engine.name,
        "tags": " ".join(solution_tags(position, line.moves, capture_square(before, blunder))),
        "source": MINED,
        "game_url": _puzzle_url(game.url, position.turn, triple.ply + 1),
        "ply": triple.ply + 1,
    }


def _puzzle_url(url: str, solver: chess.Color, ply: int) -> str:
    """Point into a game on Lichess, the solver's side at the bottom."""
    if not url.startswith("https://lichess.org/"):
        return url
    return f"{url}{'' if solver == chess.WHITE else '/black'}#{ply}"
