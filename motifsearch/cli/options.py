"""Options that several commands of `motifsearch` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

IndexOption = Annotated[
    Path | None,
    typer.Option("--index", metavar="DIR", help="Folder of the search index. Default: beside the database."),
]
HtmlOption = Annotated[Path | None, typer.Option("--html", metavar="OUT", help="Also write a web page.")]
MemoryOption = Annotated[
    Path | None,
    typer.Option(
        "--memory",
        metavar="DIR",
        help="Folder of a memory that has its own games. Default: the memory beside the database.",
    ),
]
