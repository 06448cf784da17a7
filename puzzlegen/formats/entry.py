"""The puzzles of a file, as every reader returns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import chess

from chess_motif.errors import InputError, TableError
from chess_motif.material import capture_by
from chess_motif.notation import parse_move, parse_moves, parse_position
from db.models import Kind, Puzzle
from db.puzzles import puzzle_id
from puzzlegen.formats.facts import set_facts
from puzzlegen.motifs.tags import solution_tags
from puzzlegen.verify.ending import Ending, ending_shown

# A place in a file, such as `line 3`, and the puzzle there or what is wrong with it. A puzzle has the game
# that it comes from, if that is in the file.
Entry = tuple[str, Puzzle | InputError]

_NOTHING: Mapping[str, str] = MappingProxyType({})


def read_blunder(fen: str, uci: str) -> tuple[chess.Board, chess.Move, chess.Board]:
    """Return the position before the opponent's move, that move, and the puzzle. Raises `PositionError`."""
    before = parse_position(fen)
    blunder = parse_move(before, uci)
    position = before.copy()
    position.push(blunder)
    return before, blunder, position


def puzzle_row(
    position: chess.Board,
    solution: Sequence[str],
    source: str,
    source_id: str,
    *,
    before: chess.Board | None = None,
    blunder: chess.Move | None = None,
    facts: Mapping[str, str] = _NOTHING,
    outcome: str = "",
) -> Puzzle:
    """Return a puzzle that starts at `position`, after the move `blunder` in `before` if known.

    `solution` has UCI moves, solver first; a reply at its end is dropped. `source` is where the puzzle comes
    from if the `facts` (see `puzzlegen.formats.facts`) do not say so. Tags are those that we give, and the
    `outcome`, if not given, is what the moves show. Raises `PositionError` if a move is not legal, and
    `TableError` if a fact cannot be read.
    """
    moves = parse_moves(position, " ".join(solution[: len(solution) - 1 + len(solution) % 2]))
    capture = capture_by(before, blunder) if before and blunder else None
    kind, accepted = _kind(facts, position, moves[0])
    outcome = outcome or ending_shown(position, moves) or ""
    # The line of an exercise may end in a mate that is not forced; its themes then do not say so.
    is_forced = kind == Kind.PUZZLE or len(moves) == 1 or "mate" in facts.get("Themes", outcome).split()
    if outcome == Ending.MATE and not is_forced:
        outcome = Ending.MATERIAL.value
    tags = solution_tags(position, moves, capture, is_forced=is_forced)
    fen = position.fen()
    name = puzzle_id(fen, moves[0])
    puzzle = Puzzle(
        id=name,
        kind=kind,
        fen=before.fen() if before else fen,
        blunder=blunder.uci() if blunder else "",
        puzzle_fen=fen,
        solution=" ".join(move.uci() for move in moves),
        accepted=accepted,
        outcome=outcome,
        tags=" ".join(tags),
        source=source,
        # A puzzle that we have exported has our id.
        source_id="" if source_id == name else source_id,
    )
    set_facts(puzzle, facts)
    return puzzle


def _kind(facts: Mapping[str, str], position: chess.Board, best: chess.Move) -> tuple[str, str]:
    """Return the columns `kind` and `accepted`, and check that they go together."""
    kind, accepted = facts.get("Kind") or Kind.PUZZLE.value, facts.get("Accepted", "").split(",")
    moves = [parse_move(position, uci) for uci in filter(None, accepted)]
    if kind not in set(Kind):
        raise TableError(f"neither a puzzle nor an exercise: {kind!r}")
    if (kind == Kind.EXERCISE) != bool(moves):
        raise TableError("an exercise needs accepted moves" if not moves else "accepted moves of a puzzle")
    if moves and best not in moves:
        raise TableError(f"the first move of the solution, {best.uci()}, is not an accepted one")
    return kind, " ".join(move.uci() for move in moves)
