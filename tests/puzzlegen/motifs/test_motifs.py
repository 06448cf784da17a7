"""Every motif, where it shows and where it nearly does; and how it looks when the board is turned."""

from __future__ import annotations

from collections.abc import Callable

import chess
import pytest
from chess import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from hypothesis import assume, given, settings

from puzzlegen.motifs.mates import PATTERNS
from puzzlegen.motifs.replay import Motif, Replay, Rule
from puzzlegen.motifs.tags import RULES, motifs_of
from tests.helpers import mate_cases
from tests.helpers.motif_cases import NOT_SHOWN, SHOWN, Case
from tests.helpers.solutions import Solution, colours_swapped, left_and_right_swapped, parsed, random_lines

OTHERS = (
    "fork", "doubleAttack", "pin", "relativePin", "skewer", "discoveredCheck", "discoveredAttack",
    "doubleCheck", "trappedPiece", "hangingPiece", "hangingPawn", "betterExchange", "deflection",
    "overloading", "attraction", "capturingDefender", "interference", "clearance", "intermezzo",
    "xRayAttack", "sacrifice", "kingsideAttack", "queensideAttack", "exposedKing", "advancedPawn",
    "breakthrough", "promotion", "underPromotion", "castling", "enPassant", "quietMove", "mateThreat",
    "attackingF2F7", "defensiveMove", "perpetualCheck", "stalemate",
)  # fmt: skip

# A wing has no mirror image: two files make the one, three the other.
OF_ONE_WING = {"kingsideAttack", "queensideAttack", "attackingF2F7"}

CASES = [*SHOWN, *NOT_SHOWN, *mate_cases.SHOWN, *mate_cases.NOT_SHOWN]


def found(case: Case) -> list[Motif]:
    return motifs_of(Replay(*parsed(case.fen, case.moves)))


@pytest.mark.parametrize("case", SHOWN, ids=str)
def test_it_shows(case: Case) -> None:
    assert case.name in {motif.name for motif in found(case)}


@pytest.mark.parametrize("case", NOT_SHOWN, ids=str)
def test_it_nearly_shows(case: Case) -> None:
    assert case.name not in {motif.name for motif in found(case)}


@pytest.mark.parametrize("cases", [SHOWN, NOT_SHOWN], ids=["for", "against"])
def test_no_motif_is_left_out(cases: list[Case]) -> None:
    assert {case.name for case in cases} == set(OTHERS)


def test_no_rule_finds_anything_else() -> None:
    assert {motif.name for case in CASES for motif in found(case)} == {*OTHERS, *PATTERNS}


def test_each_rule_is_asked() -> None:
    replays = [Replay(*parsed(case.fen, case.moves)) for case in CASES]
    motifs = [set(motifs_of(replay)) for replay in replays]

    def asked(rule: Rule) -> bool:
        return any(found & set(rule(replay)) for replay, found in zip(replays, motifs, strict=True))

    assert [rule for rule in RULES if not asked(rule)] == []


