from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from filelock import FileLock

from chess_motif.errors import ArchiveError, DownloadError, InputError
from chess_motif.progress import Progress
from puzzlegen.games import online as module
from puzzlegen.games.accounts import Account
from puzzlegen.games.archive import open_archive
from puzzlegen.games.online import GameFile, download_games
from puzzlegen.games.pgn import usable_games
from puzzlegen.games.split import split_games
from tests.helpers.game_servers import USER, Lichess, Reply, lichess_game
from tests.helpers.recording_progress import RecordingProgress

ACCOUNT = Account("lichess", USER)
SEVERAL = 1200


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / f"lichess-{USER}.pgn"


def download(
    server: Lichess,
    file: Path,
    since: date | None = None,
    progress: Progress | None = None,
    timeout: float = 10,
) -> list[Path]:
    site = server.site("lichess.org", timeout)
    return download_games(ACCOUNT, file.parent, since, progress or Progress(), site)


def written(games: Iterable[bytes]) -> bytes:
    return b"".join(game.strip() + b"\n\n" for game in games)


def milliseconds(at: datetime) -> str:
    return str(int(at.timestamp()) * 1000)


def test_all_games_are_downloaded(lichess: Lichess, file: Path) -> None:
    assert download(lichess, file) == [file]
    assert file.read_bytes() == written(lichess.games)


def test_the_file_can_be_mined(lichess: Lichess, file: Path) -> None:
    download(lichess, file)
    with open_archive(str(file)) as archive:
        assert len(list(usable_games(split_games(archive.chunks())))) == len(lichess.games)


def test_standard_games_are_asked_for_with_clocks_and_evaluations(lichess: Lichess, file: Path) -> None:
    download(lichess, file)
    assert lichess.requests[0].query == {
        "sort": "dateAsc",
        "perfType": "ultraBullet,bullet,blitz,rapid,classical,correspondence",
        "clocks": "true",
        "evals": "true",
        "opening": "true",
    }


def test_games_are_asked_for_since_a_day(lichess: Lichess, file: Path) -> None:
    download(lichess, file, date(2024, 1, 4))
    assert lichess.requests[0].query["since"] == milliseconds(datetime(2024, 1, 4, tzinfo=UTC))


def test_an_account_without_games_has_no_file(lichess: Lichess, file: Path) -> None:
    lichess.games = []
    assert download(lichess, file) == []
    assert list(file.parent.glob("*pgn*")) == []


