"""Many runs over several processes; each run is in its directory when it is done, whatever happens next."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from disco2.errors import Disco2Error, InputError
from disco2.experiments.preparations import preparation_key
from disco2.experiments.processes import end_with, process_context
from disco2.experiments.runs.perform import Runs
from disco2.experiments.runs.plan import RunPlan

# Called with a plan, before its run here or after it in another process, how many are done, and of how many.
Progress = Callable[[RunPlan, int, int], None]


def perform_all(
    runs: Runs,
    plans: Iterable[RunPlan],
    *,
    jobs: int = 1,
    progress: Progress = lambda plan, done, total: None,
) -> None:
    """Make every run that is not finished. An error ends the work; what is finished stays."""
    waiting = _grouped(plan for plan in dict.fromkeys(plans) if not runs.is_finished(plan))
    if jobs == 1 or len(waiting) < 2:
        for number, plan in enumerate(waiting):
            progress(plan, number, len(waiting))
            runs.perform(plan)
        return
    with ProcessPoolExecutor(
        min(jobs, len(waiting)),
        mp_context=process_context(),
        initializer=_remember,
        initargs=(runs, os.getpid()),
    ) as pool:
        futures: dict[Future[None], RunPlan] = {pool.submit(_perform, plan): plan for plan in waiting}
        left = set(futures)
        try:
            while left:
                done, left = wait(left, return_when=FIRST_COMPLETED)
                for future in done:
                    _check(future, futures[future])
                    progress(futures[future], len(waiting) - len(left), len(waiting))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _grouped(plans: Iterable[RunPlan]) -> list[RunPlan]:
    """Runs that start from the same examples one behind the other, so that these are prepared once."""
    groups: dict[Hashable, list[RunPlan]] = {}
    for plan in plans:
        groups.setdefault((plan.layers, preparation_key(plan.configuration)), []).append(plan)
    return [plan for group in groups.values() for plan in group]


def _check(future: Future[None], plan: RunPlan) -> None:
    try:
        future.result()
    except BrokenProcessPool:
        raise InputError(
            f"A process that trained '{plan.model}' was ended from outside.",
            hint="Start the same command again: it goes on with the runs that are not finished.",
        ) from None


_runs: Runs | None = None


def _remember(runs: Runs, parent: int) -> None:
    """What every run of this process needs, handed over once."""
    global _runs
    end_with(parent)
    _runs = runs


def _perform(plan: RunPlan) -> None:
    if _runs is None:
        raise Disco2Error("The process does not know its corpus.")
    _runs.perform(plan)
