"""The record beside each shipped network or table: what it was made from, and what was held out.

A record is a JSON file: `network.about.json` for `network.onnx`, `about.json` in the folder of a model. It
has these keys; unknown values are "not recorded".

| key | what |
|---|---|
| `what` | what the files are |
| `files` | the SHA-256 of each file, by name |
| `made_by` | the commands that made the files, in order |
| `made_from` | the data and teachers that were learned from: `name`, `sha256`, and the part that was `used` |
| `held_out` | the data that were not learned from, and the rule by which they were chosen |
| `licence` | the licences of the files and of their teachers |
| `figures` | how good the model is, and on which data |

A program that makes examples stores their origin with them, so that the program that learns from the examples
can record it.
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

# The licence of everything that is shipped; a program adds the licences of its teachers.
LICENCE = "GPL-3.0-or-later"


class Origin(TypedDict):
    """The part of a record that comes with examples."""

    made_by: list[str]
    made_from: list[dict[str, str]]


def origin_of(used: Mapping[Path, str], examples: Origin | None = None) -> Origin:
    """Return the origin of the files that this program makes, given what is used of each input file.

    `examples` is the origin of the examples, if the program learns from examples of another program.
    """
    before = examples or Origin(made_by=[], made_from=[])
    program, *arguments = sys.argv
    # Only names, since the folders of the files do not matter.
    words = [Path(word).name if Path(word).is_absolute() else word for word in arguments]
    command = shlex.join(["python", "-m", f"training.{Path(program).stem}", *words])
    sources = [{"name": file.name, "sha256": digest(file), "used": what} for file, what in used.items()]
    return Origin(made_by=[*before["made_by"], command], made_from=[*before["made_from"], *sources])


def as_array(origin: Origin) -> npt.NDArray[np.str_]:
    """Return an origin as an array that can be stored with examples."""
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

    The record is written to the file `record` (default: that of the first file). `more` are keys that the
    package reads.
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
