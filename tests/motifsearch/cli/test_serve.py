"""The command `serve`: what it says when the page cannot be served."""

from __future__ import annotations

import socket

from tests.helpers.commands import Command


def test_a_port_that_is_in_use(command: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as used:
        port = str(used.getsockname()[1])
        status, out, err = command("serve", "--port", port)
    assert (status, out) == (1, "")
    assert f"cannot listen on 127.0.0.1, port {port}: address already in use; see --host" in err


def test_an_empty_token_is_refused(command: Command) -> None:
    status, out, err = command("serve", "--token", "")
    assert (status, out) == (1, "")
    assert "lets nobody in" in err
