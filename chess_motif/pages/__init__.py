"""Self-contained HTML pages: boards are inline, and nothing is loaded from elsewhere.

The template engine escapes everything that comes from a file or the database. Only the boards, which are
drawn from positions, are inserted as markup.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chess_motif.output import output

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """Return a template filled with these values.

    `template` is a file in a package, such as `chess_motif/pages/base.html`.
    """
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    # Imported only here: most commands write no page.
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    from chess_motif.pages.boards import sprite

    environment = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(sprite=sprite, policy=_policy)
    return environment


def _policy(script: str) -> str:
    """Return the content security policy of a page, which allows styles and this script (if not empty)."""
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    scripts = f"'sha256-{digest}'" if script else "'none'"
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )


def _source(template: str) -> str:
    package, _, path = template.partition("/")
    return files(package).joinpath(path).read_text(encoding="utf-8")


def write_page(path: Path, page: str) -> None:
    """Write a page to a file, see `chess_motif.output`. Raises `InputError` if that fails."""
    with output(str(path)) as out:
        out.write(page)


def link(address: str) -> str | None:
    """Return a web address, or None for anything else: an address in a file could be a script."""
    return address if address.startswith(("https://", "http://")) else None
