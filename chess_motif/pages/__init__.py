"""Self-contained HTML pages: boards are inline, and nothing is loaded from elsewhere.

The template engine escapes everything that comes from a file or the database. Only the boards, which are
drawn from positions, are inserted as markup.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chess_motif.output import output

# Templates are named by their paths from here, such as `chess_motif/pages/base.html`.
PROJECT = Path(__file__).parents[2]


def render(template: str, **values: Any) -> str:
    """Return the page that a template makes of these values. `template` is its path in the project."""
    # Imported only here: most commands write no page.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(PROJECT),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**values)


def write_page(path: Path, page: str) -> None:
    """Write a page to a file, see `chess_motif.output`. Raises `InputError` if that fails."""
    with output(str(path)) as out:
        out.write(page)


def link(address: str) -> str | None:
    """Return the address if it is a web address, else None: an address in a file could be a script."""
    return address if address.startswith(("https://", "http://")) else None
