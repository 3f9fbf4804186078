"""Many runs over several processes; each run is in its directory when it is done, whatever happens next."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path

from disco2.engines import Engine, Outcome, Task, outcomes_of
from disco2.errors import InputError
from disco2.experiments.preparations import preparation_key
from disco2.experiments.runs.perform import Runs
from disco2.experiments.runs.plan import RunPlan
from disco2.experiments.working_folder import working_in

# Called with a plan, before its run here or after it in another process, how many are done, and of how many.
Progress = Callable[[RunPlan, int, int], None]
Finished = Callable[[RunPlan], None]


def perform_all(
    runs: Runs,
    plans: Iterable[RunPlan],
    *,
    engine: Engine | None = None,
    progress: Progress = lambda plan, done, total: None,
    finished: Finished = lambda plan: None,
    notice: Callable[[str], None] = lambda text: None,
) -> None:
    """Make every run that is not finished. An error ends the work; what is finished stays.

    Without an ``engine`` this process makes them. Runs that another command is making come last, and are then
    waited for. ``finished`` hears of every run that is made, by whomever; ``notice`` of workers that die.
    """
    waiting = _grouped(plan for plan in dict.fromkeys(plans) if not runs.is_finished(plan))
    if engine is None:
        _here(runs, waiting, progress, finished)
    elif waiting:
        _elsewhere(runs, waiting, engine, progress, finished, notice)


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
    runs: Runs,
    waiting: Sequence[RunPlan],
    engine: Engine,
    progress: Progress,
    finished: Finished,
    notice: Callable[[str], None],
) -> None:
    taken: list[RunPlan] = []
    done = 0
    with engine.session(_Performing(runs), notice=notice) as session:
        for some, wait in ((waiting, False), (taken, True)):
            tasks = (Task(runs.folder(plan).path.name, (plan, wait)) for plan in some)
            for outcome in outcomes_of(session, tasks, ahead=1):
                plan = outcome.task.given[0]
                if not _made(outcome, plan):
                    taken.append(plan)
                    continue
                _check_seen(runs, plan)
                done += 1
                progress(plan, done, len(waiting))
                finished(plan)


class _Performing:
    """The work: makes the run of a plan, and tells whether it did.

    Without ``wait`` it does not while another command is making it. Preparations stay for the next run.
    """

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._here = Path.cwd()

    def __call__(self, given: tuple[RunPlan, bool]) -> bool:
        plan, wait = given
        with working_in(self._here):
            return (self._runs.perform(plan) if wait else self._runs.perform_if_free(plan)) is not None


def _grouped(plans: Iterable[RunPlan]) -> list[RunPlan]:
    """Runs that start from the same examples one behind the other, so that these are prepared once."""
    groups: dict[Hashable, list[RunPlan]] = {}
    for plan in plans:
        groups.setdefault((plan.layers, preparation_key(plan.configuration)), []).append(plan)
    return [plan for group in groups.values() for plan in group]


def _made(outcome: Outcome, plan: RunPlan) -> bool:
    if outcome.error is not None:
        raise outcome.error
    if outcome.died:
        raise InputError(
            f"The processes that trained '{plan.model}' with seed {plan.seed} ended: {outcome.died}.",
            hint="Is there enough memory? Start the same command again, perhaps with fewer --jobs: it goes "
            "on with the runs that are not finished.",
        )
    return bool(outcome.result)


def _check_seen(runs: Runs, plan: RunPlan) -> None:
    if not runs.is_finished(plan):
        raise InputError(
            "A worker made this run, and it is not to be seen here.",
            where=str(runs.folder(plan).path),
            hint="Choose an --output folder that this machine and all workers see under the same path.",
        )