def test_an_unknown_user(lichess: Lichess, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lichess\.org has no user 'nobody'"):
        download_games(Account("lichess", "nobody"), tmp_path, None, Progress(), lichess.site("lichess.org"))


def test_progress_counts_games(lichess: Lichess, file: Path) -> None:
    progress = RecordingProgress()
    download(lichess, file, progress=progress)
    assert progress.updates == list(range(1, len(lichess.games) + 1))


def test_newer_games_are_added_later(lichess: Lichess, file: Path) -> None:
    games, lichess.games = lichess.games, lichess.games[:5]
    download(lichess, file)
    lichess.games = games
    download(lichess, file)
    assert file.read_bytes() == written(games)


def test_later_only_newer_games_are_asked_for(lichess: Lichess, file: Path) -> None:
    download(lichess, file)
    download(lichess, file)
    assert lichess.requests[1].query["since"] == milliseconds(datetime(2024, 1, 9, tzinfo=UTC))


def test_any_number_of_connections_may_break_if_games_come(lichess: Lichess, file: Path) -> None:
    lichess.games = [lichess_game(day, datetime(2024, 1, day, tzinfo=UTC)) for day in range(1, 20)]
    lichess.faults = [Reply(cut=SEVERAL) for _ in range(5)]
    download(lichess, file)
    assert file.read_bytes() == written(lichess.games)


def test_an_answer_that_seems_whole_may_end_with_half_a_game(lichess: Lichess, file: Path) -> None:
    lichess.faults = [Reply(body=b"".join(lichess.games)[:SEVERAL])]
    download(lichess, file)
    assert file.read_bytes() == written(lichess.games)


def test_what_came_before_an_error_stays(lichess: Lichess, file: Path) -> None:
    lichess.faults = [Reply(cut=SEVERAL), *(Reply(503) for _ in range(3))]
    with pytest.raises(DownloadError):
        download(lichess, file)
    download(lichess, file)
    assert file.read_bytes() == written(lichess.games)


def test_a_server_that_falls_silent_is_asked_again(lichess: Lichess, file: Path) -> None:
    lichess.faults = [Reply(cut=SEVERAL, hangs=True)]
    progress = RecordingProgress()
    download(lichess, file, progress=progress, timeout=0.2)
    assert progress.notices == ["lichess.org: the connection failed: timed out; trying again in 0 seconds"]


def test_a_server_that_sends_byte_by_byte_is_asked_again(lichess: Lichess, file: Path) -> None:
    lichess.faults = [Reply(pause=0.01)]
    progress = RecordingProgress()
    download(lichess, file, progress=progress, timeout=0.5)
    assert progress.notices == ["lichess.org: the connection failed: too slow; trying again in 0 seconds"]
    assert file.read_bytes() == written(lichess.games)


def test_stopping_does_not_wait_for_a_silent_server(lichess: Lichess, file: Path) -> None:
    lichess.faults = [Reply(cut=SEVERAL, hangs=True)]
    end = time.monotonic() + 0.5
    progress = RecordingProgress(stop=lambda progress: time.monotonic() > end)
    download(lichess, file, progress=progress, timeout=60)
    # The server would fall silent for ten seconds.
    assert time.monotonic() - end < 5


@pytest.mark.parametrize("encoding", ["gzip", "gzip, gzip", "deflate", "br", "zstd"])
def test_compressed_answers_are_refused(encoding: str, lichess: Lichess, file: Path) -> None:
    lichess.faults = [Reply(headers={"Content-Encoding": encoding})]
    with pytest.raises(DownloadError, match=r"^lichess.org: sends a compressed answer$"):
        download(lichess, file)
    assert lichess.requests[0].headers["Accept-Encoding"] == "identity"


def test_games_for_ever_are_an_error(lichess: Lichess, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_GAMES", 1000)
    with pytest.raises(DownloadError, match="sends more than 1,000 bytes"):
        download(lichess, file)


def test_a_rate_limit_is_waited_for(lichess: Lichess, file: Path) -> None:
    lichess.faults = [Reply(429)]
    progress = RecordingProgress()
    download(lichess, file, progress=progress)
    assert progress.notices == ["lichess.org: allows no more requests for now; trying again in 0 seconds"]


def test_as_long_as_the_site_says(lichess: Lichess, file: Path) -> None:
    lichess.faults = [Reply(429, headers={"Retry-After": "77"})]
    progress = RecordingProgress(stop=lambda progress: bool(progress.notices))
    download(lichess, file, progress=progress)
    assert progress.notices == ["lichess.org: allows no more requests for now; trying again in 77 seconds"]


@pytest.mark.parametrize("status", [500, 503])
def test_a_server_error_may_pass(status: int, lichess: Lichess, file: Path) -> None:
    lichess.faults = [Reply(status, b"sorry"), Reply(status, b"sorry")]
    assert download(lichess, file) == [file]


HTML = b"<html>\n<body>\n<p>Under maintenance</p>\n</body>\n</html>\n"
# What a server may do, and what is said of it. Three failures in a row are too many.
FAILURES = {
    "broken connections": (3, Reply(cut=100), "the connection failed: .*; the same command resumes"),
    "too many requests": (3, Reply(429), "allows no more requests for now; the same command resumes"),
    "server errors": (3, Reply(503), "answers 503 Service Unavailable; the same"),
    "games without a time": (3, Reply(body=b'[Event "A"]\n\n1. e4 *\n\n'), "sends half a game"),
    "another answer": (1, Reply(403), "answers 403 Forbidden$"),
    "HTML": (1, Reply(body=HTML), "sends something other than PGN$"),
    "JSON": (1, Reply(body=b'{"error": "no"}'), "sends something other than PGN$"),
    "bytes": (1, Reply(body=bytes(range(256)) * 8000), "sends something other than PGN$"),
    "a redirect": (1, Reply(302, headers={"Location": "/elsewhere"}), "answers 302 Found"),
    "a redirect to no address": (1, Reply(302, headers={"Location": "e:+"}), "answers 302 Found"),
    "a redirect to no host": (1, Reply(302, headers={"Location": ":a:~~"}), "answers 302 Found"),
}


@pytest.mark.parametrize(("times", "fault", "said"), FAILURES.values(), ids=FAILURES)
def test_what_a_server_may_do_is_an_error(
    times: int, fault: Reply, said: str, lichess: Lichess, file: Path
) -> None:
    lichess.faults = [replace(fault) for _ in range(times)]
    with pytest.raises(DownloadError, match=rf"^lichess\.org: {said}"):
        download(lichess, file)


def test_a_token_that_is_not_accepted(lichess: Lichess, file: Path) -> None:
    lichess.faults = [Reply(401, b"No such token")]
    with pytest.raises(InputError, match="does not accept the token in LICHESS_TOKEN"):
        download(lichess, file)


def test_stopping_keeps_what_came(lichess: Lichess, file: Path) -> None:
    download(lichess, file, progress=RecordingProgress(stop=lambda progress: len(progress.updates) == 3))
    assert file.read_bytes() == written(lichess.games[:3])


def test_a_pause_ends_when_it_is_time_to_stop(lichess: Lichess, file: Path) -> None:
    lichess.faults = [Reply(503, headers={"Retry-After": "600"})]
    progress = RecordingProgress(stop=lambda progress: bool(progress.notices))
    assert download(lichess, file, progress=progress) == []


def test_half_a_game_in_the_file_is_cut_off(lichess: Lichess, file: Path) -> None:
    whole = written(lichess.games[:3])
    for cut in range(len(whole)):
        file.write_bytes(whole[:cut])
        games = GameFile(file)
        assert file.read_bytes() == written(lichess.games[: games.count])
        assert games.count >= whole[:cut].count(b"1-0\n\n[Event ")


@pytest.mark.parametrize("cut", [10, 500, 1200, 2500])
def test_a_download_that_was_killed_goes_on(cut: int, lichess: Lichess, file: Path) -> None:
    download(lichess, file)
    file.write_bytes(file.read_bytes()[:cut])
    download(lichess, file)
    assert file.read_bytes() == written(lichess.games)


def test_a_file_with_other_text_is_left_alone(lichess: Lichess, file: Path) -> None:
    download(lichess, file)
    text = file.read_bytes().replace(b'[UTCTime "00:00:00"]\n', b"", 1)
    file.write_bytes(text)
    with pytest.raises(ArchiveError, match="has other text at byte 0; move the file elsewhere"):
        download(lichess, file)
    assert file.read_bytes() == text


def test_earlier_games_are_downloaded_too(lichess: Lichess, file: Path) -> None:
    download(lichess, file, date(2024, 1, 4))
    download(lichess, file, date(2024, 1, 2))
    assert file.read_bytes() == written(lichess.games[1:])


@pytest.mark.parametrize("fault", [Reply(404, b"Not found"), Reply(200, b"<html>")])
def test_a_failure_to_download_earlier_games_loses_nothing(
    fault: Reply, lichess: Lichess, file: Path
) -> None:
    download(lichess, file, date(2024, 1, 4))
    before = file.read_bytes()
    lichess.faults = [fault]
    with pytest.raises((InputError, DownloadError)):
        download(lichess, file)
    assert file.read_bytes() == before
    download(lichess, file)
    assert file.read_bytes() == written(lichess.games)


def test_a_download_of_earlier_games_that_was_stopped_goes_on(lichess: Lichess, file: Path) -> None:
    download(lichess, file, date(2024, 1, 4))
    before = file.read_bytes()
    stopped = RecordingProgress(stop=lambda progress: len(progress.updates) == 2)
    assert download(lichess, file, progress=stopped) == [file]
    assert file.read_bytes() == before
    download(lichess, file)
    assert file.read_bytes() == written(lichess.games)
    assert lichess.requests[-1].query["since"] == milliseconds(datetime(2024, 1, 2, tzinfo=UTC))


def test_games_that_the_site_no_longer_has_stay(lichess: Lichess, file: Path) -> None:
    download(lichess, file, date(2024, 1, 4))
    games, lichess.games = lichess.games, lichess.games[:-1]
    download(lichess, file)
    assert file.read_bytes() == written(games)


def test_games_are_not_downloaded_twice_at_once(lichess: Lichess, file: Path) -> None:
    with (
        FileLock(file.with_suffix(".lock")),
        pytest.raises(InputError, match=f"{USER} are being downloaded by another process$"),
    ):
        download(lichess, file)


def test_a_later_day_leaves_the_file_without_gaps(lichess: Lichess, file: Path) -> None:
    games, lichess.games = lichess.games, lichess.games[:2]
    download(lichess, file)
    lichess.games = games
    download(lichess, file, date(2024, 1, 8))
    assert file.read_bytes() == written(games)


def test_without_notes_a_file_may_lack_anything(lichess: Lichess, file: Path) -> None:
    download(lichess, file, date(2024, 1, 4))
    file.with_suffix(".json").write_bytes(b"\xff{")
    download(lichess, file, date(2024, 1, 4))
    assert "since" in lichess.requests[1].query
    assert lichess.requests[1].query == lichess.requests[0].query


def test_a_game_that_took_long_is_not_missed(lichess: Lichess, file: Path) -> None:
    download(lichess, file)
    began = datetime(2024, 1, 2, tzinfo=UTC)
    lichess.games.append(lichess_game(9, began, began + timedelta(days=30)))
    download(lichess, file)
    assert file.read_bytes() == written(lichess.games)


def test_no_token_is_sent_if_none_is_set(lichess: Lichess, file: Path) -> None:
    download(lichess, file)
    assert "Authorization" not in lichess.requests[0].headers


def test_the_token_is_sent(lichess: Lichess, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LICHESS_TOKEN", "lip_secret\n")
    download(lichess, file)
    assert lichess.requests[0].headers["Authorization"] == "Bearer lip_secret"


def test_what_cannot_be_a_token(lichess: Lichess, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LICHESS_TOKEN", "secret\r\nHost: other")
    with pytest.raises(InputError, match=r"^LICHESS_TOKEN does not hold a token$"):
        download(lichess, file)


def test_requests_say_who_asks(lichess: Lichess, file: Path) -> None:
    download(lichess, file)
    assert lichess.requests[0].headers["User-Agent"].startswith("chess-motif/")
