"""Worker processes on this machine, one task each; a process that dies is replaced."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess

from disco2.engines.engine import POLL_SECONDS, Notice, Outcome, Session, Task, Work, run_task
from disco2.threads import limit_this_process

CLOSE_SECONDS = 5.0  # for a process whose connection is closed
PARENT_POLL_SECONDS = 0.5


class LocalSession(Session):
    """Processes with the connections to them."""

    def __init__(self, work: Work, workers: int, *, attempts: int, notice: Notice) -> None:
        super().__init__(attempts=attempts, notice=notice)
        self._work = work
        self._limit = workers
        self._processes: dict[Connection, BaseProcess] = {}
        self._running: dict[Connection, Task] = {}

    def close(self) -> None:
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.join()

    def _has_free_worker(self) -> bool:
        return len(self._running) < self._limit

    def _start(self, task: Task) -> None:
        idle = next((one for one in self._processes if one not in self._running), None)
        connection = idle or self._start_process()
        self._running[connection] = task
        with suppress(OSError):  # a dead process is noticed below
            connection.send(task)

    def _start_process(self) -> Connection:
        context = process_context()
        connection, theirs = context.Pipe()
        process: BaseProcess = context.Process(  # type: ignore[attr-defined]  # every context has it
            target=_run, args=(self._work, theirs, os.getpid()), daemon=True
        )
        process.start()
        theirs.close()
        self._processes[connection] = process
        return connection

    def _wait(self) -> Iterator[Outcome]:
        # A connection is readable when its process has sent an outcome or has died.
        ready = wait(list(self._running), timeout=POLL_SECONDS)
        for connection in [one for one in self._running if one in ready]:
            task = self._running.pop(connection)
            try:
                yield connection.recv()
            except (EOFError, OSError):  # it died, perhaps while it was sending
                process = self._processes.pop(connection)
                process.join(CLOSE_SECONDS)
                process.kill()
                process.join()
                connection.close()
                yield Outcome(task, died=_how_it_ended(process.exitcode))


def _how_it_ended(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):  # a real-time signal has no name
            return f"by signal {signal.Signals(-code).name}"
    return f"with exit code {code}"


def process_context() -> BaseContext:
    """Fork on Linux, spawn elsewhere: the matrix libraries of macOS may crash in a forked process."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def begin_as_worker(parent: int) -> None:
    """Prepare a new process: one thread, a silent end on Ctrl+C or when the parent is gone."""
    limit_this_process(everything=True)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # ignored in background jobs of a shell
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def watch_parent() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_POLL_SECONDS)
        os._exit(1)

    threading.Thread(target=watch_parent, daemon=True).start()


def _run(work: Work, connection: Connection, parent: int) -> None:
    begin_as_worker(parent)
    with suppress(EOFError, OSError):  # the parent is gone
        while True:
            connection.send(run_task(work, connection.recv()))
