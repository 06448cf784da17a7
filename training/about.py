"""The record beside each network and table that is shipped: what it was made from, and what was held out.

It is a JSON file: `network.about.json` for `network.onnx`, `about.json` in a folder that is one model. It has
these keys. What is not known any more is "not recorded".

| key | what |
|---|---|
| `what` | what the files are |
| `files` | the SHA-256 of each file, by its name |
| `made_by` | the commands that made them, in order |
| `made_from` | what was learned from, teachers included: `name`, `sha256`, and what was `used` of it |
| `held_out` | what was never learned from, and the rule by which it was chosen |
| `licence` | the terms of the files, and those of their teachers |
| `figures` | how good they are, and on what |

A program that makes examples stores their origin with them, so that the one that learns from them can say it.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

ABOUT = ".about.json"
KEYS = ("what", "files", "made_by", "made_from", "held_out", "licence", "figures")

# The terms of everything that is shipped; a program adds those of its teachers.
LICENCE = "GPL-3.0-or-later"


class Origin(TypedDict):
    """The part of a record that comes with examples."""

    made_by: list[str]
    made_from: list[dict[str, str]]


def origin_of(used: Mapping[Path, str], examples: Origin | None = None) -> Origin:
    """Return the origin of what this program makes of some files, given what it uses of each.

    `examples` is the origin of the examples that it learns from, if another program made them.
    """
    before = examples or Origin(made_by=[], made_from=[])
    program, *arguments = sys.argv
    # Where files were is of no interest elsewhere.
    words = [Path(word).name if Path(word).is_absolute() else word for word in arguments]
    command = shlex.join(["python", "-m", f"training.{Path(program).stem}", *words])
    sources = [{"name": file.name, "sha256": digest(file), "used": what} for file, what in used.items()]
    return Origin(made_by=[*before["made_by"], command], made_from=[*before["made_from"], *sources])


def as_array(origin: Origin) -> npt.NDArray[np.str_]:
    """Return an origin as an array, to be stored with examples."""
    return np.array(json.dumps(origin))


def from_array(array: npt.NDArray[np.str_]) -> Origin:
    """Return the origin that `as_array` was given."""
    stored: Origin = json.loads(str(array))
    return stored


def write_about(
    files: Sequence[Path],
    origin: Origin,
    *,
    record: Path | None = None,
    what: str,
    held_out: str,
    figures: Mapping[str, Any],
    licence: str = LICENCE,
    **more: Any,
) -> None:
    """Write the record of some files of a folder.

    It goes to the file `record` (default: that of the first file). `more` are keys that the package reads.
    """
    about = {
        "what": what,
        "files": {file.name: digest(file) for file in files},
        **origin,
        "held_out": held_out,
        "licence": licence,
        "figures": figures,
        **more,
    }
    text = json.dumps(about, indent=2, ensure_ascii=False)
    (record or files[0].with_suffix(ABOUT)).write_text(f"{text}\n", encoding="utf-8")


def digest(file: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(file.read_bytes()).hexdigest()
