"""Puzzles in PGN files: games whose set-up position is the puzzle, and whose moves are its solution.

The other accepted moves of an exercise are variations. The tags `PuzzleBefore` and `PuzzleBlunder` have the
position (FEN) and the move (UCI) before the puzzle; all other tags that begin with `Puzzle` are the facts of
`puzzlegen.formats.entry`. The headers are those of the puzzle's game, except that the event, site, result and
address of the game have tags that begin with `Game`.

The chapters of a Lichess study begin with the move before the puzzle, so that the solver sees it played, and
have no `PuzzleBefore`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

import chess
import chess.pgn

from chess_motif.boards import to_move
from chess_motif.errors import TableError
from chess_motif.text import clean
from db.models import Game, Puzzle
from puzzlegen.formats.answers import why
from puzzlegen.formats.entry import FACTS, Parsed, Reader, after_blunder, facts_of, parsed_puzzle
from puzzlegen.games.archive import Archive
from puzzlegen.games.pgn import PlayedGame, SkipGame, read_game
from puzzlegen.games.split import RawGame, split_games

SOURCE = "pgn"

# Results of finished games. Any other result becomes `*`, since it is also written after the moves, where PGN
# allows nothing else.
_RESULTS = {"1-0", "0-1", "1/2-1/2"}

_GAME_KEY = re.compile(r"[0-9A-Za-z]{1,16}")

# The columns of a puzzle's game, by tag.
_OF_THE_GAME = {
    "GameKey": "key",
    "GameEvent": "event",
    "GameSite": "site",
    "GameResult": "result",
    "GameUrl": "url",
}


def games_of(archive: Archive) -> Iterator[tuple[str, RawGame]]:
    """Yield the games of a file, unparsed, each with its place. Raises `ArchiveError` where it is damaged."""
    for raw in split_games(archive.chunks()):
        yield f"game {raw.number}", raw


def set_up_game(raw: RawGame) -> PlayedGame:
    """Return a game with a set-up position. Raises `TableError` for an unusable game or one without."""
    try:
        game = read_game(raw)
    except SkipGame as skip:
        raise TableError(f"{skip.reason}: {skip.detail}".rstrip(": ")) from skip
    if "FEN" not in game.headers:
        raise TableError("no set-up position (header FEN); to find puzzles in games, use puzzlegen mine")
    return game


def write(out: TextIO, puzzles: Iterable[Puzzle], event: str = "") -> None:
    """Write a game for each puzzle, all with the header `event` if it is given."""
    _write(out, map(_game, puzzles), event)


def write_study(out: TextIO, puzzles: Iterable[Puzzle], event: str = "") -> None:
    """Write a chapter of a Lichess study for each puzzle, as `write` does."""
    _write(out, map(_chapter, puzzles), event)


def pgn_headers(game: Game | None) -> dict[str, str]:
    """Return the Seven Tag Roster, with `?` for unknown values, and all other known tags.

    Values are escaped for the quotes of a header.
    """
    game = game or Game(key="")
    roster = {
        "Event": game.event or "?",
        "Site": game.site or game.url or "?",
        "Date": game.date or "????.??.??",
        "Round": game.round or "?",
        "White": game.white or "?",
        "Black": game.black or "?",
        "Result": game.result if game.result in _RESULTS else "*",
    }
    others = {
        "WhiteElo": str(game.white_elo or ""),
        "BlackElo": str(game.black_elo or ""),
        "ECO": game.eco,
        "Opening": game.opening,
        "TimeControl": game.time_control,
        "Link": game.url if game.url != roster["Site"] else "",
    }
    known = roster | {name: value for name, value in others.items() if value}
    return {name: header_text(value) for name, value in known.items()}


def header_text(value: str) -> str:
    """Return a value in the form for a header: on one line, with quotes and backslashes escaped."""
    line = " ".join(clean(value).split())
    return line.replace("\\", "\\\\").replace('"', '\\"')


def _write(out: TextIO, games: Iterable[chess.pgn.Game], event: str) -> None:
    for game in games:
        if event:
            game.headers["Event"] = header_text(event)
        print(game, end="\n\n", file=out)


def _puzzle(raw: RawGame) -> Parsed:
    """Return the puzzle of a game: the set-up position, and the main line as the solution.

    If the main line begins with the move `PuzzleBlunder`, the puzzle begins after that move.
    """
    game = set_up_game(raw)
    tags, position = game.headers, game.start
    solution = [move.uci() for move in game.moves]
    if "PuzzleBefore" in tags and "PuzzleBlunder" in tags:
        position = after_blunder(tags["PuzzleBefore"], tags["PuzzleBlunder"])
        if position.epd() != game.start.epd():
            raise TableError("PuzzleBlunder does not lead to the set-up position")
    elif solution[0] == tags.get("PuzzleBlunder"):
        position = after_blunder(position.fen(), solution.pop(0))
    parsed = parsed_puzzle(
        position,
        solution,
        SOURCE,
        tags.get("PuzzleSourceId") or game.header("PuzzleId"),
        facts={name: tags[f"Puzzle{name}"] for name in FACTS if f"Puzzle{name}" in tags},
    )
    parsed.puzzle.game = _game_row(game)
    return parsed


def _game_row(game: PlayedGame) -> Game | None:
    """Return the game of the puzzle, if the players or the key are known."""
    row, tags = game.row(), game.headers
    if _GAME_KEY.fullmatch(tags.get("GameKey", "")):
        for tag, column in _OF_THE_GAME.items():
            setattr(row, column, tags.get(tag, ""))
        row.date = game.header("Date")
        return row
    return row if row.white or row.black else None


def _game(puzzle: Puzzle) -> chess.pgn.Game:
    """Return a game that begins with the puzzle."""
    game = chess.pgn.Game()
    game.setup(puzzle.position())
    _add_solution(game, puzzle)
    _add_headers(game, puzzle)
    return game


def _chapter(puzzle: Puzzle) -> chess.pgn.Game:
    """Return a game that begins with the move before the puzzle, if known, and ends with the reasons."""
    game = chess.pgn.Game()
    opponents = puzzle.opponents_move()
    start: chess.pgn.GameNode = game
    if opponents is None:
        game.setup(puzzle.position())
    else:
        before, blunder = opponents
        game.setup(before)
        start = game.add_variation(blunder, nags=[chess.pgn.NAG_BLUNDER])
    _add_solution(start, puzzle)
    game.end().comment = why(puzzle)
    _add_headers(game, puzzle)
    game.headers.pop("PuzzleBefore", None)
    # This is shown beside the board, so it must not name the motif.
    game.headers["ChapterName"] = f"Puzzle {puzzle.id}: {to_move(puzzle.position())}"
    return game


def _add_solution(start: chess.pgn.GameNode, puzzle: Puzzle) -> None:
    best, *others = puzzle.moves()
    node = start.add_variation(best, nags=[chess.pgn.NAG_GOOD_MOVE])
    for move in others:
        node = node.add_variation(move)
    for move in puzzle.accepted_moves():
        if move != best:
            start.add_variation(move, nags=[chess.pgn.NAG_GOOD_MOVE])


def _add_headers(game: chess.pgn.Game, puzzle: Puzzle) -> None:
    game.headers.update(pgn_headers(puzzle.game))
    # The solution is not how the game continued.
    game.headers["Result"] = "*"
    game.headers["Event"] = f"Puzzle {puzzle.id}"
    if puzzle.game_url:
        game.headers["Site"] = header_text(puzzle.game_url)
    tags = {
        "PuzzleId": puzzle.id,
        "PuzzleSourceId": puzzle.source_id,
        "PuzzleBefore": puzzle.fen if puzzle.blunder else "",
        "PuzzleBlunder": puzzle.blunder,
        **{f"Puzzle{name}": text for name, text in facts_of(puzzle).items()},
    }
    if puzzle.game is not None:
        tags |= {tag: getattr(puzzle.game, column) for tag, column in _OF_THE_GAME.items()}
    game.headers.update({tag: header_text(text) for tag, text in tags.items() if text})


read = Reader(games_of, _puzzle)
