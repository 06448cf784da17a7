"""Simplifying a puzzle: the same solution, without needless pieces.

Pieces are removed one after the other, as long as the engine finds the same solution: each solver move is the
only one that wins, each reply is as good as any, and the line ends as before, in mate or with a clear gain.
Kings stay, and so do pieces that move or are captured. The pieces farthest from the solution are tried first,
because they matter least. Removing a piece may make another one needless (such as its counterpart), so all
are tried again until none can be removed. Needless castling rights are removed first.

Further versions of the simplified puzzle are elsewhere on the board, mirrored left to right or shifted, if
the solution holds there, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import chess

from chess_motif.errors import InputError, PositionError
from chess_motif.notation import check_line, parse_line, parse_position
from db.models import Puzzle
from db.puzzles import get_puzzle
from db.store import Store
from engines.engine import Engine
from engines.options import EngineChoice
from engines.search_cache import CachedEngine, Searcher
from puzzlegen.formats.entry import parsed_puzzle
from puzzlegen.rules import MiningRules
from puzzlegen.upkeep.audit import LINES, audit_line
from puzzlegen.verify.solution import Rejection, find_solution, gap_of

# Nodes of a search: for each of some thirty attempts, and for the final position. If the original solution
# only holds with the larger budget, attempts use that, too. An audit with a million nodes found no fault in
# 49 simplified puzzles.
NODES = 10_000
CONFIRM_NODES = 100_000

RULES = MiningRules()

# The source of a stored version.
SOURCE = "simplified"


@dataclass(frozen=True)
class Shift:
    """Moves a position on the board: mirrored first, then by `files` to the right and by `ranks` up."""

    mirrored: bool = False
    files: int = 0
    ranks: int = 0

    @property
    def shifted(self) -> bool:
        """Whether the files or ranks change."""
        return bool(self.files or self.ranks)

    def of_line(
        self, board: chess.Board, moves: Sequence[chess.Move]
    ) -> tuple[chess.Board, tuple[chess.Move, ...]] | None:
        """Return a position and a line from it, shifted.

        None if a piece or a move would be off the board, or if there are castling rights, which cannot be
        shifted.
        """
        path = (square for move in moves for square in (move.from_square, move.to_square))
        if board.castling_rights or not self._fits([*board.piece_map(), *path]):
            return None
        placed = chess.Board(None)
        placed.set_piece_map({self._square(square): piece for square, piece in board.piece_map().items()})
        placed.turn = board.turn
        placed.ep_square = None if board.ep_square is None else self._square(board.ep_square)
        placed_moves = (
            chess.Move(self._square(move.from_square), self._square(move.to_square), move.promotion)
            for move in moves
        )
        return placed, tuple(placed_moves)

    def _fits(self, squares: Iterable[chess.Square]) -> bool:
        return all(0 <= index < 8 for square in squares for index in self._file_and_rank(square))

    def _square(self, square: chess.Square) -> chess.Square:
        return chess.square(*self._file_and_rank(square))

    def _file_and_rank(self, square: chess.Square) -> tuple[int, int]:
        file = chess.square_file(square)
        return (7 - file if self.mirrored else file) + self.files, chess.square_rank(square) + self.ranks


UNMOVED = Shift()


@dataclass(frozen=True)
class SimplifiedPuzzle:
    """A position and its solution, solver first.

    `removed` has the removed pieces, with their squares in the original puzzle.
    """

    board: chess.Board
    moves: tuple[chess.Move, ...]
    removed: tuple[tuple[chess.Square, chess.Piece], ...] = ()
    shift: Shift = UNMOVED

    @property
    def name(self) -> str:
        """The name of the version: `simplified`, or how it was shifted."""
        if self.shift.mirrored:
            return "mirrored"
        return "shifted" if self.shift.shifted else "simplified"

    def as_dict(self) -> dict[str, Any]:
        """Return the keys and values of the JSON object. A white rook is `Ra1`, a black rook `ra1`."""
        return {
            "fen": self.board.fen(),
            "solution": [move.uci() for move in self.moves],
            "removed": [f"{piece.symbol()}{chess.square_name(square)}" for square, piece in self.removed],
            "mirrored": self.shift.mirrored,
            "shifted": [self.shift.files, self.shift.ranks],
        }


def parent_of(text: str, moves: str | None, store: Store, engine: EngineChoice = None) -> Puzzle:
    """Return the puzzle to simplify: a stored puzzle, by its id, or a position (FEN).

    The solution of a position is `moves` (SAN or UCI), or else the only line that wins, which the engine
    finds. Raises `InputError` if there is no such line, or if `moves` are given with a stored puzzle, and
    `PositionError`, `UnknownPuzzleError`, `EngineError`.
    """
    if "/" not in text:
        if moves is not None:
            raise InputError("moves are for a FEN only; a stored puzzle has its own")
        with store.reading() as session:
            return get_puzzle(session, text)
    board = parse_position(text)
    line = _only_line(board, engine) if moves is None else parse_line(board, moves)
    return parsed_puzzle(board, [move.uci() for move in line], "position", "").puzzle


def _only_line(board: chess.Board, chosen: EngineChoice) -> Sequence[chess.Move]:
    if board.is_game_over():
        raise PositionError(f"the game is over in {board.fen()}")
    with Engine(chosen) as engine:
        solution = find_solution(board, engine, RULES)
    if isinstance(solution, Rejection):
        raise InputError(f"there is no unique winning line ({solution}); give the solution with --moves")
    return solution.moves


def simplify(
    board: chess.Board,
    moves: Sequence[chess.Move],
    engine: EngineChoice = None,
    *,
    mirror: bool = False,
    shift: bool = False,
) -> list[SimplifiedPuzzle]:
    """Return a puzzle without needless pieces, then its mirrored and its shifted version, if asked for.

    A version whose solution does not hold is left out. `engine` is a path, a command name or an `EngineSetup`
    (default: Stockfish, wherever it is installed). Nothing is removed if every piece is needed. Raises
    `PositionError` if the position or a move is not legal, and `EngineError`.
    """
    line = check_line(board, moves)
    places = [shifts(mirrored=True, shifted=False)] if mirror else []
    places += [shifts(mirrored=False, shifted=True)] if shift else []
    with Engine(engine) as opened:
        searcher = CachedEngine(opened)
        simple = remove_pieces(board, line, searcher)
        moved = [move_elsewhere(simple, tried, searcher) for tried in places]
    return [simple, *(version for version in moved if version.shift != UNMOVED)]


def stored_version(version: SimplifiedPuzzle, parent: Puzzle) -> Puzzle:
    """Return a version as a puzzle to store or export. Its `source_id` names the parent."""
    solution = [move.uci() for move in version.moves]
    return parsed_puzzle(version.board, solution, SOURCE, f"{parent.id}-{version.name}").puzzle


def remove_pieces(position: chess.Board, moves: Sequence[chess.Move], searcher: Searcher) -> SimplifiedPuzzle:
    """Return the puzzle without the pieces that its solution `moves` does not need.

    Positions are searched more than once, so `searcher` should have a cache. Raises `EngineFailedError`.
    """
    mates = _ends_in_mate(position, moves)
    versions = [SimplifiedPuzzle(_without_game(position), tuple(moves))]
    budgets = (NODES, CONFIRM_NODES)
    nodes = next((nodes for nodes in budgets if holds(versions[0], mates, searcher, nodes)), NODES)
    uncastled = replace(versions[0], board=versions[0].board.copy())
    uncastled.board.castling_rights = chess.BB_EMPTY
    if versions[0].board.castling_rights and holds(uncastled, mates, searcher, nodes):
        versions.append(uncastled)
    tried_all = False
    while not tried_all:
        tried_all = True
        for square in _needless(versions[-1]):
            fewer = _without(versions[-1], square)
            if holds(fewer, mates, searcher, nodes):
                versions.append(fewer)
                tried_all = False
    # Undo the last removals if the solution does not hold with more nodes.
    while len(versions) > 1 and not holds(versions[-1], mates, searcher, CONFIRM_NODES):
        versions.pop()
    return versions[-1]


def move_elsewhere(
    version: SimplifiedPuzzle, places: Iterable[Shift], searcher: Searcher
) -> SimplifiedPuzzle:
    """Return the puzzle at the first of `places` where its solution holds, or unchanged if there is none.

    Raises `EngineFailedError`.
    """
    mates = _ends_in_mate(version.board, version.moves)
    for place in places:
        placed = place.of_line(version.board, version.moves)
        if placed is None:
            continue
        moved = replace(version, board=placed[0], moves=placed[1], shift=place)
        if all(holds(moved, mates, searcher, nodes) for nodes in (NODES, CONFIRM_NODES)):
            return moved
    return version


def shifts(*, mirrored: bool, shifted: bool) -> list[Shift]:
    """Return all shifts that are mirrored and shifted as asked for, the preferred ones first.

    Sideways shifts come before vertical ones, which change the role of pawns and of the back rank; far shifts
    come before near ones, after which the board looks almost the same.
    """
    steps = range(-7, 8)
    places = (Shift(mirrored, files, ranks) for files in steps for ranks in steps)
    return sorted(
        (place for place in places if place.shifted is shifted),
        key=lambda place: (abs(place.ranks), -abs(place.files)),
    )


def _without_game(position: chess.Board) -> chess.Board:
    """Return the position without move counters and a useless en-passant square."""
    board = position.copy(stack=False)
    board.halfmove_clock, board.fullmove_number = 0, 1
    if not board.has_legal_en_passant():
        board.ep_square = None
    return board


def _needless(version: SimplifiedPuzzle) -> list[chess.Square]:
    """Return the squares of the pieces that the line neither moves nor captures, the farthest first."""
    board = version.board.copy()
    untouched = set(board.piece_map())
    for move in version.moves:
        board.push(move)
        untouched &= {s for s in untouched if board.piece_at(s) == version.board.piece_at(s)}
    path = [square for move in version.moves for square in (move.from_square, move.to_square)]

    def distance(square: chess.Square) -> int:
        return min(chess.square_distance(square, other) for other in path)

    return sorted(untouched, key=lambda square: (-distance(square), square))


def _without(version: SimplifiedPuzzle, square: chess.Square) -> SimplifiedPuzzle:
    board = version.board.copy()
    piece = board.remove_piece_at(square)
    assert piece is not None
    board.castling_rights = board.clean_castling_rights()
    return replace(version, board=board, removed=(*version.removed, (square, piece)))


def holds(version: SimplifiedPuzzle, mates: bool | None, searcher: Searcher, nodes: int) -> bool:
    """Return whether a position is legal, and the line is its solution. Quick checks come first.

    `mates` says whether the line has to end in mate. Raises `EngineFailedError`.
    """
    board, moves = version.board, version.moves
    return (
        board.is_valid()
        and _ends_in_mate(board, moves) == mates
        and not audit_line(board, moves, searcher, RULES, nodes)
        # An audit accepts any mate in one.
        and gap_of(searcher.search(board, nodes, LINES)) >= RULES.gap
        and _is_well_defended(board, moves, searcher, nodes)
    )


def _ends_in_mate(position: chess.Board, moves: Sequence[chess.Move]) -> bool | None:
    """Return whether the moves end in mate; None if one of them is not legal."""
    board = position.copy(stack=False)
    for move in moves:
        if not board.is_legal(move):
            return None
        board.push(move)
    return board.is_checkmate()


def _is_well_defended(
    position: chess.Board, moves: Sequence[chess.Move], searcher: Searcher, nodes: int
) -> bool:
    """Return whether each reply is about as good as the engine's, and does not lead to an earlier mate."""
    board = position.copy(stack=False)
    for move, reply in zip(moves[::2], moves[1::2], strict=False):
        board.push(move)
        is_forced = board.legal_moves.count() == 1
        best = None if is_forced else searcher.search(board, nodes)[0]
        board.push(reply)
        if best is None or best.move == reply:
            continue
        # The audit has made this search, so the result is in the cache.
        answer = searcher.search(board, nodes, LINES)[0]
        is_sooner = answer.mate_in is not None and (best.mate_in is None or answer.mate_in < -best.mate_in)
        if is_sooner or best.chance + answer.chance > RULES.as_good:
            return False
    return True
