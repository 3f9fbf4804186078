"""Bind a socket and run the application on it with uvicorn until a signal."""

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
from disco2.interfaces.server.settings import Limits

KEEP_ALIVE = 15  # seconds until an idle connection is closed
MAX_HEADER_BYTES = 16_384
GRACE = 5.0  # seconds beyond the time limit to deliver answers after a signal
ALL_INTERFACES = ("0.0.0.0", "::")  # noqa: S104

_REASONS = {
    errno.EADDRINUSE: ("Another program uses this port.", "Choose another --port; 0 is any free one."),
    errno.EACCES: ("This port is reserved for the system.", "Choose a --port above 1023."),
    errno.EPERM: ("This port is reserved for the system.", "Choose a --port above 1023."),
    errno.EADDRNOTAVAIL: ("This machine does not have this address.", "Try --host 127.0.0.1"),
}


def bind(host: str, port: int) -> socket.socket:
    """A socket bound to this address, not listening yet; InputError if that is not possible."""
    where = f"{host}:{port}"
    try:
        if not host:
            raise ValueError
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, ValueError, UnicodeError):
        raise InputError(
            "Unknown host.", where=where, hint="Give an address of this machine, such as 127.0.0.1."
        ) from None
    family, kind, protocol, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        bound.close()
        what, hint = _REASONS.get(error.errno or 0, (f"Could not bind: {error.strerror}.", ""))
        raise InputError(what, where=where, hint=hint) from None
    return bound


def url_of(bound: socket.socket) -> str:
    """The URL for a browser on this machine."""
    host, port = bound.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._on_start()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn's own raises the signal again at the end, which would end the process with an error."""
        signals = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def run(app: FastAPI, bound: socket.socket, *, limits: Limits, on_start: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT, then answer what was accepted. A second SIGINT stops at once."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        http="h11",
        loop="asyncio",
        lifespan="on",
        proxy_headers=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=math.ceil(limits.seconds + GRACE),
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )
    server = _Server(config, on_start)
    server.run(sockets=[bound])
    if server.force_exit:
        raise KeyboardInterrupt
