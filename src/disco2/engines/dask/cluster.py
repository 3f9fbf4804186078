"""A scheduler in this process and workers on this machine, for who has no cluster."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from distributed import Scheduler
from tornado.ioloop import IOLoop

from disco2.engines.dask.loop import begin_on
from disco2.engines.dask.tied import DRIVER
from disco2.engines.processes import how_it_ended
from disco2.errors import InputError

FAREWELL = 5.0  # seconds
LOOK_EVERY = 0.2  # seconds
STARTS = 5  # processes in a row that may fail before any of them has reached the scheduler
HERE = "127.0.0.1"
# Workers write to the same screen; the session tells what matters.
QUIET = {f"DASK_LOGGING__{name}": "critical" for name in ("DISTRIBUTED", "TORNADO", "ASYNCIO")}
# Or workers grow: Dask would keep a profile of every second of an hour, for which nobody asks here.
LEAN = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false"}


@contextmanager
def own_cluster(workers: int, loop: IOLoop) -> Iterator[OwnWorkers]:
    """Nothing of it can be reached from another machine. Its processes end behind this."""

    async def start() -> Scheduler:
        started: Scheduler = await Scheduler(
            host=HERE, port=0, protocol="tcp", dashboard=False, dashboard_address=f"{HERE}:0"
        )
        return started

    scheduler = begin_on(loop, start()).result()
    crew = OwnWorkers(scheduler.address, workers)
    try:
        yield crew
    finally:
        crew.end()
        with suppress(Exception):
            begin_on(loop, scheduler.close()).result(FAREWELL)


class OwnWorkers:
    """Processes that are replaced when they end."""

    def __init__(self, address: str, number: int) -> None:
        self.address = address
        self._number = number
        self._ending = threading.Event()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._failures: list[str] = []
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()

    def check(self, *, reached: bool) -> None:
        """``reached``: a worker has reached the scheduler since this was asked last."""
        if reached:
            self._failures.clear()
        elif len(self._failures) >= STARTS:
            raise InputError(
                f"Dask's workers don't start: the last of {len(self._failures)} ended {self._failures[-1]}.",
                hint="Try the engine local, which needs no Dask.",
            )

    def end(self) -> None:
        """At once, whatever they are on."""
        self._ending.set()
        self._keeper.join()
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()

    def _keep(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            # What this thread starts inherits it: an interrupt from the keyboard is the driver's matter.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        while not self._ending.is_set():
            for process in [process for process in self._processes if process.poll() is not None]:
                self._processes.remove(process)
                if process.returncode > 0:
                    self._failures.append(how_it_ended(process.returncode))
            while len(self._processes) < self._number and len(self._failures) < STARTS:
                self._processes.append(self._start())
            self._ending.wait(LOOK_EVERY)

    def _start(self) -> subprocess.Popen[bytes]:
        options = ("--nthreads", "1", "--no-nanny", "--host", HERE, "--dashboard-address", f"{HERE}:0")
        # Who gives the work bounds its memory; Dask would pause workers on its own.
        limit = ("--memory-limit", "0")
        tied = ("--preload", "disco2.engines.dask.tied")
        return subprocess.Popen(  # noqa: S603  our own program, no shell
            # -P: not from the current folder, where a corpus may lie.
            [
                sys.executable,
                "-P",
                "-m",
                "distributed.cli.dask_worker",
                self.address,
                *options,
                *limit,
                *tied,
            ],
            env={
                **LEAN,
                **os.environ,
                **QUIET,
                DRIVER: str(os.getpid()),
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
            stdin=subprocess.DEVNULL,
        )
