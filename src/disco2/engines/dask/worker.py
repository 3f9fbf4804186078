"""What runs in Dask's workers: the work is kept, and done for one task at a time."""

# mypy: allow-untyped-calls

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock

from distributed import Worker, WorkerPlugin, get_worker
from distributed.protocol.pickle import loads

from disco2 import version
from disco2.engines.answer import Answer, answer_of, beginning_of, end_of
from disco2.engines.dask.loop import begin_on
from disco2.engines.engine import Work
from disco2.errors import InputError
from disco2.threads import limit_this_process

TOLD_WITHIN = 10.0  # seconds for the scheduler to hear that a task begins
FREE_WITHIN = 0.5  # seconds

_one_at_a_time = Lock()  # a worker may have several threads; the work expects one


class NotHandedOverError(Exception):
    """The worker came by another scheduler than the one that the work was given to."""


class WorkPlugin(WorkerPlugin):
    """Brings the work to every worker, those that join or are restarted later too.

    It carries the work pickled: unpickling it takes long and may fail, and neither must happen while a worker
    starts or answers its scheduler.
    """

    def __init__(self, work: bytes) -> None:
        self._pickled = work
        self._work: Work | None = None
        self._begun = False

    async def teardown(self, worker: Worker) -> None:
        if self._begun and self._work is not None:
            await asyncio.to_thread(self._end, self._work)

    def begin(self) -> Answer:
        """Unpickle the work and call its ``begin``, if that is not done."""
        if self._begun:
            return Answer()
        answer = answer_of(self._unpickle)
        if self._work is not None:
            limit_this_process(everything=True)
            answer = beginning_of(self._work)
            self._begun = answer == Answer()
        return answer

    def do(self, given: bytes) -> Answer:
        return answer_of(lambda: self._work(loads(given)) if self._work is not None else None)

    def _unpickle(self) -> None:
        self._work = loads(self._pickled)
        self._pickled = b""

    @staticmethod
    def _end(work: Work) -> None:
        if _one_at_a_time.acquire(timeout=FREE_WITHIN):  # else it is on a task that was dropped
            try:
                end_of(work)
            finally:
                _one_at_a_time.release()


@dataclass(frozen=True)
class Order:
    """A task as it is sent to a worker."""

    session: str  # the name of the plugin, and of the topic that hears of beginnings
    key: str
    version: str
    given: bytes


def perform(order: Order) -> Answer:
    """Do a task. Before it begins the driver is told, so that it knows which tasks a dead worker was on."""
    worker = get_worker()
    if order.version != version.VERSION:
        return Answer(mistake=other_version(worker.address, order.version, version.VERSION))
    with _one_at_a_time:
        if not _is_wanted(worker, order.key):
            return Answer()
        plugin = worker.plugins.get(order.session)
        if not isinstance(plugin, WorkPlugin):
            raise NotHandedOverError(worker.address)
        beginning = plugin.begin()
        if beginning != Answer():
            return beginning
        _tell(worker, order)
        return plugin.do(order.given)


def _is_wanted(worker: Worker, key: str) -> bool:
    """Not if it was taken back while it waited here; Dask can't end what a thread has begun."""
    state = worker.state.tasks.get(key)
    return state is not None and state.state != "cancelled"


def _tell(worker: Worker, order: Order) -> None:
    """Returns when the scheduler has heard; a message that is only on its way would die with the worker."""

    async def tell() -> None:
        await worker.scheduler.log_event(
            topic=order.session, msg={"key": order.key, "worker": worker.address}
        )

    with suppress(Exception):  # the scheduler is gone, as the driver will find out
        begin_on(worker.loop, tell()).result(TOLD_WITHIN)


def version_here() -> str:
    return version.VERSION


def other_version(where: str, ours: str, theirs: str) -> InputError:
    return InputError(
        f"The worker has disco2 {theirs}, this command {ours}.",
        where=where,
        hint="Results would depend on who did what. Install the same version everywhere.",
    )
