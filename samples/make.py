"""Make the sample games: Stockfish plays itself as players of 1200 to 2000 Elo might.

Run it from the root of the project:

    python samples/make.py --seed 1 --games 300 --out samples/games.pgn.zst

The same seed, number of games and Stockfish version give the same games again. Stockfish's own handicap
(Skill Level, UCI_Elo) draws its random numbers from the clock, so it stays at full strength here, and the
weakness is simulated here instead. Each position is searched once, with few nodes, and the simulated player
chooses among the best few moves with Python's seeded generator:

1. Most moves are chosen by the scores of the finished search, some at a glance: by the scores at a depth of
one
   to three plies, at which neither side's tactics are seen yet.
2. Some moves go unnoticed, unless they recapture a piece.
3. Among the others, the player samples from a softmax over the centipawns that each move loses.

Both sides share these weaknesses, so blunders sometimes go unpunished, as in games of human players. Every
game has a generator of its own, seeded with (seed, number of the game), and every choice of a move starts on
an empty hash table: a game does not depend on those made before it.

The first 200 games are then analysed ply by ply, starting from an empty hash table, and have an evaluation
after each ply, as on Lichess.
"""

import argparse
import math
import random
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import chess
import chess.engine
import chess.pgn
from tqdm import tqdm

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# The engine. Its version is part of the recipe: another one plays other games, on another scale.
ENGINE_NAME = "Stockfish 15.1"
ENGINE_PLACES = ("stockfish", "/usr/games/stockfish")  # Debian's folder is often not on PATH
ENGINE_OPTIONS = {"Threads": 1, "Hash": 16}

# Searches stop at their node limit. The time limit is for an engine that hangs, and otherwise never reached.
PLAY_LIMIT = chess.engine.Limit(nodes=3_000, time=60)
PLAY_LINES = 5
EVAL_LIMIT = chess.engine.Limit(nodes=20_000, time=60)
EVALUATED = 200  # games 1 to 200 carry evaluations

# Stockfish 15.1 normalises its centipawns: it divides by 361 (100 is then a winning chance of 50 %) where
# older versions divided by 208. Most of Lichess' evaluations, and the win chances fitted to them, are on the
# scale of those: multiply to get back to it.
EVAL_SCALE = 361 / 208

# How a simulated player chooses, in the engine's own centipawns.
GLANCE_DEPTHS = (1, 2, 3)  # plies that a glance sees
CLEAR_CP = 4_000  # advantages from here on make no difference
MATE_CP = 6_000  # value of a mate at once …
MATE_STEP_CP = 150  # … and how much less each further move to it is worth

# When simulated players stop before the rules end the game.
RESIGN_CP = -350  # a player resigns with at most this evaluation …
RESIGN_MOVES = 3  # … before this many consecutive moves …
STUBBORN = 0.2  # … but this share of players never resigns
DRAW_CP = 30  # players agree to a draw if neither has a larger advantage …
DRAW_PLIES = 8  # … for this many consecutive plies …
DRAW_FROM = 70  # … after this ply

FIRST_DATE = date(2024, 1, 1)  # game 1; each further game is a day later
ZSTD_LEVEL = 19


@dataclass(frozen=True)
class Level:
    """A simulated playing strength."""

    number: int
    elo: int  # nominal, not measured
    temperature: float  # of the softmax, in centipawns
    glance: float  # chance that a move is chosen at a glance
    blind: float  # chance that a move goes unnoticed

    @property
    def player(self) -> str:
        """The name for the White and Black headers."""
        return f"{ENGINE_NAME} (level {self.number})"


LEVELS = (
    Level(1, 1200, temperature=40, glance=0.16, blind=0.13),
    Level(2, 1400, temperature=34, glance=0.13, blind=0.11),
    Level(3, 1600, temperature=28, glance=0.10, blind=0.09),
    Level(4, 1800, temperature=22, glance=0.07, blind=0.06),
    Level(5, 2000, temperature=16, glance=0.05, blind=0.04),
)


