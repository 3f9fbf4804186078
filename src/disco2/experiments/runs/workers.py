"""Many runs over several processes; each run is in its directory when it is done, whatever happens next."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from disco2.errors import Disco2Error, InputError
from disco2.experiments.preparations import preparation_key
from disco2.experiments.processes import begin_as_worker, process_context
from disco2.experiments.runs.perform import Runs
from disco2.experiments.runs.plan import RunPlan

# Called with a plan, before its run here or after it in another process, how many are done, and of how many.
Progress = Callable[[RunPlan, int, int], None]
Finished = Callable[[RunPlan], None]


def perform_all(
    runs: Runs,
    plans: Iterable[RunPlan],
    *,
    jobs: int = 1,
    progress: Progress = lambda plan, done, total: None,
    finished: Finished = lambda plan: None,
) -> None:
    """Make every run that is not finished. An error ends the work; what is finished stays.

    Runs that another command is making come last, and are then waited for. ``finished`` hears of every run
    that is made, by whomever.
    """
    waiting = _grouped(plan for plan in dict.fromkeys(plans) if not runs.is_finished(plan))
    if jobs == 1 or len(waiting) < 2:
        _here(runs, waiting, progress, finished)
    else:
        _elsewhere(runs, waiting, jobs, progress, finished)


def _here(runs: Runs, waiting: Sequence[RunPlan], progress: Progress, finished: Finished) -> None:
    taken: list[RunPlan] = []
    done = 0
    for plan in waiting:
        progress(plan, done, len(waiting))
        if runs.perform_if_free(plan) is None:
            taken.append(plan)
        else:
            done += 1
            finished(plan)
    for plan in taken:
        progress(plan, done, len(waiting))
        runs.perform(plan)
        done += 1
        finished(plan)


def _elsewhere(
    runs: Runs, waiting: Sequence[RunPlan], jobs: int, progress: Progress, finished: Finished
) -> None:
    with ProcessPoolExecutor(
        min(jobs, len(waiting)),
        mp_context=process_context(),
        initializer=_remember,
        initargs=(runs, os.getpid()),
    ) as pool:
        futures: dict[Future[bool], RunPlan] = {
            pool.submit(_perform, plan, wait=False): plan for plan in waiting
        }
        left, taken, done = set(futures), list[RunPlan](), 0
        try:
            while left:
                ready, left = wait(left, return_when=FIRST_COMPLETED)
                for future in ready:
                    plan = futures[future]
                    if _made(future, plan):
                        done += 1
                        progress(plan, done, len(waiting))
                        finished(plan)
                    else:
                        taken.append(plan)
                if not left and taken:
                    again = {pool.submit(_perform, plan, wait=True): plan for plan in taken}
                    futures |= again
                    left, taken = set(again), []
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _grouped(plans: Iterable[RunPlan]) -> list[RunPlan]:
    """Runs that start from the same examples one behind the other, so that these are prepared once."""
    groups: dict[Hashable, list[RunPlan]] = {}
    for plan in plans:
        groups.setdefault((plan.layers, preparation_key(plan.configuration)), []).append(plan)
    return [plan for group in groups.values() for plan in group]


def _made(future: Future[bool], plan: RunPlan) -> bool:
    try:
        return future.result()
    except BrokenProcessPool:
        raise InputError(
            f"A process that trained '{plan.model}' was ended from outside.",
            hint="Start the same command again: it goes on with the runs that are not finished.",
        ) from None


_runs: Runs | None = None


def _remember(runs: Runs, parent: int) -> None:
    """What every run of this process needs, handed over once."""
    global _runs
    begin_as_worker(parent)
    _runs = runs


def _perform(plan: RunPlan, *, wait: bool) -> bool:
    """Whether the run is made: without ``wait`` not if another command is making it."""
    if _runs is None:
        raise Disco2Error("The process does not know its corpus.")
    return (_runs.perform(plan) if wait else _runs.perform_if_free(plan)) is not None
