"""All rules, and the motifs that they find in a solution."""

from __future__ import annotations

from puzzlegen.motifs import attacks, defences, mates, plans
from puzzlegen.motifs.motif import Motif, Rule
from puzzlegen.motifs.replay import Replay

# What wins by force.
TACTICS: tuple[Rule, ...] = (
    attacks.forks, attacks.pins, attacks.skewers, attacks.discoveries, attacks.trapped, attacks.hanging,
    defences.deflections, defences.attractions, defences.removed_defenders, defences.interferences,
    defences.clearances, defences.in_between_moves, defences.desperados, defences.x_rays, defences.sacrifices,
)  # fmt: skip

RULES: tuple[Rule, ...] = (
    *TACTICS,
    mates.named_mates,
    plans.wing_attacks, plans.exposed_kings, plans.pawn_advances, plans.promotions, plans.special_moves,
    plans.quiet_moves, plans.weak_f_pawn, plans.defences,
)  # fmt: skip


def motifs_of(replay: Replay) -> list[Motif]:
    """Return every motif of a solution, in the order of the rules."""
    return [motif for rule in RULES for motif in rule(replay)]
