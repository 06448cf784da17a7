from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from chess_motif.errors import DownloadError, InputError
from chess_motif.progress import Progress
from puzzlegen.games import online as module
from puzzlegen.games.accounts import Account
from puzzlegen.games.online import download_games
from tests.helpers.game_servers import USER, Chesscom, Reply, chesscom_game
from tests.helpers.recording_progress import RecordingProgress

ACCOUNT = Account("chesscom", USER)


def download(
    server: Chesscom, folder: Path, since: date | None = None, progress: Progress | None = None
) -> list[Path]:
    return download_games(ACCOUNT, folder, since, progress or Progress(), server.site("chess.com"))


def file_of(folder: Path, month: str) -> Path:
    return folder / f"chesscom-{USER}-{month.replace('/', '-')}.pgn"


def test_each_month_has_a_file(chesscom: Chesscom, tmp_path: Path) -> None:
    files = download(chesscom, tmp_path)
    assert {file: file.read_bytes() for file in files} == {
        file_of(tmp_path, month): games for month, games in chesscom.months.items()
    }


def test_files_are_in_order_whatever_the_list_is(chesscom: Chesscom, tmp_path: Path) -> None:
    chesscom.months = dict(reversed(chesscom.months.items()))
    files = download(chesscom, tmp_path)
    assert files == sorted(files)


def test_a_month_that_is_listed_twice_is_asked_for_once(chesscom: Chesscom, tmp_path: Path) -> None:
    chesscom.addresses = [f"{chesscom.player}/2020/01"]
    download(chesscom, tmp_path)
    assert chesscom.asked() == list(chesscom.months)


def test_months_before_the_day_are_not_asked_for(chesscom: Chesscom, tmp_path: Path) -> None:
    download(chesscom, tmp_path, date(2020, 11, 30))
    assert chesscom.asked() == list(chesscom.months)[1:]


def test_earlier_months_are_downloaded_too(chesscom: Chesscom, tmp_path: Path) -> None:
    download(chesscom, tmp_path, date(2020, 11, 1))
    assert download(chesscom, tmp_path)[0] == file_of(tmp_path, "2020/01")


def test_progress_counts_months(chesscom: Chesscom, tmp_path: Path) -> None:
    progress = RecordingProgress()
    download(chesscom, tmp_path, progress=progress)
    assert progress.updates == [1, 2, 3]


def test_a_month_without_games_is_no_file_to_read(chesscom: Chesscom, tmp_path: Path) -> None:
    chesscom.months["2020/11"] = b""
    assert file_of(tmp_path, "2020/11") not in download(chesscom, tmp_path)


@pytest.mark.parametrize("status", [404, 410])
def test_an_unknown_user(status: int, chesscom: Chesscom, tmp_path: Path) -> None:
    chesscom.faults = [Reply(status, b'{"code": 0}')]
    with pytest.raises(InputError, match=rf"^chess\.com has no user '{USER}'$"):
        download(chesscom, tmp_path)


def test_months_that_ended_are_asked_for_once(chesscom: Chesscom, tmp_path: Path) -> None:
    download(chesscom, tmp_path)
    chesscom.requests.clear()
    download(chesscom, tmp_path)
    assert chesscom.asked() == list(chesscom.months)[2:]


def test_a_month_that_ended_and_was_removed_is_asked_for_again(chesscom: Chesscom, tmp_path: Path) -> None:
    download(chesscom, tmp_path)[0].unlink()
    assert file_of(tmp_path, "2020/01") in download(chesscom, tmp_path)


def test_this_month_is_not_sent_again(chesscom: Chesscom, tmp_path: Path) -> None:
    files = download(chesscom, tmp_path)
    chesscom.requests.clear()
    assert download(chesscom, tmp_path) == files
    assert "If-None-Match" in chesscom.requests[-1].headers


def test_this_month_is_sent_again_if_it_grew(chesscom: Chesscom, tmp_path: Path) -> None:
    download(chesscom, tmp_path)
    this_month = list(chesscom.months)[-1]
    chesscom.months[this_month] += chesscom_game(99)
    assert download(chesscom, tmp_path)[-1].read_bytes() == chesscom.months[this_month]


