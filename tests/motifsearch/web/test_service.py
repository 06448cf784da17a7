"""The page as a service for others: who is let in, how much they may ask, and what is counted."""

from __future__ import annotations

import json
import mimetypes
import re
import socket
from pathlib import Path
from urllib.parse import urljoin

import pytest
from httpx2 import Client
from prometheus_client.parser import text_string_to_metric_families

from chess_motif.logs import logging_to
from db.store import Store
from motifsearch.web.access import LARGEST_REQUEST, Access
from motifsearch.web.assets import ADDRESS
from motifsearch.web.shared_engine import EngineBusyError, SharedEngine
from tests.motifsearch.web.conftest import BACK_RANK, TOKEN, served


@pytest.mark.parametrize("path", ["/", "/search", "/metrics", "/docs", "/openapi.json", "/nothing"])
def test_nothing_is_shown_without_the_token(guarded: Client, path: str) -> None:
    assert guarded.get(path).status_code == 401
    assert guarded.get(path, params={"token": "open-sesam"}).status_code == 401


def test_whether_the_page_is_there_is_said_to_anybody(guarded: Client) -> None:
    assert guarded.get("/healthz").text == "ok\n"


def test_a_link_with_the_token_lets_in_for_good(guarded: Client) -> None:
    first = guarded.get("/search", params={"find": "3", "token": TOKEN})
    assert first.headers["Location"] == "/search?find=3"
    assert guarded.get("/search").status_code == 200


def test_a_program_shows_the_token_in_a_header(guarded: Client) -> None:
    assert guarded.get("/search", headers={"Authorization": f"bearer {TOKEN}"}).status_code == 200
    assert guarded.get("/search", headers={"Authorization": TOKEN}).status_code == 401


def test_a_program_is_told_in_json_that_it_needs_the_token(guarded: Client) -> None:
    assert "Authorization: Bearer" in guarded.get("/search.json").json()["error"]


def test_who_has_the_token_may_use_any_name(guarded: Client) -> None:
    headers = {"Host": "puzzles.example", "Authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/", headers=headers).status_code == 200


def test_a_proxy_asks_by_a_name_that_was_given(sqlite_store: Store, tmp_path: Path) -> None:
    access = Access(names=("puzzles.example",))
    with served(sqlite_store, tmp_path, access) as address, Client(base_url=address) as client:
        assert client.get("/", headers={"Host": "puzzles.example"}).status_code == 200
        assert client.get("/").status_code == 421


def test_a_request_that_is_too_large_is_not_read(client: Client) -> None:
    address = ("127.0.0.1", client.base_url.port)
    with socket.create_connection(address) as connection:
        head = f"POST /games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {LARGEST_REQUEST + 1}\r\n\r\n"
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_a_request_that_does_not_say_how_long_it_is_is_refused(client: Client) -> None:
    assert client.post("/games", content=iter([b"x"])).status_code == 411


def test_searches_of_a_client_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motifsearch.web.shared_engine.MOST_SEARCHES", 2)
    engine = SharedEngine()
    for _ in range(2):
        with engine.turn("one"):
            pass
    with pytest.raises(EngineBusyError) as raised, engine.turn("one"):
        pass
    assert 1 <= raised.value.seconds <= 61
    with engine.turn("another"):
        pass


def test_nothing_is_searched_for_a_client_that_has_gone() -> None:
    engine = SharedEngine()
    with pytest.raises(EngineBusyError, match="nobody waits"), engine.turn("one", lambda: True):
        pass


def test_who_asks_too_often_is_told_when_to_come_back(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("motifsearch.web.shared_engine.SharedEngine._count", _refuse)
    answer = client.get("/search", params={"q": BACK_RANK[1]})
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "7"


def _refuse(engine: SharedEngine, client: str) -> None:
    raise EngineBusyError("you have asked for many searches", 7)


def test_requests_are_counted(client: Client) -> None:
    client.get("/puzzles/backrank")
    client.get("/puzzles/nothing")
    client.request("BREW", "/puzzles/backrank")
    families = {each.name: each for each in text_string_to_metric_families(client.get("/metrics").text)}
    counts = {
        (sample.labels["method"], sample.labels["status"]): sample.value
        for sample in families["chess_motif_request_seconds"].samples
        if sample.name.endswith("_count") and sample.labels["route"] == "/puzzles/{name}"
    }
    assert counts[("GET", "200")] == counts[("GET", "404")] == 1
    assert families["chess_motif_puzzles"].samples[0].value == 0


def test_each_request_is_a_line_of_the_log_without_the_token(guarded: Client, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with logging_to(log):
        guarded.get("/search", params={"find": "3", "token": TOKEN})
        guarded.get("/search", params={"find": "3"}, headers={"User-Agent": "a\tb"})
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["status"] for line in lines] == [303, 200]
    assert [line["path"] for line in lines] == ["/search", "/search?find=3"]
    assert TOKEN not in log.read_text()


def test_what_a_page_loads_is_kept_by_the_browser(client: Client) -> None:
    assert f"{ADDRESS}/page.js" in client.get("/").text
    answer = client.get(f"{ADDRESS}/page.js")
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert "Cache-Control" not in client.get("/static/earlier/page.js").headers


def test_scripts_are_scripts_whatever_windows_has_registered(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    mimetypes.init()
    monkeypatch.setitem(mimetypes.types_map, ".js", "text/plain")
    assert client.get(f"{ADDRESS}/page.js").headers["Content-Type"].startswith("text/javascript")


def test_the_reference_names_what_can_be_asked(client: Client) -> None:
    shown = client.get("/docs").text
    for path, operations in client.get("/openapi.json").json()["paths"].items():
        for method in operations:
            assert f"{method.upper()} {path}" in shown


def test_the_reference_says_what_each_value_means(client: Client) -> None:
    described = client.get("/openapi.json").json()
    bodies = [each for name, each in described["components"]["schemas"].items() if name.startswith("Body_")]
    values = [one for body in bodies for one in body["properties"].items()]
    for operations in described["paths"].values():
        for operation in operations.values():
            values += [(one["name"], one) for one in operation.get("parameters", ())]
    assert values
    assert [name for name, value in values if not value.get("description")] == []


def test_the_description_for_programs_refuses_other_methods_in_json(client: Client) -> None:
    refused = client.put("/openapi.json")
    assert refused.status_code == 405
    assert "error" in refused.json()


def weigh(page: str) -> list[tuple[str, int, int]]:
    """Return what a screen loads: the name of each file, its bytes as sent, and unpacked."""
    found = []
    with Client(timeout=60) as client:
        waiting = [page]
        for address in waiting:
            with client.stream("GET", address) as answer:
                content = answer.read()
                found.append((address.rpartition("/")[2], answer.num_bytes_downloaded, len(content)))
            for name in re.findall(r'(?:href|src|from) ?=?"(/static/[^"]+|\./[^"]+)"', content.decode()):
                other = urljoin(address, name)
                if other not in waiting:
                    waiting.append(other)
    return found


def test_solving_loads_little(client: Client) -> None:
    solving = client.post("/rounds", data={"id": "backrank"}).headers["Location"]
    files = weigh(str(client.base_url.join(solving)))
    assert {"page.js", "board.js", "style.css"} <= {name for name, *_ in files}
    assert sum(unpacked for *_, unpacked in files) < 120_000
    assert sum(sent for _, sent, _ in files) < 30_000
