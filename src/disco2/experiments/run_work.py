"""Train what is planned, in this process or in several."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from disco2.data import Corpus, Instance
from disco2.data.tree import shared_entities
from disco2.engines import Engine, Outcome, Task, outcomes_of
from disco2.errors import CorpusError, Disco2Error, InputError
from disco2.evaluation import evaluate
from disco2.experiments.division import Parts, divide
from disco2.experiments.runs import (
    JUDGED,
    Answers,
    RunFolder,
    RunPlan,
    RunResult,
    corpus_digest,
    versions,
    working_in,
)
from disco2.experiments.train_run import Preparations, preparation_key, train_model
from disco2.model import AnyModel
from disco2.model.parameters import check_finite
from disco2.training.loop import Epoch, Progress

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # seconds between looks at a run that another process makes


class Runs:
    """The directory of all runs on some versions of a corpus, by the name of their layers."""

    def __init__(self, root: Path, corpora: Mapping[str, Corpus]) -> None:
        self.root = root
        self.corpora = corpora
        self._digests = {name: corpus_digest(corpus) for name, corpus in corpora.items()}
        self._read: dict[RunPlan, RunResult] = {}
        self._preparations = {name: Preparations() for name in corpora}

    def folder(self, plan: RunPlan) -> RunFolder:
        return RunFolder(self.root, plan, self._digests[plan.layers])

    def is_finished(self, plan: RunPlan) -> bool:
        return self._finished(plan) is not None

    def drop(self, plan: RunPlan) -> None:
        """Forget a run and remove its directory, so that it is made anew."""
        self._read.pop(plan, None)
        self.folder(plan).drop()

    def perform(self, plan: RunPlan) -> RunResult:
        """The result of a run, made now unless it is there; waits while another process makes it."""
        pause = FIRST_PAUSE
        while (found := self.perform_if_free(plan)) is None:
            log.info("%s: another process is making this run", self.folder(plan).path)
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        return found

    def perform_if_free(self, plan: RunPlan) -> RunResult | None:
        """The result of a run, made now unless it is there; None while another process makes it."""
        if found := self._finished(plan):
            return found
        folder = self.folder(plan)
        with folder.held() as mine:
            found = self._finished(plan)  # another process may have made it just now
            if not found and mine:
                corpus, preparations = self.corpora[plan.layers], self._preparations[plan.layers]
                found = self._read[plan] = perform(plan, corpus, folder, preparations=preparations)
        return found

    def result(self, plan: RunPlan) -> RunResult:
        """The result of a finished run; Disco2Error where it is not finished."""
        found = self._finished(plan)
        if found is None:
            raise Disco2Error(
                f"The run of '{plan.model}' with seed {plan.seed} is not finished.",
                where=str(self.folder(plan).path),
                hint="Start the same command again: it goes on with the runs that are not finished.",
            )
        return found

    def __getstate__(self) -> dict[str, Any]:
        """What another process needs, wherever it stands; it reads and prepares for itself."""
        return {"root": self.root.absolute(), "corpora": self.corpora, "digests": self._digests}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.root, self.corpora, self._digests = state["root"], state["corpora"], state["digests"]
        self._read = {}
        self._preparations = {name: Preparations() for name in self.corpora}

    def _finished(self, plan: RunPlan) -> RunResult | None:
        if plan not in self._read and (found := self.folder(plan).read()):
            self._read[plan] = found
        return self._read.get(plan)


def perform(
    plan: RunPlan, corpus: Corpus, folder: RunFolder, *, preparations: Preparations | None = None
) -> RunResult:
    """Train as planned and answer the dev and the test part; what an interrupted run had done is kept."""
    parts = divide(corpus, plan.configuration)
    if not parts.instances["test"]:
        raise CorpusError(
            f"There is no labelled relation to test on under the protocol '{parts.protocol}'.",
            where=corpus.name,
            hint="Name another split, such as: --set task.protocol=cv5-0",
        )
    folder.begin(
        {
            "model": plan.model,
            "layers": plan.layers,
            "seed": plan.seed,
            "corpus": corpus.name,
            "automatic_layers": list(corpus.automatic),
            "annotators": corpus.annotators,
            "protocol": parts.protocol,
            "labels": list(parts.labels),
            "relations": {part: len(some) for part, some in parts.instances.items()},
            "versions": versions(),
            "began": datetime.now(UTC).isoformat(timespec="seconds"),
        }
    )
    fitted = train_model(
        corpus,
        parts,
        plan.configuration,
        preparations=preparations,
        progress=_logged(folder),
        state=folder.checkpoint,
    )
    model = fitted.model
    check_finite(model.parameters, where=f"{plan.model}, seed {plan.seed}")
    answers = {part: _answers(model, corpus, parts.instances[part]) for part in JUDGED}
    norms = {name: float(np.linalg.norm(value)) for name, value in model.parameters.items()}
    notes = {
        "seconds": round(fitted.history.seconds, 2),
        "training_relations": fitted.training_relations,
        "norms": norms,
    }
    result = RunResult(model.labels, answers, notes)
    folder.finish(
        result,
        figures={part: _figures(some, parts, plan) for part, some in answers.items() if some.relations},
    )
    return result


def _logged(folder: RunFolder) -> Progress:
    """Adds each pass to the log. Members are trained one after another, each from its first pass on."""
    member = 0

    def progress(epoch: Epoch) -> None:
        nonlocal member
        member += epoch.number == 1
        folder.note({"member": member, **asdict(epoch)})

    return progress


def _answers(model: AnyModel, corpus: Corpus, instances: Sequence[Instance]) -> Answers:
    shared = shared_entities(corpus.documents, [one.relation for one in instances])
    return Answers(
        relations=tuple(one.relation.id for one in instances),
        documents=tuple(one.relation.document for one in instances),
        gold=tuple(one.gold for one in instances),
        shared=np.array(shared, dtype=bool),
        labels=model.labels,
        scores=model.scores(instances),
    )


def _figures(answers: Answers, parts: Parts, plan: RunPlan) -> dict[str, Any]:
    return evaluate(
        answers.gold,
        answers.predicted,
        answers.shared.tolist(),
        labels=answers.labels,
        seed=plan.seed,
        positive=parts.task.versus or None,
    ).to_json()


# Called with a plan, before its run here or after it in another process, how many are done, and of how many.
RunProgress = Callable[[RunPlan, int, int], None]
Finished = Callable[[RunPlan], None]


def perform_all(
    runs: Runs,
    plans: Iterable[RunPlan],
    *,
    engine: Engine | None = None,
    progress: RunProgress = lambda plan, done, total: None,
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


def _here(runs: Runs, waiting: Sequence[RunPlan], progress: RunProgress, finished: Finished) -> None:
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
    progress: RunProgress,
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
