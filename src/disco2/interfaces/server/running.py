"""The processes that serve the application: one, or several that accept connections on one socket."""

from __future__ import annotations

import errno
import math
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

from disco2.errors import InputError, SettingsError
from disco2.interfaces.server.middleware import error_log
from disco2.interfaces.server.settings import Limits

KEEP_ALIVE = 15  # seconds until an idle connection is closed
MAX_HEADER_BYTES = 16_384
GRACE = 5.0  # seconds beyond the time limit to deliver answers after a signal
ALL_INTERFACES = ("0.0.0.0", "::")  # noqa: S104

SIGNALS = (signal.SIGINT, signal.SIGTERM)
POLL_SECONDS = 0.5  # between checks of a worker whether its parent is alive
RESTART_SECONDS = 0.5  # before a dead worker is replaced
BACKLOG = 2048  # connections that wait to be accepted

_RESERVED = ("This port is reserved for the system.", "Choose a --port above 1023.")
_REASONS = {
    errno.EADDRINUSE: ("Another program uses this port.", "Choose another --port; 0 is any free one."),
    errno.EACCES: _RESERVED,
    errno.EPERM: _RESERVED,
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


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Call ``handler`` for SIGINT and SIGTERM."""
    before = {number: signal.signal(number, handler) for number in SIGNALS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


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
        with _handled(self.handle_exit):
            yield


def run(
    app: FastAPI,
    bound: socket.socket,
    *,
    limits: Limits,
    on_start: Callable[[], None] = lambda: None,
    backlog: int = BACKLOG,
) -> None:
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
        backlog=backlog,
        limit_concurrency=limits.connections,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=math.ceil(limits.seconds + GRACE),
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )
    server = _Server(config, on_start)
    server.run(sockets=[bound])
    if server.force_exit:
        raise KeyboardInterrupt


def check_threads() -> None:
    """Raise SettingsError if this process has several threads: then it can't be forked safely."""
    if len(list(Path("/proc/self/task").iterdir())) > 1:
        raise SettingsError(
            "The annotators or the model have threads, so that they can't be shared by several workers.",
            hint="Use the built-in annotators, or start several servers behind a proxy.",
        )


def run_workers(
    app: FastAPI, bound: socket.socket, *, limits: Limits, workers: int, on_start: Callable[[], None]
) -> None:
    """Serve with several processes until SIGTERM or SIGINT; each of them ends as ``run`` does."""
    bound.listen(BACKLOG)
    supervisor = _Supervisor(partial(_work, app, bound, limits), bound)
    with _handled(supervisor.stop):
        for number in range(1, workers + 1):
            supervisor.start(number)
        on_start()
        supervisor.replace_dead()
        supervisor.join(limits.seconds + 2 * GRACE)
    if supervisor.interrupted:
        raise KeyboardInterrupt


def _work(app: FastAPI, bound: socket.socket, limits: Limits, number: int, parent: int) -> None:
    """Main function of a worker process. It also stops gracefully if its parent is gone."""

    def watch_parent() -> None:
        while os.getppid() == parent:
            time.sleep(POLL_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch_parent, daemon=True).start()
    app.state.metrics.worker = str(number)
    try:
        # asyncio accepts up to ``backlog`` connections at once; one at a time spreads them over the workers.
        run(app, bound, limits=limits, backlog=1, on_start=lambda: bound.listen(BACKLOG))
    except KeyboardInterrupt:
        sys.exit(130)


class _Supervisor:
    """Starts worker processes and replaces those that die.

    Workers are forked from this process, which has loaded the models and answers no request itself. So they
    share its memory, except for pages that they write to. (uvicorn's own supervisor starts new
    interpreters, each of which would load the models.)
    """

    def __init__(self, work: Callable[[int, int], None], bound: socket.socket) -> None:
        self._work = work
        self._bound = bound
        self._processes: dict[int, BaseProcess] = {}  # by the worker's number
        self._stopping = False
        self.interrupted = False  # a second time

    def start(self, number: int) -> None:
        """Start a worker, unless the server stops. Signals wait until it is known and has no handler."""
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            if not self._stopping:
                process = multiprocessing.get_context("fork").Process(
                    target=self._begin, args=(number,), daemon=True
                )
                process.start()
                self._processes[number] = process
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def _begin(self, number: int) -> None:
        parent = os.getppid()
        for one in SIGNALS:
            signal.signal(one, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        self._work(number, parent)

    def stop(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal: workers answer what they have accepted, or stop at once after a second SIGINT."""
        self.interrupted = self.interrupted or (self._stopping and number == signal.SIGINT)
        self._stopping = True
        self._bound.close()
        for process in self._processes.values():
            if process.is_alive() and process.pid is not None:
                with suppress(ProcessLookupError):  # the signal may come while its end is being noticed
                    os.kill(process.pid, signal.SIGINT if self.interrupted else signal.SIGTERM)

    def replace_dead(self) -> None:
        """Replace workers that die until the server is stopped."""
        while not self._stopping:
            wait([process.sentinel for process in self._processes.values()], timeout=POLL_SECONDS)
            dead = {number: one for number, one in self._processes.items() if not one.is_alive()}
            if dead and not self._stopping:
                time.sleep(RESTART_SECONDS)
            for number, process in dead.items():
                if not self._stopping:
                    error_log.error(
                        "worker %d, process %d, ended with exit code %s and is replaced",
                        *(number, process.pid, process.exitcode),
                    )
                    self.start(number)

    def join(self, seconds: float) -> None:
        """Wait for all workers; kill those that take longer."""
        deadline = time.monotonic() + seconds
        for number, process in self._processes.items():
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                error_log.error("worker %d did not stop within %g seconds and is killed", number, seconds)
                process.kill()
                process.join()
