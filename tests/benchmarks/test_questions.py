"""Which positions of an archive choosers are asked about."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import chess
import chess.pgn
import pytest

from benchmarks.questions import FIRST_PLY, Question, sample_questions
from chess_motif.errors import ArchiveError, InputError
from puzzlegen.games.archive import open_archive
from tests.helpers.archived_games import random_moves
from tests.helpers.recording_progress import RecordingProgress
from tests.helpers.sample_games import pgn


def game(number: int, plies: int = 60) -> str:
    """Return a game of random moves; each number is another game."""
    board = chess.Board()
    moves = [chess.Move.from_uci(uci) for uci in random_moves(number).split()[:plies]]
    return pgn(board.variation_san(moves), White=f"White {number}", WhiteElo="2100", BlackElo="?")


GAMES = [game(number) for number in range(20)]


@pytest.fixture
def sample(tmp_path: Path) -> Sampler:
    return Sampler(tmp_path / "games.pgn")


class Sampler:
    """Samples the questions of games, given as PGN."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __call__(self, games: Sequence[str], count: int, seed: int = 0, **options: object) -> list[Question]:
        self._file.write_text("".join(games))
        with open_archive(str(self._file)) as archive:
            return sample_questions(archive, count, seed, **options)  # type: ignore[arg-type]


def asked(questions: Sequence[Question]) -> list[tuple[str, int]]:
    return [(question.key, question.ply) for question in questions]


def moves_of(text: str) -> list[chess.Move]:
    parsed = chess.pgn.read_game(io.StringIO(text))
    assert parsed is not None
    return [*parsed.mainline_moves()]


def test_one_position_of_each_game(sample: Sampler) -> None:
    assert len({question.key for question in sample(GAMES, 20)}) == 20


def test_as_many_as_are_wanted(sample: Sampler) -> None:
    assert len(sample(GAMES, 7)) == 7


def test_as_many_as_there_are(sample: Sampler) -> None:
    assert len(sample(GAMES[:3], 7)) == 3


def test_the_move_is_that_of_the_game_after_the_moves_before(sample: Sampler) -> None:
    (question,) = sample(GAMES[:1], 1)
    assert [*question.board.move_stack, question.move] == moves_of(GAMES[0])[: question.ply + 1]


def test_a_position_has_plies_before_it_and_a_move_after_it(sample: Sampler) -> None:
    short = [game(number, FIRST_PLY + 1) for number in range(20)]
    assert {question.ply for question in sample(short, 20)} == {FIRST_PLY}


def test_a_game_that_ends_before_is_left_out(sample: Sampler) -> None:
    assert len(sample([game(0, FIRST_PLY), *GAMES[1:3]], 3)) == 2


def test_the_ratings_of_the_players_are_known_or_not(sample: Sampler) -> None:
    (question,) = sample(GAMES[:1], 1)
    assert (question.white_elo, question.black_elo) == (2100, None)


def test_the_elo_is_that_of_the_player_to_move(sample: Sampler) -> None:
    for question in sample(GAMES, 20):
        assert question.elo == (2100 if question.ply % 2 == 0 else None)


def test_a_seed_gives_the_same_again(sample: Sampler) -> None:
    assert asked(sample(GAMES, 5, seed=3)) == asked(sample(GAMES, 5, seed=3))


def test_another_seed_gives_others(sample: Sampler) -> None:
    assert asked(sample(GAMES, 5, seed=3)) != asked(sample(GAMES, 5, seed=4))


def test_the_order_of_the_games_does_not_matter(sample: Sampler) -> None:
    assert asked(sample(GAMES, 5)) == asked(sample(GAMES[::-1], 5))


def test_a_smaller_sample_is_the_beginning_of_a_larger_one(sample: Sampler) -> None:
    assert asked(sample(GAMES, 5)) == asked(sample(GAMES, 9))[:5]


def test_a_game_that_occurs_again_is_asked_about_once(sample: Sampler) -> None:
    again = [text.replace("1. ", "{once more} 1. ", 1) for text in GAMES]
    assert len(sample([*GAMES, *again], 40)) == 20


def test_a_position_in_memory_is_not_asked_about(sample: Sampler) -> None:
    known = {question.board.epd() for question in sample(GAMES, 20)}
    questions = sample(GAMES, 20, in_memory=lambda board: board.epd() in known)
    assert len(questions) == 20
    assert known.isdisjoint(question.board.epd() for question in questions)


def test_a_game_whose_positions_are_all_in_memory_is_left_out(sample: Sampler) -> None:
    known = moves_of(GAMES[0])[0]
    left = [text for text in GAMES if moves_of(text)[0] != known]
    questions = sample(GAMES, 20, in_memory=lambda board: board.move_stack[0] == known)
    assert len(questions) == len(left)


def test_a_known_game_is_left_out(sample: Sampler) -> None:
    known = {question.key for question in sample(GAMES, 5)}
    questions = sample(GAMES, 20, known_game=known.__contains__)
    assert len(questions) == 15
    assert known.isdisjoint(question.key for question in questions)


def test_a_game_that_cannot_be_used_is_left_out(sample: Sampler) -> None:
    broken = pgn("1. e4 e5 2. Ke7 Nf6 3. d4 d5 4. c4 c5 5. b4 b5 6. a4 a5 7. h4 h5")
    assert len(sample([broken, *GAMES[:2]], 3)) == 2


def test_without_a_game_there_is_nothing_to_ask(sample: Sampler) -> None:
    with pytest.raises(InputError, match="no game has a position"):
        sample([game(0, 3)], 1)


def test_a_damaged_archive_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn.zst"
    file.write_bytes(b"\x28\xb5\x2f\xfd damaged")
    with open_archive(str(file)) as archive, pytest.raises(ArchiveError):
        sample_questions(archive, 1)


def test_progress_is_in_bytes_of_the_file(tmp_path: Path) -> None:
    file, progress = tmp_path / "games.pgn", RecordingProgress()
    file.write_text("".join(GAMES))
    with open_archive(str(file)) as archive:
        sample_questions(archive, 1, progress=progress)
    assert progress.updates[-1] == file.stat().st_size


def test_memory_does_not_grow_with_the_archive(tmp_path: Path) -> None:
    def peak(games: int) -> int:
        file = tmp_path / "games.pgn"
        file.write_text("".join(GAMES[0].replace("White 0", str(number)) for number in range(games)))
        tracemalloc.start()
        with open_archive(str(file)) as archive:
            sample_questions(archive, 3)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    # Archives are read in pieces of a megabyte, of which these have 4 and 12.
    assert peak(30_000) < 1.2 * peak(10_000)
