"""Writes the reference pages: the two commands, from what their `--help` is made of, the tags, and JSON.

    python docs/make_reference.py

Typer has a generator of its own (`typer utils docs`), but its text differs from one version of Typer to the
next, so that committed pages could not be compared with it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import typer

import motifsearch.cli.main
import puzzlegen.cli.main
from puzzlegen.motifs.table import TAGS, TagGroup

APPS = {
    "puzzlegen": puzzlegen.cli.main.app.application(),
    "motifsearch": motifsearch.cli.main.app.application(),
}
FOLDER = Path(__file__).parent / "reference"
SCHEMA = Path(__file__).parents[1] / "puzzlegen" / "formats" / "puzzle.schema.json"


def reference(name: str) -> str:
    """Return the page on the command `name`, in Markdown."""
    app = APPS[name]
    purpose = typer.main.get_group(app).help
    paragraphs = [
        f"# {name}",
        "<!-- Written by docs/make_reference.py; change the command's help instead. -->",
        f"{purpose} `{name} --version` prints the version, and every command has `--help`.",
    ]
    for usage, command, callback in commands_of(app, name):
        paragraphs += [f"## {usage}", inspect.cleandoc(command.help or ""), f"    {_usage(usage, command)}"]
        values = _values(callback)
        lines = [f"- `{_shape(given, values)}`: {_help(given)}" for given in command.params]
        paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs) + "\n"


def tags_page() -> str:
    """Return the page on the tags, in Markdown."""
    paragraphs = [
        "# Tags",
        "<!-- Written by docs/make_reference.py; change the definitions in puzzlegen/motifs instead. -->",
        "Tags are named like the [Lichess themes](https://lichess.org/training/themes) that mean the same. "
        "`puzzlegen tags` also counts the puzzles with each.",
    ]
    for group in TagGroup:
        tags = [f"- `{tag.name}`: {tag.definition}" for tag in TAGS.values() if tag.group is group]
        paragraphs += [f"## {group.capitalize()}", "\n".join(tags)]
    return "\n\n".join(paragraphs) + "\n"


def json_page() -> str:
    """Return the page on the JSON object of a puzzle, in Markdown."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    lines = [
        f"- `{key}`: {_json_type(described)}. {described.get('description', '')}".rstrip()
        for key, described in schema["properties"].items()
    ]
    paragraphs = [
        "# JSON",
        "<!-- Written by docs/make_reference.py; change puzzlegen/formats/puzzle.schema.json instead. -->",
        "A line of a file of JSON lines is an object with these keys; `puzzlegen list --json` and `puzzlegen "
        "show --json` print such objects. `puzzlegen/formats/puzzle.schema.json`, part of the package, "
        "describes them as a [JSON Schema](https://json-schema.org).",
        schema["description"],
        "\n".join(lines),
    ]
    return "\n\n".join(paragraphs) + "\n"


def _json_type(described: dict[str, Any]) -> str:
    """Return the type of a key in words."""
    if "const" in described:
        return f"the number {described['const']}"
    if "enum" in described:
        return " or ".join("null" if value is None else f'"{value}"' for value in described["enum"])
    if "anyOf" in described:
        return " or ".join(_json_type(one) for one in described["anyOf"])
    if "$ref" in described:
        name = described["$ref"].rpartition("/")[2]
        return {"move": "a move", "moves": "an array of moves", "words": "an array of strings"}[name]
    kinds = described["type"]
    return kinds if isinstance(kinds, str) else " or ".join(kinds)


def commands_of(app: typer.Typer, name: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield how each command is called, what typer made of it, and its function."""
    group: Any = typer.main.get_group(app)
    for info in app.registered_commands:
        yield f"{name} {info.name}", group.commands[info.name], info.callback
    for sub in app.registered_groups:
        assert sub.typer_instance is not None
        yield from commands_of(sub.typer_instance, f"{name} {sub.name}")


def _usage(usage: str, command: Any) -> str:
    arguments = [
        given.metavar if given.required else f"[{given.metavar}]"
        for given in command.params
        if given.param_type_name == "argument"
    ]
    return " ".join([usage, *arguments, "[OPTIONS]"])


def _values(callback: Any) -> dict[str, str]:
    """Return what may be given for each parameter that has no metavar: the values of an enum, or a number."""
    values = {}
    for name, parameter in inspect.signature(callback, eval_str=True).parameters.items():
        # Annotated[Side | None, …] has the type first.
        given = get_args(parameter.annotation)[0]
        for kind in get_args(given) or (given,):
            if isinstance(kind, type) and issubclass(kind, Enum):
                values[name] = "|".join(member.value for member in kind)
            elif kind in (int, float):
                values[name] = "N"
    return values


def _shape(given: Any, values: dict[str, str]) -> str:
    if given.param_type_name == "argument":
        return str(given.metavar)
    names = ", ".join(given.opts)
    return names if given.is_flag else f"{names} {given.metavar or values[given.name]}"


def _help(given: Any) -> str:
    text = f"{given.help.rstrip('.')}."
    if isinstance(given.show_default, str):
        text += f" Default: {given.show_default}."
    elif given.show_default and given.default is not None and not getattr(given, "is_flag", False):
        default = given.default.value if isinstance(given.default, Enum) else given.default
        text += f" Default: {default}."
    if given.envvar:
        text += f" Environment variable: `{given.envvar}`."
    return text


if __name__ == "__main__":
    for name in APPS:
        (FOLDER / f"{name}.md").write_text(reference(name), encoding="utf-8")
    (FOLDER / "tags.md").write_text(tags_page(), encoding="utf-8")
    (FOLDER / "json.md").write_text(json_page(), encoding="utf-8")
