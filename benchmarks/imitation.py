"""How often Chesscone guesses the moves of a player from games of that player, and from games of all.

    python -m benchmarks.imitation DIR GAMES.pgn... [--players N] [--known]

DIR is a memory (`motifsearch retrieval build --memory DIR`), GAMES are others, with the same players: those
who have most games in the memory. A random position of each game is asked about that the memory does not
know, or with --known one that it knows. Prints, for each way to choose a move, how often it is the one that
was played.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from random import Random

import chess
from sqlalchemy import select

from benchmarks.command import parser_for, run, show
from benchmarks.intervals import paired_share_difference
from benchmarks.questions import FIRST_PLY
from chess_motif.intervals import share_interval
from chess_motif.tables import table
from db.games import archived_keys
from db.models import ArchivedGame, Game
from engines.human.model import load_human_model
from motifsearch.retrieval.chesscone import Chesscone, Form
from motifsearch.retrieval.decision import Decider
from motifsearch.retrieval.embedding import RATING
from motifsearch.retrieval.memory import Memory, MemoryFilter, open_memory
from motifsearch.retrieval.policy import PolicyPlayer
from training.parts import usable_games_of

WAYS = ("without a memory", "vote of all", "vote of the player", "joined, all", "joined, the player")
PAIRS = (
    ("vote of the player", "vote of all"),
    ("joined, the player", "joined, all"),
    ("joined, all", "without a memory"),
)


def players_of(memory: Memory, count: int) -> list[str]:
    """Return the players with most games in the memory."""
    with memory.store.reading() as session:
        rows = session.execute(
            select(Game.white, Game.black).join(ArchivedGame, ArchivedGame.game_number == Game.number)
        )
        return [name for name, _ in Counter(name for row in rows for name in row).most_common(count)]


def positions(
    memory: Memory, archives: list[str], players: list[str], known_ones: bool
) -> dict[str, list[tuple[chess.Board, chess.Move]]]:
    """Return positions of other games in which one of the players moved, and the moves, by player."""
    with memory.store.reading() as session:
        known = {key for _, key in archived_keys(session)}
    found = defaultdict(list)
    for game in usable_games_of(archives):
        row = game.row()
        for colour, player in ((chess.WHITE, row.white), (chess.BLACK, row.black)):
            if player not in players or game.key in known:
                continue
            boards = []
            board = game.start.copy()
            for ply, move in enumerate(game.moves):
                if ply >= FIRST_PLY and board.turn == colour and memory.contains(board) == known_ones:
                    boards.append((board.copy(), move))
                board.push(move)
            if boards:
                found[player].append(Random(game.key).choice(boards))
    return found


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("memory", type=Path)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--players", type=int, default=20)
    parser.add_argument("--known", action="store_true")
    options = parser.parse_args()
    memory = open_memory(path=options.memory)
    model = memory.model or load_human_model()
    asked = positions(memory, options.games, players_of(memory, options.players), options.known)
    right: dict[str, list[bool]] = {way: [] for way in WAYS}
    for player, cases in asked.items():
        for way in WAYS:
            memory.set_filter(MemoryFilter(mover=player) if "player" in way else MemoryFilter())
            form = Form.MEMORY if way.startswith("vote") else Form.JOINED
            decider: Decider = Chesscone(memory, model, form=form, careful=False)
            if way == "without a memory":
                decider = PolicyPlayer(model, RATING, careful=False)
            right[way] += [decider.decide(board).moves[0] == move for board, move in cases]
    shares = {way: share_interval(sum(hits) / len(hits), len(hits)) for way, hits in right.items()}
    rows = [[way, f"{mean:.3f} ({low:.3f}–{high:.3f})"] for way, (mean, low, high) in shares.items()]
    differences = {pair: paired_share_difference(*(right[way] for way in pair)) for pair in PAIRS}
    text = [
        f"{len(right[WAYS[0]])} positions of {len(asked)} players",
        table(["move by", "as played"], rows, right="lr"),
        *(
            f"{first} minus {second}: {mean:+.3f} ({low:+.3f} to {high:+.3f})"
            for (first, second), (mean, low, high) in differences.items()
        ),
    ]
    document = {
        "positions": len(right[WAYS[0]]),
        "players": len(asked),
        "as_played": {way: share._asdict() for way, share in shares.items()},
        "differences": [
            {"first": first, "second": second, **difference._asdict()}
            for (first, second), difference in differences.items()
        ],
    }
    show("\n".join(text), document, as_json=options.json)


if __name__ == "__main__":
    run(main)
