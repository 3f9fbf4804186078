"""A connection to a scheduler, as long as that lives: the work is handed over, tasks sent, messages heard."""

# mypy: allow-untyped-calls

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Coroutine
from concurrent.futures import Future as Running
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from distributed import Client
from distributed.protocol.pickle import dumps
from tornado.ioloop import IOLoop

from disco2.engines.answer import Answer
from disco2.engines.dask.loop import begin_on
from disco2.engines.dask.messages import Answered, Began, Failed, Joined, Left, Lost, Message, Present
from disco2.engines.dask.worker import Order, WorkPlugin, other_version, perform, version_here
from disco2.errors import InputError
from disco2.version import VERSION

LOOK_EVERY = 1.0  # seconds
FAREWELL = 5.0  # seconds
PREFIX = "disco2-work-"


class NoSchedulerError(Exception):
    """There is none at that address, or it went away just now."""


class DaskConnection:
    """Everything that is heard goes to ``heard``; it comes from Dask's own thread."""

    def __init__(
        self, address: str, work: bytes, heard: SimpleQueue[Message], *, loop: IOLoop, seconds: float
    ) -> None:
        self._heard = heard
        self._running: set[Running[None]] = set()
        try:
            self._client = _client(address, loop, seconds)
        except (OSError, TimeoutError) as error:
            raise NoSchedulerError(str(error)) from error
        self._name = PREFIX + self._client.id
        try:
            self._hand_over(work)
        except BaseException as error:
            self.close(quickly=True)
            if isinstance(error, (OSError, TimeoutError)):
                raise NoSchedulerError(str(error)) from error
            raise

    @property
    def identity(self) -> str:
        """No other connection to this scheduler has it."""
        return str(self._client.id).removeprefix("Client-")

    def send(self, key: str, given: bytes, *, worker: str) -> Any:
        """Have a task done by this worker and no other. What comes back stands for it at Dask."""
        order = Order(self._name, key, VERSION, given)
        future = self._client.submit(perform, order, key=key, pure=False, workers=[worker])
        self._run(self._follow(key, future))
        return future

    def forget(self, future: Any) -> None:
        """A task is not wanted any more."""
        with suppress(Exception):
            future.cancel()

    def close(self, *, quickly: bool = False) -> None:
        """Take the work back from the workers, unless it is to be quick."""
        for running in list(self._running):
            running.cancel()
        with suppress(Exception):
            if not quickly:
                self._client.unregister_worker_plugin(self._name)
        with suppress(Exception):
            self._client.close(timeout=FAREWELL)

    def _hand_over(self, work: bytes) -> None:
        self._check_versions()
        self._clear_up()
        self._client.register_plugin(WorkPlugin(work), name=self._name)
        self._client.subscribe_topic("all", self._hear_of_workers)
        self._client.subscribe_topic(self._name, self._hear_of_beginning)
        self._run(self._look())

    def _check_versions(self) -> None:
        for worker, found in self._client.run(version_here, on_error="return").items():
            if isinstance(found, (OSError, TimeoutError)):
                continue  # it is just going
            if isinstance(found, Exception):
                raise InputError(
                    f"disco2 can't be used there: {type(found).__name__}: {found}.",
                    where=worker,
                    hint="Install the same version everywhere.",
                )
            if found != VERSION:
                raise other_version(worker, VERSION, found)

    def _clear_up(self) -> None:
        """Take back the work of drivers that were killed: their models are still in the workers' memory."""
        with suppress(Exception):  # a scheduler may refuse to run anything, or have no disco2
            for name in self._client.run_on_scheduler(_left_behind):
                self._client.unregister_worker_plugin(name)

    def _run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        running = begin_on(self._client.loop, coroutine)
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def _look(self) -> None:
        """Say now and then who is there; this also finds out that the scheduler is gone.

        Dask's client would look for it a while by itself, without a word, and come back without the work.
        """
        scheduler: Any = self._client.scheduler
        with suppress(Exception):
            while self._client.status == "running":
                self._heard.put(Present(frozenset(await scheduler.ncores())))
                await asyncio.sleep(LOOK_EVERY)
        self._heard.put(Lost())

    async def _follow(self, key: str, future: Any) -> None:
        try:
            answer: Answer = await self._client.gather(future, asynchronous=True)
        except asyncio.CancelledError as cancelled:
            if type(cancelled) is asyncio.CancelledError:  # by close; Dask's own kind says what it lost
                raise
            self._heard.put(Failed(key, cancelled))
        except Exception as reason:
            self._heard.put(Failed(key, reason))
        else:
            self._heard.put(Answered(key, answer))

    def _hear_of_workers(self, event: tuple[float, Any]) -> None:
        match event[1]:
            case {"action": "add-worker", "worker": str(worker)}:
                self._heard.put(Joined(worker))
            case {"action": "remove-worker", "worker": str(worker), **more}:
                self._heard.put(Left(worker, died=not more.get("expected", False)))

    def _hear_of_beginning(self, event: tuple[float, Any]) -> None:
        self._heard.put(Began(**event[1]))


def _client(address: str, loop: IOLoop, seconds: float) -> Client:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about versions of packages that we do not use
        return Client(address, timeout=seconds, set_as_default=False, loop=loop)


def _left_behind(dask_scheduler: Any) -> list[str]:
    """Runs in the scheduler: names of plugins whose driver is not connected any more."""
    names = [name for name in dask_scheduler.worker_plugins if name.startswith(PREFIX)]
    return [name for name in names if name.removeprefix(PREFIX) not in dask_scheduler.clients]


def pickled(thing: Any) -> bytes:
    """What is sent is pickled here, where a failure is seen, and not in Dask's own thread."""
    return bytes(dumps(thing))
