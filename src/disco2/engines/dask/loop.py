"""Dask's event loop: a thread for it, and how other threads have something done there.

Dask would start a thread for every attempt to connect, and leave it behind.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from tornado.ioloop import IOLoop

FAREWELL = 5.0  # seconds

Result = TypeVar("Result")


def begin_on(loop: Any, coroutine: Coroutine[Any, Any, Result]) -> Future[Result]:
    """``loop`` is Tornado's, which does not declare that it has one of asyncio's."""
    return asyncio.run_coroutine_threadsafe(coroutine, loop.asyncio_loop)


@contextmanager
def running_loop() -> Iterator[IOLoop]:
    """It runs, and ends behind this with all that is left in it."""
    started = threading.Event()
    loops: list[IOLoop] = []
    ending: list[asyncio.Event] = []

    async def main() -> None:
        loops.append(IOLoop.current())
        ending.append(asyncio.Event())
        started.set()
        await ending[0].wait()

    thread = threading.Thread(target=lambda: asyncio.run(main()), name="disco2-dask", daemon=True)
    thread.start()
    started.wait()
    try:
        yield loops[0]
    finally:
        with suppress(RuntimeError):  # it has ended by itself
            loops[0].add_callback(ending[0].set)
        thread.join(FAREWELL)
