"""The processes that serve the application: one, or several that accept connections on one socket."""

from __future__ import annotations

import ctypes
import math
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

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
POLL_SECONDS = 0.5  # between checks whether a worker has died
BACKLOG = 2048  # connections that wait to be accepted
PR_SET_PDEATHSIG = 1  # of prctl: the signal that a process gets when its parent ends


def bind(host: str, port: int) -> socket.socket:
    """A socket bound to this address, not listening yet; InputError if that is not possible."""
    try:
        found = socket.getaddrinfo(host or "?", port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
        bound = socket.socket(family, kind, protocol)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
        except OSError:
            bound.close()
            raise
    except (OSError, UnicodeError) as error:
        what = f"Can't listen at this address: {getattr(error, 'strerror', None) or 'unknown host'}."
        hint = "Choose another --port (above 1023, or 0 for any free one), or a --host of this machine."
        raise InputError(what, where=f"{host}:{port}", hint=hint) from None
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
        before = {number: signal.signal(number, self.handle_exit) for number in SIGNALS}
        try:
            yield
        finally:
            for number, earlier in before.items():
                signal.signal(number, earlier)


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
        what = "The annotators or the model have threads, so that they can't be shared by several workers."
        hint = "Use the built-in annotators, or start several servers behind a proxy."
        raise SettingsError(what, hint=hint)


def run_workers(
    app: FastAPI, bound: socket.socket, *, limits: Limits, workers: int, on_start: Callable[[], None]
) -> None:
    """Serve with several processes until SIGTERM or SIGINT; each of them ends as ``run`` does.

    Workers are forked from this process, which has loaded the models and answers no request itself. So they
    share its memory, except for pages that they write to. (uvicorn's own supervisor starts new
    interpreters, each of which would load the models.) Those that die are replaced.
    """
    processes: dict[int, BaseProcess] = {}  # by the worker's number

    def start(number: int) -> None:
        process = multiprocessing.get_context("fork").Process(
            target=_work, args=(app, bound, limits, number, os.getpid()), daemon=True
        )
        process.start()
        processes[number] = process

    def send(number: int) -> None:
        for process in processes.values():
            if process.is_alive() and process.pid is not None:
                os.kill(process.pid, number)

    bound.listen(BACKLOG)
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until they are waited for
    for number in range(1, workers + 1):
        start(number)
    on_start()
    while signal.sigtimedwait(SIGNALS, POLL_SECONDS) is None:
        for number, process in list(processes.items()):
            if not process.is_alive():
                what = "worker %d, process %d, ended with exit code %s and is replaced"
                error_log.error(what, number, process.pid, process.exitcode)
                start(number)
    bound.close()
    send(signal.SIGTERM)  # they answer what they have accepted
    interrupted = False
    deadline = time.monotonic() + limits.seconds + 2 * GRACE
    while any(one.is_alive() for one in processes.values()) and time.monotonic() < deadline:
        again = signal.sigtimedwait(SIGNALS, POLL_SECONDS / 5)
        if again is not None and again.si_signo == signal.SIGINT:
            interrupted = True
            send(signal.SIGINT)
    for number, process in processes.items():
        if process.is_alive():
            error_log.error("worker %d did not stop in time and is killed", number)
            process.kill()
        process.join()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    if interrupted:
        raise KeyboardInterrupt


def _work(app: FastAPI, bound: socket.socket, limits: Limits, number: int, parent: int) -> None:
    """Main function of a worker process. It also stops gracefully if its parent is gone."""
    for one in SIGNALS:
        signal.signal(one, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it ended before it was watched
        return
    app.state.metrics.worker = str(number)
    try:
        # asyncio accepts up to ``backlog`` connections at once; one at a time spreads them over the workers.
        run(app, bound, limits=limits, backlog=1, on_start=lambda: bound.listen(BACKLOG))
    except KeyboardInterrupt:
        sys.exit(130)
