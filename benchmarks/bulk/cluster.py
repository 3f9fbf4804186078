"""A real scheduler and real workers of Dask on this machine, each a supervised process."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bulk.process_tree import worker_processes
from benchmarks.bulk.supervisor import Supervised

DASK = (sys.executable, "-m", "dask")


@dataclass(frozen=True)
class Cluster:
    address: str
    scheduler: Supervised
    nannies: tuple[Supervised, ...]

    def workers(self) -> list[int]:
        """The processes that work, each below its nanny."""
        below = [worker_processes(nanny) for nanny in self.running_nannies()]
        return [process.pid for found in below for process in found]

    def running_nannies(self) -> list[int]:
        return [nanny.process for nanny in self.nannies if nanny.process is not None]


@contextmanager
def cluster(place: Path, *, workers: int = 2) -> Iterator[Cluster]:
    """Scheduler and workers that come back whenever they end, until the block is left."""
    place.mkdir(parents=True, exist_ok=True)
    address = f"tcp://127.0.0.1:{_free_port()}"
    port = address.rpartition(":")[2]
    serving = [*DASK, "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]
    working = [*DASK, "worker", address, "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]
    with ExitStack() as stack:
        scheduler = stack.enter_context(Supervised("scheduler", serving, log=place / "scheduler.log"))
        nannies = [
            stack.enter_context(
                Supervised(
                    f"worker {number}",
                    [*working, "--local-directory", str(place / f"worker-{number}")],
                    log=place / f"worker-{number}.log",
                )
            )
            for number in range(workers)
        ]
        yield Cluster(address, scheduler, tuple(nannies))


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
