"""A bound socket, and the application run on it until a signal ends it."""

from __future__ import annotations

import asyncio
import errno
import math
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn
from fastapi import FastAPI

from disco2.errors import InputError, SettingsError
from disco2.interfaces.server.connection import MOST_HEADER_BYTES, Connection
from disco2.interfaces.server.settings import Limits

KEEP_ALIVE = 15  # seconds an idle connection is kept
GRACE = 5.0  # seconds beyond the time limit for answers to be delivered
BACKLOG = 1_024  # connections that the system keeps for us
AT_ONCE = 100  # connections that are taken from the system in one round of the event loop
FILES = 100  # that are open beside the connections
ARRIVAL = 0.1  # seconds in which what was sent before a signal is read
ROUNDS = 10  # that the event loop makes meanwhile at the least: a connection takes some to begin
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


def allow_connections(most: int) -> None:
    """See that the system lets this process have so many; SettingsError where it does not."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = most + FILES
    wanted = needed + 10 * AT_ONCE  # who is to go for one that comes goes some rounds later
    if hard != resource.RLIM_INFINITY:
        if hard < needed:
            raise SettingsError(
                f"The system lets this process have {hard:,} files and connections; {needed:,} are needed.",
                hint="Raise its limit (ulimit -n), or give fewer --max-connections.",
            )
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # what there is may do
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


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
        for bound in sockets or ():
            bound.listen(BACKLOG)  # again: asyncio takes as many in a round as it lets the system keep
        if self.started:
            self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """First take in what has been sent already, of which the system may know and we not yet."""
        await self._take_in()
        for server in self.servers:
            server.close()
        await self._take_in()  # who came last becomes a connection, and is told with the others
        await super().shutdown(sockets=sockets)

    @staticmethod
    async def _take_in() -> None:
        for _ in range(ROUNDS):
            await asyncio.sleep(ARRIVAL / ROUNDS)

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


def run(app: FastAPI, bound: socket.socket, *, limits: Limits, started: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT; then finish what was accepted. A second SIGINT ends it at once.

    Nobody is waited for much longer than the time limit of a request.
    """
    allow_connections(limits.connections)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        http=type("BoundedConnection", (Connection,), {"most": limits.connections}),
        loop="asyncio",
        lifespan="on",
        backlog=AT_ONCE,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=math.ceil(limits.seconds + GRACE),
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
    )
    server = _Server(config, started)
    server.run(sockets=[bound])
    if server.force_exit:
        raise KeyboardInterrupt
