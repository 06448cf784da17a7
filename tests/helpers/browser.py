"""Web pages in a real browser."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

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
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("neither Chromium nor Chrome is installed")
    # In a function, for the page's script uses some of the same names.
    added = f"<script>(async () => {{ {TELL} {script} }})();</script>"
    file = tmp_path / "page.html"
    file.write_text(page.replace("</body>", f"{added}</body>"), encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    answer = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout, re.DOTALL)
    assert answer is not None, "the script did not run to its end"
    return json.loads(html.unescape(answer[1]))
