"""A real scheduler and real workers, each a process that a test may kill."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.conftest import ROOT


class DaskProcesses:
    """Workers whose process ends are started again, as on a cluster that is looked after.

    ``nannies``: that is done by a process of Dask's for each, as is usual; without, they start sooner.
    """

    def __init__(self, folder: Path, *, nannies: bool) -> None:
        self._nannies = () if nannies else ("--no-nanny",)
        self._folder = folder
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            self._port = listening.getsockname()[1]
        self._scheduler: subprocess.Popen[bytes] | None = None
        self._workers: list[tuple[subprocess.Popen[bytes], tuple[str, ...]]] = []
        self._ending = False
        self._lock = threading.Lock()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self._port}"

    def start_scheduler(self) -> None:
        self._scheduler = self._start(
            "dask_scheduler", "--host", "127.0.0.1", "--port", str(self._port), "--no-dashboard"
        )
        for _ in range(600):
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), timeout=1):
                return
            time.sleep(0.1)
        raise TimeoutError("the scheduler does not start")

    def kill_scheduler(self) -> None:
        assert self._scheduler is not None
        self._scheduler.kill()
        self._scheduler.wait()

    def start_worker(self, *options: str) -> None:
        with self._lock:
            self._workers.append((self._start_worker(*options), options))

    def end(self) -> None:
        self._ending = True
        self._keeper.join()
        for process, _ in self._workers:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)  # the nanny and its worker
            process.wait()
        if self._scheduler is not None:
            self.kill_scheduler()

    def _keep(self) -> None:
        while not self._ending:
            with self._lock:
                for place, (process, options) in enumerate(self._workers):
                    if process.poll() is not None:
                        self._workers[place] = (self._start_worker(*options), options)
            time.sleep(0.1)

    def _start_worker(self, *options: str) -> subprocess.Popen[bytes]:
        threads = () if "--nthreads" in options else ("--nthreads", "1")
        return self._start("dask_worker", self.address, *threads, *self._nannies, "--no-dashboard", *options)

    def _start(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._folder / "dask.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{program}", *arguments],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                start_new_session=True,
            )


@contextmanager
def dask_processes(
    folder: Path, *, workers: int, threads: int = 1, nannies: bool = True
) -> Iterator[DaskProcesses]:
    processes = DaskProcesses(folder, nannies=nannies)
    try:
        processes.start_scheduler()
        for _ in range(workers):
            processes.start_worker("--nthreads", str(threads))
        yield processes
    finally:
        processes.end()
