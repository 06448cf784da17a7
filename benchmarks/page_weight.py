"""What the screen for solving weighs, and how soon its board is there on a slow phone.

    python -m benchmarks.page_weight DATABASE [--visits N]

Serves the puzzles of DATABASE on this computer and opens the first one to solve in Chromium, each time with
nothing kept from before, as Lighthouse's mobile profile has it: 1.6 Mbit/s with 150 ms to the server and
back, a processor slowed down four times, and a screen of 412 by 823 points. Prints the bytes of each file as
they are sent and unpacked, and the times to the first board, in milliseconds. Needs Chromium.
"""

from __future__ import annotations

import re
import shutil
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urljoin

import httpx
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from benchmarks.command import at_least, parser_for, run, show
from benchmarks.page import JSON, serving
from chess_motif.errors import InputError
from chess_motif.tables import table

# Lighthouse's slow 4G and its slowdown of the processor.
NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8}
SLOWDOWN = 4
SCREEN: ViewportSize = {"width": 412, "height": 823}

# Notes when the frame is drawn in which the board has its place, and so the style sheet is there;
# then when it can be played on.
WATCH = """
const times = window.times = [];
const look = () => {
  const found = document.querySelector(["svg.board", ".squares"][times.length]);
  if (found?.getBoundingClientRect().width) requestAnimationFrame((now) => { times.push(now); look(); });
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("database", help="URL of a database with puzzles")
    parser.add_argument("--visits", type=at_least(1), default=9, help="how often it is opened (default: 9)")
    options = parser.parse_args()
    with serving(options.database) as server, chromium() as browser:
        solving = address_of_solving(server.address)
        files = weigh(solving)
        times = [first_board(browser, solving) for _ in range(options.visits)]
    rows = [*files, ("all", sum(each[1] for each in files), sum(each[2] for each in files))]
    text = table(["file", "bytes sent", "unpacked"], rows, "lrr")
    medians = [round(statistics.median(each)) for each in zip(*times, strict=True)]
    text += (
        f"\n\nfirst board after {medians[0]} ms, playable after {medians[1]} ms (medians of {options.visits})"
    )
    sizes = {name: {"sent": sent, "unpacked": unpacked} for name, sent, unpacked in rows}
    show(text, {"files": sizes, "board": medians[0], "playable": medians[1]}, as_json=options.json)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run a browser in the block."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise InputError("neither Chromium nor Chrome is installed")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


def address_of_solving(address: str) -> str:
    """Begin a round with the first puzzle, and return its address."""
    with httpx.Client(base_url=address, timeout=60) as client:
        results = client.get("/search", headers=JSON).json()["results"]
        if not results:
            raise InputError("the database has no puzzles")
        return address + client.post("/rounds", data={"id": results[0]["id"]}).headers["location"]


def weigh(page: str) -> list[tuple[str, int, int]]:
    """Return what a screen loads: the name of each file, its bytes as sent, and unpacked."""
    found = []
    with httpx.Client(timeout=60) as client:
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


def first_board(browser: Browser, page: str) -> tuple[float, float]:
    """Open a screen with nothing kept from before; return when its board is there.

    That is in milliseconds: until it is seen, and until it can be played on.
    """
    context = browser.new_context(viewport=SCREEN, device_scale_factor=1.75, is_mobile=True, has_touch=True)
    opened = context.new_page()
    devtools = context.new_cdp_session(opened)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", NETWORK)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    opened.add_init_script(WATCH)
    opened.goto(page)
    opened.locator(".squares").wait_for()
    opened.wait_for_function("window.times.length === 2")
    board, playable = opened.evaluate("window.times")
    context.close()
    return board, playable


if __name__ == "__main__":
    run(main)