@dataclass(frozen=True)
class Opening:
    """A named opening and its moves in SAN, without move numbers."""

    eco: str
    name: str
    moves: str


OPENINGS = (
    Opening("A04", "Zukertort Opening", "Nf3 c5 g3 Nc6 Bg2 g6"),
    Opening("A07", "King's Indian Attack", "Nf3 d5 g3 c6 Bg2 Bg4 O-O Nd7"),
    Opening("A22", "English Opening: King's English Variation, Two Knights Variation", "c4 e5 Nc3 Nf6"),
    Opening("A30", "English Opening: Symmetrical Variation, Hedgehog Defense", "c4 c5 Nf3 Nf6 g3 b6 Bg2 Bb7"),
    Opening("A40", "Modern Defense", "d4 g6 c4 Bg7 Nc3 d6"),
    Opening("A45", "Trompowsky Attack", "d4 Nf6 Bg5 e6"),
    Opening("A48", "London System", "d4 Nf6 Nf3 g6 Bf4 Bg7 e3 O-O"),
    Opening("A57", "Benko Gambit", "d4 Nf6 c4 c5 d5 b5"),
    Opening("A60", "Benoni Defense: Modern Variation", "d4 Nf6 c4 c5 d5 e6 Nc3 exd5 cxd5 d6"),
    Opening("A85", "Dutch Defense: Queen's Knight Variation", "d4 f5 c4 Nf6 Nc3 e6"),
    Opening("B01", "Scandinavian Defense: Main Line", "e4 d5 exd5 Qxd5 Nc3 Qa5 d4 Nf6"),
    Opening("B02", "Alekhine Defense", "e4 Nf6 e5 Nd5 d4 d6"),
    Opening("B06", "Modern Defense", "e4 g6 d4 Bg7 Nc3 d6"),
    Opening("B07", "Pirc Defense", "e4 d6 d4 Nf6 Nc3 g6 Nf3 Bg7"),
    Opening("B12", "Caro-Kann Defense: Advance Variation", "e4 c6 d4 d5 e5 Bf5"),
    Opening("B13", "Caro-Kann Defense: Exchange Variation", "e4 c6 d4 d5 exd5 cxd5 Bd3 Nc6 c3 Nf6"),
    Opening("B18", "Caro-Kann Defense: Classical Variation", "e4 c6 d4 d5 Nc3 dxe4 Nxe4 Bf5 Ng3 Bg6"),
    Opening("B21", "Sicilian Defense: Smith-Morra Gambit", "e4 c5 d4 cxd4 c3 dxc3 Nxc3 Nc6 Nf3 d6"),
    Opening("B22", "Sicilian Defense: Alapin Variation", "e4 c5 c3 Nf6 e5 Nd5"),
    Opening("B23", "Sicilian Defense: Closed", "e4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7"),
    Opening("B33", "Sicilian Defense: Lasker-Pelikan Variation", "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5"),
    Opening("B50", "Sicilian Defense", "e4 c5 Nf3 d6"),
    Opening("B70", "Sicilian Defense: Dragon Variation", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6"),
    Opening("B90", "Sicilian Defense: Najdorf Variation", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"),
    Opening("C00", "French Defense", "e4 e6 d3 d5 Nd2 Nf6 Ngf3"),
    Opening("C01", "French Defense: Exchange Variation", "e4 e6 d4 d5 exd5 exd5 Nf3 Nf6 Bd3 Bd6"),
    Opening("C02", "French Defense: Advance Variation", "e4 e6 d4 d5 e5 c5 c3 Nc6 Nf3 Qb6"),
    Opening("C11", "French Defense: Classical Variation", "e4 e6 d4 d5 Nc3 Nf6"),
    Opening("C18", "French Defense: Winawer Variation", "e4 e6 d4 d5 Nc3 Bb4 e5 c5 a3 Bxc3+ bxc3 Ne7"),
    Opening("C21", "Danish Gambit", "e4 e5 d4 exd4 c3 dxc3"),
    Opening("C24", "Bishop's Opening: Berlin Defense", "e4 e5 Bc4 Nf6 d3"),
    Opening("C25", "Vienna Game", "e4 e5 Nc3 Nc6"),
    Opening("C33", "King's Gambit Accepted", "e4 e5 f4 exf4"),
    Opening("C41", "Philidor Defense", "e4 e5 Nf3 d6 d4 exd4 Nxd4 Nf6"),
    Opening("C42", "Petrov's Defense", "e4 e5 Nf3 Nf6 Nxe5 d6 Nf3 Nxe4"),
    Opening("C45", "Scotch Game", "e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6"),
    Opening("C47", "Four Knights Game", "e4 e5 Nf3 Nc6 Nc3 Nf6"),
    Opening("C50", "Italian Game: Giuoco Pianissimo", "e4 e5 Nf3 Nc6 Bc4 Bc5 d3 Nf6"),
    Opening("C52", "Italian Game: Evans Gambit", "e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4 c3 Ba5"),
    Opening("C58", "Italian Game: Two Knights Defense", "e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5 Na5"),
    Opening("C67", "Ruy Lopez: Berlin Defense, Rio Gambit Accepted", "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4"),
    Opening("C68", "Ruy Lopez: Exchange Variation", "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6"),
    Opening("C78", "Ruy Lopez: Morphy Defense", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O b5 Bb3"),
    Opening("D02", "London System", "d4 d5 Nf3 Nf6 Bf4 e6 e3 Bd6"),
    Opening("D05", "Colle System", "d4 d5 Nf3 Nf6 e3 e6 Bd3 c5"),
    Opening("D10", "Slav Defense", "d4 d5 c4 c6 Nc3 Nf6"),
    Opening("D20", "Queen's Gambit Accepted", "d4 d5 c4 dxc4 e4 e5"),
    Opening("D35", "Queen's Gambit Declined: Exchange Variation", "d4 d5 c4 e6 Nc3 Nf6 cxd5 exd5 Bg5 c6"),
    Opening("D45", "Semi-Slav Defense", "d4 d5 c4 c6 Nf3 Nf6 Nc3 e6 e3 Nbd7"),
    Opening("D85", "Grünfeld Defense: Exchange Variation", "d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5 e4 Nxc3 bxc3"),
    Opening("E01", "Catalan Opening", "d4 Nf6 c4 e6 g3 d5 Bg2"),
    Opening("E15", "Queen's Indian Defense: Fianchetto Variation", "d4 Nf6 c4 e6 Nf3 b6 g3"),
    Opening("E20", "Nimzo-Indian Defense", "d4 Nf6 c4 e6 Nc3 Bb4"),
    Opening("E61", "King's Indian Defense", "d4 Nf6 c4 g6 Nc3 Bg7 Nf3 O-O"),
)

# The scores of the best few moves, best first: centipawns for the side to move.
View = dict[chess.Move, int]


@dataclass(frozen=True)
class Play:
    """A finished game: its moves are on the board's stack."""

    board: chess.Board
    opening: Opening
    levels: dict[chess.Color, Level]
    ending: str

    @property
    def result(self) -> str:
        """The Result header: in a decided game, the side to move has been mated or has resigned."""
        if self.ending not in ("checkmate", "resignation"):
            return "1/2-1/2"
        return "0-1" if self.board.turn == chess.WHITE else "1-0"


def start_engine(path: str | None) -> chess.engine.SimpleEngine:
    """Start Stockfish, or exit with the reason when it is missing or of another version."""
    found = next(filter(None, map(shutil.which, [path] if path else ENGINE_PLACES)), None)
    if found is None:
        sys.exit(f"{path or ENGINE_NAME} not found: install Stockfish or give its path with --engine")
    engine = chess.engine.SimpleEngine.popen_uci(found)
    if not engine.id.get("name", "").startswith(ENGINE_NAME):
        engine.quit()
        sys.exit(
            f"these games are made with {ENGINE_NAME}, but {found} is {engine.id.get('name', 'unnamed')}"
        )
    engine.configure(ENGINE_OPTIONS)
    return engine


def worth(score: chess.engine.Score) -> int:
    """Return the value of a score to a simulated player, in centipawns, at most `MATE_CP` either way."""
    mate = score.mate()
    if mate is None:
        return max(-CLEAR_CP, min(CLEAR_CP, score.score() or 0))
    value = max(CLEAR_CP, MATE_CP - MATE_STEP_CP * abs(mate))
    return value if mate > 0 else -value


def think(engine: chess.engine.SimpleEngine, board: chess.Board) -> tuple[View, list[View]]:
    """Search the position once; return the view of the finished search and those at `GLANCE_DEPTHS`."""
    glances: list[View] = [{} for _ in GLANCE_DEPTHS]
    kinds = chess.engine.INFO_SCORE | chess.engine.INFO_PV
    with engine.analysis(board, PLAY_LIMIT, multipv=PLAY_LINES, game=object(), info=kinds) as analysis:
        for info in analysis:
            if "pv" in info and info["depth"] in GLANCE_DEPTHS:
                glances[GLANCE_DEPTHS.index(info["depth"])][info["pv"][0]] = worth(info["score"].relative)
    finished = {info["pv"][0]: worth(info["score"].relative) for info in analysis.multipv}
    return finished, [view for view in glances if view]


def takes_back(board: chess.Board, move: chess.Move) -> bool:
    """Tell whether the move captures on the square where the opponent has just moved."""
    return bool(board.move_stack) and move.to_square == board.peek().to_square


def choose(
    board: chess.Board, finished: View, glances: Sequence[View], level: Level, rng: random.Random
) -> chess.Move:
    """Choose a move as a player of this level would."""
    view = rng.choice(glances) if rng.random() < level.glance else finished
    noticed = [move for move in view if takes_back(board, move) or rng.random() >= level.blind]
    moves = noticed or list(view)
    best = max(view[move] for move in moves)
    weights = [math.exp((view[move] - best) / level.temperature) for move in moves]
    return rng.choices(moves, weights)[0]


def ending(board: chess.Board) -> str | None:
    """Return how the game ends by the rules in this position, or None if it does not."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.is_insufficient_material():
        return "insufficient material"
    if board.is_fifty_moves():
        return "fifty-move rule"
    return "threefold repetition" if board.is_repetition() else None


def opening_board(opening: Opening) -> chess.Board:
    """Return the position after the opening, with its moves on the stack."""
    board = chess.Board()
    for san in opening.moves.split():
        board.push_san(san)
    return board


def pair(rng: random.Random) -> dict[chess.Color, Level]:
    """Choose two players at random, at most one level apart."""
    white = rng.randrange(len(LEVELS))
    black = max(0, min(len(LEVELS) - 1, white + rng.choice((-1, 0, 0, 1))))
    return {chess.WHITE: LEVELS[white], chess.BLACK: LEVELS[black]}


def play(engine: chess.engine.SimpleEngine, rng: random.Random) -> Play:
    """Play one game to its end."""
    opening = rng.choice(OPENINGS)
    levels = pair(rng)
    stubborn = {color: rng.random() < STUBBORN for color in chess.COLORS}
    lost_moves = dict.fromkeys(chess.COLORS, 0)
    level_plies = 0
    board = opening_board(opening)
    while (end := ending(board)) is None:
        turn = board.turn
        finished, glances = think(engine, board)
        best = max(finished.values())
        lost_moves[turn] = lost_moves[turn] + 1 if best <= RESIGN_CP else 0
        level_plies = level_plies + 1 if abs(best) <= DRAW_CP else 0
        if lost_moves[turn] >= RESIGN_MOVES and not stubborn[turn]:
            end = "resignation"
            break
        if level_plies >= DRAW_PLIES and board.ply() > DRAW_FROM:
            end = "draw agreed"
            break
        board.push(choose(board, finished, glances, levels[turn], rng))
    return Play(board, opening, levels, end)


def eval_comment(score: chess.engine.Score) -> str:
    """Write White's score as Lichess does: ``[%eval 0.3]``, ``[%eval #-3]``."""
    mate = score.mate()
    if mate is not None:
        return f"[%eval #{mate}]"
    return f"[%eval {round((score.score() or 0) * EVAL_SCALE) / 100}]"


def analyse(engine: chess.engine.SimpleEngine, game: chess.pgn.Game) -> None:
    """Add the evaluation of the position after each move as a comment; a checkmate has none."""
    board = game.board()
    for node in game.mainline():
        board.push(node.move)
        if not board.is_checkmate():
            info = engine.analyse(board, EVAL_LIMIT, game=game, info=chess.engine.INFO_SCORE)
            node.comment = eval_comment(info["score"].white())


def to_pgn(played: Play, number: int) -> chess.pgn.Game:
    """Return a finished game as PGN, with its headers in the order in which they are written."""
    game = chess.pgn.Game.from_board(played.board)
    white, black = played.levels[chess.WHITE], played.levels[chess.BLACK]
    game.headers.update(
        {
            "Event": "Sample games",
            "Site": "chess-motif samples",
            "Date": f"{FIRST_DATE + timedelta(days=number - 1):%Y.%m.%d}",
            "Round": str(number),
            "White": white.player,
            "Black": black.player,
            "Result": played.result,
            "WhiteElo": str(white.elo),
            "BlackElo": str(black.elo),
            "ECO": played.opening.eco,
            "Opening": played.opening.name,
            "TimeControl": "-",
            "Termination": played.ending,
        }
    )
    return game


def make_game(engine: chess.engine.SimpleEngine, seed: int, number: int) -> chess.pgn.Game:
    """Make a game, which depends on the seed and its number only."""
    game = to_pgn(play(engine, random.Random(f"{seed}/{number}")), number)
    if number <= EVALUATED:
        analyse(engine, game)
    return game


def write_games(games: Sequence[chess.pgn.Game], out: Path) -> None:
    """Write the games as compressed PGN, with the moves of each on one line, as Lichess does."""
    text = "".join(f"{game.accept(chess.pgn.StringExporter(columns=None))}\n\n" for game in games)
    out.write_bytes(zstd.compress(text.encode(), level=ZSTD_LEVEL))


def summary(games: Sequence[chess.pgn.Game]) -> str:
    """Describe the games in a few lines."""
    plies = sum(game.end().ply() for game in games) / len(games)
    lines = [f"{len(games)} games, {plies:.1f} plies on average"]
    for header in ("Result", "Termination"):
        counts = Counter(game.headers[header] for game in games).most_common()
        lines.append(", ".join(f"{value}: {count}" for value, count in counts))
    return "\n".join(lines)


def positive(text: str) -> int:
    """Parse a whole number above zero."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not above zero")
    return number


def main() -> None:
    """Read the arguments and make the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of the random choices (default 1)")
    parser.add_argument("--games", type=positive, default=300, help="number of games (default 300)")
    parser.add_argument("--out", type=Path, default=Path("samples/games.pgn.zst"), help="file to write")
    parser.add_argument("--engine", help=f"path of {ENGINE_NAME} (default: look for it)")
    args = parser.parse_args()
    if not args.out.parent.is_dir():
        parser.error(f"there is no folder {args.out.parent}")
    with start_engine(args.engine) as engine:
        numbers = tqdm(range(1, args.games + 1), unit="game")
        games = [make_game(engine, args.seed, number) for number in numbers]
    write_games(games, args.out)
    print(summary(games))


if __name__ == "__main__":
    main()
