"""Worker processes on this machine, one task each; a process that dies is replaced."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess

from disco2.engines.engine import POLL_SECONDS, Notice, Session, Task, Work, Worker
from disco2.threads import limit_this_process

CLOSE_SECONDS = 5.0  # for a worker to call the work's ``end``
PARENT_POLL_SECONDS = 0.5


class LocalSession(Session):
    """Processes are started when there are tasks for them."""

    def __init__(self, work: Work, workers: int, *, attempts: int, notice: Notice) -> None:
        super().__init__(attempts=attempts, notice=notice)
        self._work = work
        self._limit = workers
        self._processes: dict[Connection, _WorkerProcess] = {}

    @property
    def workers(self) -> int:
        return self._limit

    def close(self, *, at_once: bool = False) -> None:
        """Stop all processes; idle ones call ``end`` first, unless ``at_once``."""
        for process in self._processes.values():
            if at_once or process.task is not None:
                process.kill()
            else:
                process.send(None)
        for process in self._processes.values():
            process.close()
        self._processes.clear()

    def _start_tasks(self) -> None:
        idle = [process for process in self._processes.values() if process.task is None]
        while self._queue and (idle or len(self._processes) < self._limit):
            process = idle.pop() if idle else _WorkerProcess(self._work)
            self._processes[process.connection] = process
            process.task = self._queue.popleft()
            process.send(process.task)

    def _wait(self) -> None:
        # A connection is readable when its process has sent an answer or has died.
        for connection in wait(list(self._processes), timeout=POLL_SECONDS):
            process = self._processes[connection]  # type: ignore[index]  # only connections were given
            task, process.task = process.task, None
            try:
                answer = process.connection.recv()
            except (EOFError, OSError):  # it died, perhaps while it was sending
                del self._processes[process.connection]
                process.close()
                if task is not None:
                    self._lose(task, process.how_it_ended())
            else:
                if task is not None:
                    self._finish(task, answer)


class _WorkerProcess:
    """A process, its task, and the connection to it."""

    def __init__(self, work: Work) -> None:
        context = process_context()
        self.connection, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(  # type: ignore[attr-defined]  # every context has it
            target=_run, args=(work, theirs, os.getpid()), daemon=True
        )
        self._process.start()
        self.kill = self._process.kill
        theirs.close()
        self.task: Task | None = None

    def how_it_ended(self) -> str:
        code = self._process.exitcode
        if code is not None and code < 0:
            with suppress(ValueError):  # a real-time signal has no name
                return f"by signal {signal.Signals(-code).name}"
        return f"with exit code {code}"

    def send(self, task: Task | None) -> None:
        with suppress(OSError):  # a dead process is noticed later
            self.connection.send(task)

    def close(self) -> None:
        self._process.join(CLOSE_SECONDS)
        self._process.kill()
        self._process.join()
        self.connection.close()


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
    """Main function of a worker process: run tasks until the parent sends None."""
    begin_as_worker(parent)
    worker = Worker(work)
    with suppress(EOFError, OSError):  # the parent is gone
        while (task := connection.recv()) is not None:
            connection.send(worker.run(task))
        worker.end()
