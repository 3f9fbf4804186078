"""Workers of Dask: on the machines of a cluster, or on this machine with a scheduler in this process."""

# mypy: allow-untyped-calls

from __future__ import annotations

import logging
import os
import shutil
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import dask.config
import psutil  # type: ignore[import-untyped]
from distributed import Client, KilledWorker, LocalCluster
from distributed.core import Status
from distributed.protocol.pickle import dumps, loads
from tornado.ioloop import PeriodicCallback

from disco2.engines.engine import POLL_SECONDS, Notice, Outcome, Session, Task, Work, run_task
from disco2.errors import InputError
from disco2.threads import limit_this_process

CONNECT_SECONDS = 10.0
NO_WORKERS_SECONDS = 5.0  # without any worker, before the user gets a note
LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio")
LOOPBACK = "127.0.0.1"
SCRATCH = "disco2-dask-"  # then the number of the process that starts a cluster
# For a cluster on this machine. The session counts deaths itself; the records of the profiler would grow for
# an hour. The processes write to the same terminal, and must not import modules from the current folder.
# Without Dask's own variables the allocator keeps memory, which saves a third of the time.
SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.worker.profile.enabled": False,
    "distributed.nanny.pre-spawn-environ": {
        "PYTHONSAFEPATH": "1",
        **{f"DASK_LOGGING__{name}": "critical" for name in ("DISTRIBUTED", "TORNADO", "ASYNCIO")},
    },
}

_one_at_a_time = threading.Lock()  # a worker may have several threads; the work expects one


@contextmanager
def connect(address: str, workers: int) -> Iterator[Client]:
    """A client of the scheduler at this address, or of a new one with workers on this machine."""
    for name in LOGGERS:  # they log every process that starts or ends; the session reports what matters
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with ExitStack() as stack:
        address = address or stack.enter_context(local_cluster(workers)).scheduler_address
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about versions of packages that we don't use
                client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, RuntimeError, TypeError, ValueError, AssertionError) as error:
            # An assertion of Dask: its event loop did not start within ten seconds, on a very busy machine.
            what = f"No Dask scheduler answers: {str(error) or 'its event loop did not start'}."
            hint = (
                "Start one with: dask scheduler; and workers with: dask worker tcp://HOST:8786 --nthreads 1"
            )
            raise InputError(what, where=address, hint=hint) from error
        try:
            yield client
        finally:
            with suppress(Exception):
                client.close(timeout=CONNECT_SECONDS)


class DaskSession(Session):
    """Tasks are futures of Dask; its scheduler chooses their workers.

    Dask gets as many tasks as there are workers. Tasks that wait at a worker would be blamed for its death.
    """

    def __init__(self, client: Client, work: Work, *, attempts: int, notice: Notice) -> None:
        super().__init__(attempts=attempts, notice=notice)
        self._client = client
        self._address = str(client.scheduler.address) if client.scheduler else ""
        self._work = bytes(dumps(work))
        self._ended: SimpleQueue[Any] = SimpleQueue()  # futures
        self._running: dict[Any, tuple[Task, Any]] = {}  # with its future, by the key of that
        self._workers, self._counted = 0, -POLL_SECONDS
        try:
            client.wait_for_workers(1, timeout=NO_WORKERS_SECONDS)
        except TimeoutError:
            notice(f"the scheduler at {self._address} has no workers; waiting for them")

    def close(self) -> None:
        with suppress(Exception):
            self._client.cancel([future for _, future in self._running.values()], force=True)
            self._client.run(_forget)

    def _has_free_worker(self) -> bool:
        if time.monotonic() - self._counted >= POLL_SECONDS:
            self._count_workers()
        return len(self._running) < max(1, self._workers)

    def _count_workers(self) -> None:
        try:
            self._workers = len(self._client.nthreads())
        except Exception as error:
            raise self._scheduler_lost() from error
        self._counted = time.monotonic()

    def _start(self, task: Task) -> None:
        try:
            future = self._client.submit(perform, self._work, bytes(dumps(task)), pure=False)
            self._running[future.key] = task, future
            future.add_done_callback(self._ended.put)
        except Exception as error:
            raise self._scheduler_lost() from error

    def _wait(self) -> Iterator[Outcome]:
        try:
            future = self._ended.get(timeout=POLL_SECONDS)
        except Empty:
            self._count_workers()  # raises if the scheduler is gone
            return
        task, _ = self._running.pop(future.key)
        if future.status == "cancelled":
            raise self._scheduler_lost()
        outcome = Outcome(task, died="before its result arrived")
        try:
            if future.status in ("finished", "error"):
                outcome = future.result(timeout=CONNECT_SECONDS)
        except KilledWorker as error:
            outcome = Outcome(task, died=f"at {error.last_worker.address}")
        except (OSError, TimeoutError):
            pass  # its worker died with the result
        except Exception as error:
            what = f"A Dask worker can't run disco2: {type(error).__name__}: {error}."
            hint = "Install the same version of disco2 on all machines."
            raise InputError(what, where=self._address, hint=hint) from error
        yield outcome

    def _scheduler_lost(self) -> InputError:
        hint = "Start it again, then run the same command: finished work is kept."
        return InputError("The connection to the Dask scheduler was lost.", where=self._address, hint=hint)


def perform(work: bytes, task: bytes) -> Outcome:
    """Run a task in a worker of Dask, which keeps the work for the next one."""
    with _one_at_a_time:
        return run_task(_load_work(work), loads(task))


@lru_cache(maxsize=2)
def _load_work(pickled: bytes) -> Work:
    limit_this_process(everything=True)
    work: Work = loads(pickled)
    return work


def _forget() -> None:
    _load_work.cache_clear()


@contextmanager
def local_cluster(workers: int) -> Iterator[LocalCluster]:
    """A scheduler in this process and workers on this machine, not reachable from other machines.

    Each has its own scratch folder: Dask clears what dead workers left in a shared one, and may do so while
    another cluster starts a worker there.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{SCRATCH}*-*"):  # of commands that were killed
        owner = left.name.split("-")[2]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(left, ignore_errors=True)  # one of another user stays
    prefix = f"{SCRATCH}{os.getpid()}-"
    with (
        tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder,
        dask.config.set({**SETTINGS, "temporary-directory": folder}),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host=LOOPBACK,
            dashboard_address=f"{LOOPBACK}:0",
            worker_dashboard_address=f"{LOOPBACK}:0",
            scheduler_kwargs={"dashboard": False},
            memory_limit=0,  # Dask would pause workers
            preload=[__name__],
            silence_logs=False,
        ) as cluster,
    ):
        repair = PeriodicCallback(lambda: _replace_lost_workers(cluster), 1000 * POLL_SECONDS)
        loop: Any = cluster.loop
        loop.add_callback(repair.start)
        try:
            yield cluster
        finally:
            loop.add_callback(repair.stop)


def _replace_lost_workers(cluster: LocalCluster) -> None:
    """A nanny restarts its worker, but closes itself if the worker dies while it starts."""
    for name in [name for name, nanny in cluster.workers.items() if nanny.status == Status.closed]:
        del cluster.workers[name]
    if len(cluster.workers) < len(cluster.worker_spec):
        cluster.scale(len(cluster.worker_spec))


def dask_setup(worker: object) -> None:
    """Called by Dask in every new worker process: Ctrl+C is for the command alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
