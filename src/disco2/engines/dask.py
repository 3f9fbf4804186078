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
from hashlib import sha256
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any
from urllib.parse import urlsplit

import dask.config
import psutil  # type: ignore[import-untyped]
from distributed import Client, KilledWorker, LocalCluster, WorkerPlugin, get_worker
from distributed import Worker as DaskWorker
from distributed.core import Status
from distributed.protocol.pickle import dumps, loads
from tornado.ioloop import PeriodicCallback

from disco2 import version
from disco2.engines.engine import POLL_SECONDS, Notice, Outcome, Session, Task, Work, Worker
from disco2.errors import InputError
from disco2.threads import limit_this_process

CONNECT_SECONDS = 10.0
NO_WORKERS_SECONDS = 5.0  # without any worker, before the user gets a note
LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio")
LOOPBACK = "127.0.0.1"
_SCRATCH = "disco2-dask-"  # then the number of the process that starts a cluster
SILENT = logging.CRITICAL + 1
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
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        if address:
            _check_address(address)
        else:
            address = stack.enter_context(local_cluster(workers)).scheduler_address
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about versions of packages that we don't use
                client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, RuntimeError, TypeError) as error:
            raise InputError(
                f"No Dask scheduler answers: {error}.",
                where=address,
                hint="Start one with: dask scheduler; and workers with: dask worker ADDRESS --nthreads 1",
            ) from error
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
        self._ended: SimpleQueue[Any] = SimpleQueue()  # futures
        self._running: dict[str, Task] = {}  # by the key of their future
        self._number = 0
        self._workers = 0
        self._checked = -POLL_SECONDS
        self._idle_since: float | None = None
        pickled = bytes(dumps(work))
        # The same command gets the same name: it replaces the work of a run that was killed.
        self._name = f"disco2-{sha256(pickled).hexdigest()[:16]}"
        client.register_plugin(WorkPlugin(pickled), name=self._name)

    @property
    def workers(self) -> int:
        if time.monotonic() - self._checked >= POLL_SECONDS:
            self._workers = self._count_workers()
            self._checked = time.monotonic()
        return self._workers

    def _count_workers(self) -> int:
        try:
            return len(self._client.nthreads())
        except Exception as error:
            raise self._scheduler_lost() from error

    def close(self) -> None:
        """Drop tasks without an outcome and remove the work from the workers."""
        with suppress(Exception):
            self._client.cancel(list(self._client.futures), force=True)
        with suppress(Exception):
            self._client.unregister_worker_plugin(self._name)

    def _start_tasks(self) -> None:
        while self._queue and len(self._running) < max(1, self.workers):
            task = self._queue.popleft()
            self._number += 1
            key = f"{self._name}-{self._client.id}-{self._number}"
            self._running[key] = task
            pickled = bytes(dumps(task))
            try:
                future = self._client.submit(
                    perform, self._name, version.VERSION, pickled, key=key, pure=False
                )
                future.add_done_callback(self._ended.put)
            except Exception as error:
                raise self._scheduler_lost() from error

    def _wait(self) -> None:
        try:
            future = self._ended.get(timeout=POLL_SECONDS)
        except Empty:
            self._check_workers()
            return
        task = self._running.pop(future.key)
        if future.status == "cancelled":
            raise self._scheduler_lost()
        if future.status not in ("finished", "error"):
            self._lose(task, "before its result arrived")
            return
        try:
            answer = future.result(timeout=CONNECT_SECONDS)
        except KilledWorker as error:
            self._lose(task, f"at {error.last_worker.address}")
        except (OSError, TimeoutError):
            self._count_workers()  # raises if the scheduler is gone
            self._lose(task, "before its result arrived")  # its worker died with it
        except Exception as error:
            raise InputError(
                f"A Dask worker can't run disco2: {type(error).__name__}: {error}.",
                where=self._address,
                hint="Install the same version of disco2 on all machines.",
            ) from error
        else:
            self._finish(task, answer)

    def _check_workers(self) -> None:
        """Tell the user once if tasks wait and there is no worker."""
        if self.workers:
            self._idle_since = None
        elif self._idle_since is None:
            self._idle_since = time.monotonic()
        elif time.monotonic() - self._idle_since > NO_WORKERS_SECONDS:
            self._idle_since = float("inf")
            self._notice(f"the scheduler at {self._address} has no workers; waiting for them")

    def _scheduler_lost(self) -> InputError:
        return InputError(
            "The connection to the Dask scheduler was lost.",
            where=self._address,
            hint="Start it again, then run the same command: finished work is kept.",
        )


class WorkPlugin(WorkerPlugin):
    """Brings the pickled work to every worker, also to those that join or restart later."""

    def __init__(self, work: bytes) -> None:
        self._pickled = work
        self._worker: Worker | None = None

    def run(self, task: bytes) -> Outcome | Exception:
        """Run a task; the first one unpickles the work, which would be too slow while a worker starts."""
        if self._worker is None:
            limit_this_process(everything=True)
            self._worker = Worker(loads(self._pickled))
        return self._worker.run(loads(task))

    def teardown(self, worker: DaskWorker) -> None:
        if self._worker is not None and _one_at_a_time.acquire(blocking=False):  # else a task still runs
            try:
                self._worker.end()
            finally:
                _one_at_a_time.release()


def perform(name: str, expected_version: str, task: bytes) -> Outcome | Exception:
    """Run a task in a worker of Dask."""
    worker = get_worker()
    if expected_version != version.VERSION:
        return InputError(
            f"The worker has disco2 {version.VERSION}, this command {expected_version}.",
            where=worker.address,
            hint="Install the same version on all machines.",
        )
    with _one_at_a_time:
        plugin: Any = worker.plugins[name]
        answer: Outcome | Exception = plugin.run(task)
        return answer


@contextmanager
def local_cluster(workers: int) -> Iterator[LocalCluster]:
    """A scheduler in this process and workers on this machine, not reachable from other machines.

    Each has its own scratch folder: Dask clears what dead workers left in a shared one, and may do so while
    another cluster starts a worker there.
    """
    environment = dict(os.environ)  # nannies set the variables of their workers in this process
    _remove_leftovers()
    prefix = f"{_SCRATCH}{os.getpid()}-"
    try:
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
    finally:
        for name in os.environ.keys() - environment.keys():
            del os.environ[name]
        os.environ.update(environment)


def _remove_leftovers() -> None:
    """Remove the scratch folders of commands that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        owner = folder.name.removeprefix(_SCRATCH).split("-")[0]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)  # one of another user stays


def _replace_lost_workers(cluster: LocalCluster) -> None:
    """A nanny restarts its worker, but closes itself if the worker dies while it starts."""
    for name in [name for name, nanny in cluster.workers.items() if nanny.status == Status.closed]:
        del cluster.workers[name]
    if len(cluster.workers) < len(cluster.worker_spec):
        cluster.scale(len(cluster.worker_spec))


def dask_setup(worker: object) -> None:
    """Called by Dask in every new worker process: Ctrl+C is for the command alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _check_address(address: str) -> None:
    """Raise InputError for an invalid address; Dask's client would leave threads behind."""
    try:
        parts = urlsplit(address)
        valid = bool(parts.hostname and parts.port) and parts.scheme in ("tcp", "tls", "ws", "wss", "ucx")
    except ValueError:
        valid = False
    if not valid:
        raise InputError("Invalid address of a scheduler.", where=address, hint="Example: tcp://HOST:8786")


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask logs every process that starts or ends; the session reports what matters."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(SILENT)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
