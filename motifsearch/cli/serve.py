"""The command `motifsearch serve`: the web page."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from chess_motif.errors import InputError, reason_of
from chess_motif.logs import logging_to
from chess_motif.output import note
from motifsearch.web.access import LOOPBACK, Access
from motifsearch.web.app import make_app
from motifsearch.web.connection import limits, once_a_minute
from motifsearch.web.site import PageSettings
from puzzlegen.cli.options import DatabaseOption, EngineOption, IndexOption

# The default address, which only this computer can reach.
HOST, PORT = "127.0.0.1", 8000

# Seconds for answering requests when the server stops. An analysis takes a few more.
LAST_SECONDS = 4


def serve_command(
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="PORT", help="Port to listen on; 0 takes any.")
    ] = PORT,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on; 0.0.0.0 lets other computers in.")
    ] = HOST,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            envvar="CHESS_MOTIF_TOKEN",
            help="Token that visitors need, in a link with ?token=TEXT. If other computers are let in, there "
            "is always a token; by default, it is random.",
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Name by which a proxy asks for the page; may be repeated."),
    ] = None,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append a line of JSON for each request to this file.")
    ] = None,
    engine: EngineOption = None,
    index: IndexOption = None,
    db: DatabaseOption = None,
) -> None:
    """Serve a web page for solving and searching puzzles, to a browser on this computer."""
    if token == "":
        raise InputError("an empty --token lets nobody in; leave it out, or give one")
    if token is None and host not in LOOPBACK:
        token = secrets.token_urlsafe(12)
    settings, access = (
        PageSettings(db=db, index=index, engine=engine),
        Access((*LOOPBACK, *(name or ())), token),
    )
    with listening(host, port) as opened, logging_to(log):
        note(f"The page is at {link_to(opened, token)}; Ctrl-C ends it.")
        serve(opened, settings, access)


def serve(opened: socket.socket, settings: PageSettings | None = None, access: Access | None = None) -> None:
    """Serve the page on a listening socket until a signal comes."""
    once_a_minute("uvicorn.error", "asyncio")
    config = uvicorn.Config(
        make_app(settings, access),
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=LAST_SECONDS,
        **limits(),
    )
    # At a signal, uvicorn answers open requests, and then raises the signal again.
    uvicorn.Server(config).run([opened])


def listening(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises `InputError`, for example if the port is in use."""
    try:
        family, *_, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        opened = socket.create_server(address, family=family)
        # Otherwise the end of an answer waits about 40 ms until the client has confirmed the beginning.
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return opened
    except OSError as error:
        # Python adds the address to the system's message.
        reason = reason_of(error).partition(" (")[0]
        raise InputError(f"cannot listen on {host}, port {port}: {reason}; see --host and --port") from error


def link_to(opened: socket.socket, token: str | None = None) -> str:
    """Return the address of the page, with the token."""
    host, port, *_ = opened.getsockname()
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")