@pytest.mark.parametrize(
    ("what", "motif"),
    [
        ("fork: a knight's on king and queen", Motif("fork", 0, KNIGHT, (QUEEN, KING), chess.C7)),
        ("fork: a pawn's", Motif("fork", 0, PAWN, (KNIGHT, ROOK), chess.D4)),
        (
            "pin: the pawn cannot take",
            Motif("pin", 0, BISHOP, (PAWN, KING), chess.F7),
        ),
        (
            "relativePin: by a rook, before a loose rook",
            Motif("relativePin", 2, ROOK, (KNIGHT, ROOK), chess.D5),
        ),
        ("skewer: queen before rook", Motif("skewer", 0, BISHOP, (QUEEN, ROOK), chess.A3)),
        (
            "discoveredAttack: on the queen, the bishop checks",
            Motif("discoveredAttack", 0, QUEEN, (QUEEN,), chess.D4),
        ),
        ("doubleCheck: Réti – Tartakower 1910", Motif("doubleCheck", 2, BISHOP, (KING,), chess.G5)),
        (
            "trappedPiece: it sells itself for a pawn",
            Motif("trappedPiece", 0, PAWN, (BISHOP,), chess.B3),
        ),
        (
            "deflection: the rook leaves the square of promotion",
            Motif("deflection", 0, ROOK, (ROOK,), chess.C8),
        ),
        ("attraction: a queen into a fork", Motif("attraction", 0, ROOK, (QUEEN,), chess.E8)),
        ("interference: the reply does", Motif("interference", 0, BISHOP, (ROOK,), chess.D4, explains=False)),
        ("clearance: Damiano's mate", Motif("clearance", 0, ROOK, (QUEEN,), chess.H1)),
        ("xRayAttack: through the rook that takes", Motif("xRayAttack", 0, QUEEN, (ROOK,), chess.E8)),
        ("sacrifice: the Greek gift", Motif("sacrifice", 0, BISHOP, (KING,), chess.H7)),
        ("underPromotion: the Lasker trap", Motif("underPromotion", 2, KNIGHT, (), chess.G1)),
        ("enPassant: ", Motif("enPassant", 0, PAWN, (PAWN,), chess.F6)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_who_does_what_to_whom(what: str, motif: Motif) -> None:
    case = next(case for case in SHOWN if str(case) == what)
    assert motif in found(case)


def test_forked_pieces_of_one_value_have_an_order() -> None:
    two = ["6k1/5ppp/8/2n1b3/8/3P4/5PPP/3R2K1 w - - 0 1", "6k1/5ppp/8/2b1n3/8/3P4/5PPP/3R2K1 w - - 0 1"]
    forks = [motifs_of(Replay(*parsed(fen, "d3d4 h7h6 d4c5")))[0] for fen in two]
    assert [fork.to for fork in forks] == [(KNIGHT, BISHOP), (KNIGHT, BISHOP)]


def seen(solution: Solution, *left_out: str) -> list[tuple[object, ...]]:
    """What a solution shows, wherever on the board."""
    motifs = motifs_of(Replay(*solution))
    return sorted((m.name, m.ply, m.by, m.to) for m in motifs if m.name not in left_out)


def squares(solution: Solution) -> set[tuple[str, int, int | None]]:
    return {(motif.name, motif.ply, motif.square) for motif in motifs_of(Replay(*solution))}


def broken_by(holds: Callable[[Solution], bool]) -> list[str]:
    """Return the cases whose solution `holds` is not true of."""
    return [str(case) for case in CASES if not holds(parsed(case.fen, case.moves))]


def test_colours_do_not_matter() -> None:
    assert broken_by(lambda solution: seen(colours_swapped(solution)) == seen(solution)) == []


def test_squares_turn_with_the_board() -> None:
    def holds(solution: Solution) -> bool:
        turned = {
            (name, ply, None if square is None else chess.square_mirror(square))
            for name, ply, square in squares(solution)
        }
        return squares(colours_swapped(solution)) == turned

    assert broken_by(holds) == []


def test_left_and_right_do_not_matter() -> None:
    def holds(solution: Solution) -> bool:
        mirrored = left_and_right_swapped(solution)
        # A line that castles has no mirror image.
        return mirrored is None or seen(mirrored, *OF_ONE_WING) == seen(solution, *OF_ONE_WING)

    assert broken_by(holds) == []


@settings(max_examples=100)
@given(random_lines())
def test_colours_do_not_matter_in_any_line(solution: Solution) -> None:
    assert seen(colours_swapped(solution)) == seen(solution)


@settings(max_examples=100)
@given(random_lines())
def test_left_and_right_do_not_matter_in_any_line(solution: Solution) -> None:
    mirrored = left_and_right_swapped(solution)
    assume(mirrored)
    assert mirrored is not None
    assert seen(mirrored, *OF_ONE_WING) == seen(solution, *OF_ONE_WING)