@pytest.mark.parametrize(
    ("now", "settled"),
    [
        pytest.param(datetime(2024, 12, 31, tzinfo=UTC), False, id="in the month"),
        pytest.param(datetime(2025, 1, 2, 23, tzinfo=UTC), False, id="just after"),
        pytest.param(datetime(2025, 1, 3, tzinfo=UTC), True, id="later"),
    ],
)
def test_a_month_may_change_just_after_its_end(now: datetime, settled: bool) -> None:
    assert module._settled("2024-12", now) is settled


def test_damaged_notes_are_no_notes(chesscom: Chesscom, tmp_path: Path) -> None:
    files = download(chesscom, tmp_path)
    (tmp_path / f"chesscom-{USER}.json").write_text('{"2020-01": 7')
    assert download(chesscom, tmp_path) == files


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("http://127.0.0.1:1/pub/player/some-user/games/2020/01", id="another server"),
        pytest.param("{url}/pub/player/another/games/2020/01", id="another player"),
        pytest.param("{player}/../../../2020/01", id="upwards"),
        pytest.param("{player}/2020/01/../../x", id="upwards from a month"),
        pytest.param("{player}/2020/13", id="no such month"),
        pytest.param("{player}/2020/01?x=1", id="with a query"),
        pytest.param("{url}@127.0.0.1:1/pub/player/some-user/games/2020/01", id="our address as a user name"),
        pytest.param("file:///etc/passwd", id="a file"),
    ],
)
def test_other_addresses_are_refused(address: str, chesscom: Chesscom, tmp_path: Path) -> None:
    chesscom.addresses = [address.format(url=chesscom.url, player=chesscom.player)]
    with pytest.raises(DownloadError, match=r"^chess\.com: lists something other than months of the player$"):
        download(chesscom, tmp_path)
    assert chesscom.asked() == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<html>", id="HTML"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"archives": [7]}', id="numbers"),
        pytest.param(b'{"archives": "2020"}', id="a text"),
        pytest.param(b"[" * 100_000, id="very deep"),
        pytest.param(b'{"archives": ["\xff"]}', id="not UTF-8"),
    ],
)
def test_what_is_not_a_list_of_months_is_an_error(body: bytes, chesscom: Chesscom, tmp_path: Path) -> None:
    chesscom.faults = [Reply(body=body)]
    with pytest.raises(DownloadError, match=r"^chess\.com: sends an unreadable list of months$"):
        download(chesscom, tmp_path)


@pytest.mark.parametrize("limit", ["MOST_LIST", "MOST_MONTH"])
def test_an_answer_that_is_too_long(
    limit: str, chesscom: Chesscom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, limit, 100)
    with pytest.raises(DownloadError, match="sends more than 100 bytes"):
        download(chesscom, tmp_path)
    assert list(tmp_path.glob("*pgn*")) == []


def test_a_broken_connection_leaves_no_part_of_a_month(chesscom: Chesscom, tmp_path: Path) -> None:
    chesscom.faults = [chesscom.reply_to_list(), *(Reply(cut=400) for _ in range(3))]
    with pytest.raises(DownloadError, match="the connection failed"):
        download(chesscom, tmp_path)
    assert list(tmp_path.glob("*pgn*")) == []


def test_a_broken_connection_is_made_again(chesscom: Chesscom, tmp_path: Path) -> None:
    chesscom.faults = [Reply(cut=10), chesscom.reply_to_list(), Reply(cut=400)]
    assert download(chesscom, tmp_path)[0].read_bytes() == chesscom.months["2020/01"]


def test_months_before_an_error_stay(chesscom: Chesscom, tmp_path: Path) -> None:
    december = chesscom.months.pop("2020/11")
    chesscom.addresses = [f"{chesscom.player}/2020/11"]
    with pytest.raises(DownloadError, match="answers 404 Not Found"):
        download(chesscom, tmp_path)
    chesscom.requests.clear()
    chesscom.months["2020/11"] = december
    download(chesscom, tmp_path)
    assert "2020/01" not in chesscom.asked()


def test_stopping_keeps_the_months_that_came(chesscom: Chesscom, tmp_path: Path) -> None:
    progress = RecordingProgress(stop=lambda progress: bool(progress.updates))
    assert download(chesscom, tmp_path, progress=progress) == [file_of(tmp_path, "2020/01")]


def test_the_token_of_lichess_is_not_sent(
    chesscom: Chesscom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LICHESS_TOKEN", "lip_secret")
    download(chesscom, tmp_path)
    assert [request for request in chesscom.requests if "lip_secret" in str(request.headers)] == []
