"""What two solutions share, in words, such as “rook sacrifice on h7 taken by the king, queen mates”."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from puzzlegen.motifs.mates import PATTERNS, Mate
from puzzlegen.motifs.replay import Motif, Replay
from puzzlegen.motifs.table import TAGS, TagGroup
from puzzlegen.motifs.tags import tag_words
from puzzlegen.reasons.tactics import Tactics
from puzzlegen.reasons.words import joined


def shared_words(query: Tactics, other: Tactics) -> str:
    """Return what two solutions share, in the order of the query's moves; empty if they share nothing."""
    return ", ".join(dict.fromkeys([*_motif_words(query, other), *_mate_words(query.replay, other.replay)]))


def _motif_words(query: Tactics, other: Tactics) -> Iterator[str]:
    named: set[str] = set()
    for motif in sorted(_motifs(query), key=lambda motif: motif.ply):
        alike = [found for found in _motifs(other) if found.name == motif.name]
        if not alike or motif.name in named:
            continue
        named.add(motif.name)
        same_pieces = [found for found in alike if (found.by, found.to) == (motif.by, motif.to)]
        phrase = TAGS[motif.name].shared
        if not same_pieces or not phrase:
            yield tag_words(motif.name)
            continue
        at, other_at = motif.square, same_pieces[0].square
        place = f" on {chess.square_name(at)}" if at is not None and at == other_at else ""
        yield phrase.format(**_pieces(motif), place=place)


def _motifs(tactics: Tactics) -> list[Motif]:
    """Return the motifs that are worth a tag, without patterns of mates, which have their own words."""
    motifs = (motif for motif in tactics.motifs if motif.notable)
    return [motif for motif in motifs if TAGS[motif.name].group is not TagGroup.MATE_PATTERN]


def _pieces(motif: Motif) -> dict[str, str]:
    names = [chess.piece_name(kind) for kind in motif.to]
    first, last = (names[0], names[-1]) if names else ("", "")
    return {"by": chess.piece_name(motif.by), "to": joined(names), "first": first, "last": last}


def _mate_words(query: Replay, other: Replay) -> Iterator[str]:
    if not (query.mates and other.mates):
        return
    mates = [Mate(query.end), Mate(other.end)]
    for name, pattern in PATTERNS.items():
        if all(pattern.shows(mate) for mate in mates):
            yield tag_words(name)
    checkers = [{mate.attack_map.kind(square) for square in mate.checkers} for mate in mates]
    shared_checkers = checkers[0] & checkers[1]
    if not shared_checkers:
        yield "mate"
        return
    checker = chess.piece_name(max(shared_checkers))
    helpers, others = ({mate.attack_map.kind(square) for square in mate.helpers()} for mate in mates)
    names = joined(chess.piece_name(kind) for kind in sorted(helpers & others))
    yield f"{checker} mates with the {names}'s help" if names else f"{checker} mates"
