"""Web pages in a real browser."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

# How long a page may take on a slow machine, in milliseconds.
PATIENCE = 20_000
expect.set_options(timeout=PATIENCE)

# What a script calls with its answer.
TELL = """
const tell = (value) => {
  const answer = document.createElement("pre");
  answer.id = "answer";
  answer.textContent = JSON.stringify(value);
  document.body.append(answer);
};
"""


def done_on_page(page: str, script: str, tmp_path: Path) -> Any:
    """Open a page, run a script on it, and return what that passes to `tell`. Skips without a browser."""
    # In a function, for the page's script uses some of the same names.
    added = f"<script nonce='added'>(async () => {{ {TELL} {script} }})();</script>"
    allowing = page.replace("script-src ", "script-src 'nonce-added' ", 1)
    file = tmp_path / "page.html"
    file.write_text(allowing.replace("</body>", f"{added}</body>"), encoding="utf-8")
    command = [_program(), "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    answer = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout, re.DOTALL)
    assert answer is not None, "the script did not run to its end"
    return json.loads(html.unescape(answer[1]))


@contextmanager
def opened_browser() -> Iterator[Browser]:
    """Run a browser in the block. Skips without one."""
    program = _program()
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


def _program() -> str:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("neither Chromium nor Chrome is installed")
    return program
