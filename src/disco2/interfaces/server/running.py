"""A bound socket, and the application run on it until a signal ends it."""

from __future__ import annotations

import errno
import math
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from disco2.errors import InputError
from disco2.interfaces.server.connection import Connection

KEEP_ALIVE = 15  # seconds an idle connection is kept
GRACE = 5.0  # seconds beyond the time limit for answers to be delivered
BACKLOG = 1_024  # connections that the system keeps for us
ALL_INTERFACES = ("0.0.0.0", "::")  # noqa: S104  to warn about

_REASONS = {
    errno.EADDRINUSE: ("Another program uses this port.", "Choose another --port; 0 is any that is free."),
    errno.EACCES: ("This port is reserved for the system.", "Choose a --port above 1023."),
    errno.EPERM: ("This port is reserved for the system.", "Choose a --port above 1023."),
    errno.EADDRNOTAVAIL: ("This machine does not have that address.", "Try --host 127.0.0.1"),
}


def bind(host: str, port: int) -> socket.socket:
    """A socket at this address, which nobody can reach yet; InputError where there can be none."""
    where = f"{host}:{port}"
    try:
        if not host:
            raise ValueError
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, ValueError, UnicodeError):
        raise InputError(
            "There is no such host.", where=where, hint="Give an address of this machine, such as 127.0.0.1."
        ) from None
    family, kind, protocol, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        what, hint = _REASONS.get(error.errno or 0, (f"It can't be used: {error.strerror}.", ""))
        raise InputError(what, where=where, hint=hint) from None
    return bound


def url_of(bound: socket.socket) -> str:
    """Where a browser on this machine finds it."""
    host, port = bound.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


class _Server(uvicorn.Server):
    """Ends in order at a signal, and is then done; tells when it can be reached."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._tell()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn's own would raise the signal once more at the end, as if nothing had been finished."""
        signals = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def run(app: FastAPI, bound: socket.socket, *, seconds: float, started: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT; then finish what was accepted. A second SIGINT ends it at once.

    ``seconds`` is the time limit of a request: nobody is waited for much longer.
    """
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        http=Connection,
        loop="asyncio",
        lifespan="on",
        backlog=BACKLOG,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=math.ceil(seconds + GRACE),
    )
    server = _Server(config, started)
    server.run(sockets=[bound])
    if server.force_exit:
        raise KeyboardInterrupt
