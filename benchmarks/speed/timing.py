"""Seconds that can be compared: the same process, the same minute, in turns, the best of several."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from threadpoolctl import threadpool_limits

from disco2.threads import single_threaded


def in_turns(
    works: Mapping[str, Callable[[], object]],
    *,
    repeats: int,
    threads: int | Mapping[str, int] = 1,
    warm: bool = True,
    clock: Callable[[], float] | None = None,
) -> dict[str, float]:
    """The best seconds of each work: A B C, A B C, ... after one round that does not count (``warm``).

    What is made at first use, such as compiled code, is made in that first round. ``threads`` are those of
    the matrix products, for all works or for each: where it is one, the processor's time counts, which other
    programs change little; otherwise the time on the wall; unless there is another ``clock``.
    """
    of_work = dict.fromkeys(works, threads) if isinstance(threads, int) else threads
    several = any(count > 1 for count in of_work.values())
    clock = clock or (time.perf_counter if several else time.process_time)
    best = dict.fromkeys(works, float("inf"))
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for turn in range(-1 if warm else 0, repeats):
            for name, work in works.items():
                with _threads(of_work[name]):  # anew each time: libraries may have been loaded meanwhile
                    started = clock()
                    work()
                    spent = clock() - started
                if turn >= 0:
                    best[name] = min(best[name], spent)
    finally:
        if collecting:
            gc.enable()
    return best


def _threads(count: int) -> AbstractContextManager[object]:
    return single_threaded() if count == 1 else threadpool_limits(limits=count, user_api="blas")
