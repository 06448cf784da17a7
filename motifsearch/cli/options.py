"""Options that several commands of `motifsearch` have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

IndexOption = Annotated[
    Path | None,
    typer.Option("--index", metavar="DIR", help="Search index. Default: beside the database."),
]
HtmlOption = Annotated[Path | None, typer.Option("--html", metavar="OUT", help="Also write a web page.")]
