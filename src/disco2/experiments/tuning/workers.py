"""Who does the trials: this process alone, or several that are told when to begin one."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from disco2.errors import Disco2Error, InputError
from disco2.experiments.processes import begin_as_worker, process_context
from disco2.experiments.tuning.objective import Objective
from disco2.experiments.tuning.question import Question
from disco2.experiments.tuning.standing import Report, Standing
from disco2.experiments.tuning.study import Address, TuningStudy
from disco2.experiments.tuning.trials import COMPLETE, PRUNED, ranked

LOOK_AFTER = 2.0  # seconds after which to look for what other processes have done
DEATHS_IN_A_ROW = 3


@dataclass(frozen=True)
class Limits:
    """When to stop: so many finished trials, or, where given, no new one after a point in time."""

    trials: int
    deadline: float | None = None  # by time.monotonic

    @property
    def too_late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline


def work_alone(study: TuningStudy, question: Question, limits: Limits, *, report: Report) -> None:
    """Do the trials one after the other; wait for those that other processes are on."""
    running: list[int] = []
    objective = Objective(question, began=running.append)
    while not limits.too_late:
        study.put_right()
        if study.left(limits.trials) > 0:
            report(_standing(study, limits, {}))
            running.clear()
            try:
                study.run_one(objective)
            except KeyboardInterrupt:
                for number in running:
                    study.lose(number, blame=False)
                raise
        elif not _wait_for_others(study, limits, report=report):
            break
    report(_standing(study, limits, {}))


def work_together(
    study: TuningStudy, question: Question, limits: Limits, *, jobs: int, report: Report
) -> None:
    """Let several processes do the trials. One that dies is replaced, and its trial is done again.

    An error of a trial's own ends the work; so does an interrupt. What is finished is in the storage.
    """
    crew = _Crew(study, question, report)
    try:
        while True:
            study.put_right()
            left = 0 if limits.too_late else study.left(limits.trials) - crew.promised
            crew.begin(min(left, jobs - crew.busy))
            report(_standing(study, limits, crew.trials))
            if crew.busy:
                crew.listen(LOOK_AFTER)
            elif limits.too_late or not _wait_for_others(study, limits, report=report):
                break
    except BaseException:
        crew.stop()
        raise
    crew.dismiss()
    report(_standing(study, limits, {}))


def _wait_for_others(study: TuningStudy, limits: Limits, *, report: Report) -> bool:
    """Whether there is something to wait for: trials that other processes are on, or that begin anew."""
    running = study.running()
    if running and study.left(limits.trials) <= 0:
        note = f"waiting for {running} trials of other processes"
        report(_standing(study, limits, {}, note=note))
        time.sleep(LOOK_AFTER / 4)
    return bool(running) or study.left(limits.trials) > 0


def _standing(
    study: TuningStudy, limits: Limits, trials: Mapping[int, int | None], *, note: str = ""
) -> Standing:
    records = study.records()
    best = ranked(records)
    return Standing(
        finished=sum(record.state in (COMPLETE, PRUNED) for record in records),
        wanted=limits.trials,
        best=best[0].score if best else None,
        workers=dict(trials),
        note=note,
    )


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    busy: bool = False
    trial: int | None = None  # None while it is busy: it has not said yet which one


class _Crew:
    """Processes that each do one trial when told to."""

    def __init__(self, study: TuningStudy, question: Question, report: Report) -> None:
        self._study = study
        self._question = question
        self._report = report
        self._workers: list[_Worker] = []
        self._deaths = 0

    @property
    def busy(self) -> int:
        return sum(worker.busy for worker in self._workers)

    @property
    def promised(self) -> int:
        """Trials that workers were told to begin and that are not yet in the study."""
        return sum(worker.busy and worker.trial is None for worker in self._workers)

    @property
    def trials(self) -> dict[int, int | None]:
        """The trial that each process is on."""
        return {worker.process.pid or 0: worker.trial for worker in self._workers}

    def begin(self, count: int) -> None:
        """Tell so many workers to do a trial; new ones are started where too few are idle."""
        idle = [worker for worker in self._workers if not worker.busy]
        for _ in range(count):
            worker = idle.pop() if idle else self._start()
            worker.busy = True
            with suppress(OSError):  # it is dead, as will be seen
                worker.connection.send(True)

    def listen(self, seconds: float) -> None:
        """Hear what workers say for so long, or until one has said something, or died."""
        wait(
            [source for worker in self._workers for source in (worker.connection, worker.process.sentinel)],
            timeout=seconds,
        )
        for worker in list(self._workers):
            died = not worker.process.is_alive()  # asked first: what it said before is then all there is
            self._hear(worker)
            if died:
                self._bury(worker)

    def dismiss(self) -> None:
        """Let all workers end; none of them is on a trial."""
        for worker in self._workers:
            with suppress(OSError):
                worker.connection.send(False)
        for worker in self._workers:
            worker.process.join()

    def stop(self) -> None:
        """End all workers at once; the trials they are on will be done again."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            self._hear(worker, quietly=True)
            with suppress(Disco2Error):  # the storage may be what went wrong
                self._take_back(worker, blame=False)

    def _start(self) -> _Worker:
        context = process_context()
        ours, theirs = context.Pipe()
        self._study.close()
        process: BaseProcess = context.Process(  # type: ignore[attr-defined]  # every context has it
            target=_work, args=(self._study.address, self._question, theirs, os.getpid()), daemon=True
        )
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    def _hear(self, worker: _Worker, *, quietly: bool = False) -> None:
        """Take in all that a worker has said: the trial it is on, that it is done, or what went wrong."""
        try:
            while worker.connection.poll():
                said = worker.connection.recv()
                if isinstance(said, Disco2Error):
                    worker.busy, worker.trial = False, None
                    if not quietly:
                        raise said
                elif isinstance(said, int):
                    worker.trial = said
                else:
                    worker.busy, worker.trial = False, None
                    self._deaths = 0
        except (EOFError, OSError):
            return

    def _bury(self, worker: _Worker) -> None:
        """Take leave of a dead worker; the trial it was on is queued again."""
        self._workers.remove(worker)
        worker.process.join()
        how = _how_it_ended(worker.process.exitcode)
        self._take_back(worker)
        self._deaths += 1
        if self._deaths >= DEATHS_IN_A_ROW:
            raise InputError(
                f"{self._deaths} processes have ended one after the other, the last one {how}.",
                hint="Is there enough memory? Try fewer --jobs. What is finished is in the storage.",
            )
        trial = "" if worker.trial is None else f" during trial {worker.trial}, which is done again"
        self._report(Standing(note=f"a process ended {how}{trial}"))

    def _take_back(self, worker: _Worker, *, blame: bool = True) -> None:
        """Queue a dead worker's trial again. If it died before it said which one, it is among the unheard.

        Should one of these be another's, that other process notices at once and does the next one.
        """
        if worker.busy:
            numbers = self._study.unheard() if worker.trial is None else [worker.trial]
            for number in numbers:
                self._study.lose(number, blame=blame)


def _how_it_ended(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"by signal {signal.Signals(-code).name}"
        except ValueError:
            return f"by signal {-code}"
    return f"with exit code {code}"


def _work(address: Address, question: Question, connection: Connection, parent: int) -> None:
    """What a worker does: a trial for each word that it gets, until there is no one to give it."""
    begin_as_worker(parent)
    try:
        study = TuningStudy(address, question)
        objective = Objective(question, began=connection.send)
        while _told(connection):
            study.run_one(objective)
            connection.send(None)
    except Disco2Error as error:
        connection.send(error)


def _told(connection: Connection) -> bool:
    try:
        return bool(connection.recv())
    except (EOFError, OSError):
        return False
