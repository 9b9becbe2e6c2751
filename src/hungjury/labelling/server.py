"""Serve on this machine only, until Ctrl-C."""

from __future__ import annotations

import errno
import os
import socket
import sys
import webbrowser
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hungjury.errors import Argument, InputError, MissingExtra

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["listen", "open_browser", "serve"]

HOST = "127.0.0.1"


def listen(port: int) -> socket.socket:
    """A socket on the loopback interface; port 0 takes any free one."""
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise MissingExtra(package, "label", "the labelling page")
    # asyncio sends small packets at once only on sockets that are declared to be TCP; otherwise
    # every reply would wait about 40 ms for an acknowledgement.
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen(64)
    except OSError as error:
        found.close()
        taken = error.errno == errno.EADDRINUSE
        raise InputError(
            f"port {port} is in use" if taken else f"port {port}: {error.strerror}",
            code="port",
            remedy=("choose another", Argument("port"), "or 0 for any free one"),
        ) from None
    return found


def serve(app: ASGIApp, at: socket.socket) -> None:
    """Answer requests until the process is interrupted."""
    import uvicorn

    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=16 * 1024,
        limit_concurrency=200,
        timeout_graceful_shutdown=1,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[at])


def open_browser(address: str) -> bool:
    """Open an address in the browser, if there is a display."""
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
