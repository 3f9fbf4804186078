"""A batch of jobs, done: documents annotated together, every request answered on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import InvalidStateError
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus

from disco2.errors import InputError
from disco2.interfaces.server.jobs import Answer, Dropped, Job
from disco2.interfaces.server.refusal import Refusal
from disco2.interfaces.server.workbench import Workbench


class BatchWork:
    """Called with jobs that are taken together; resolves the future of each that is still waited for."""

    def __init__(self, bench: Workbench, *, told: Callable[[int], None]) -> None:
        self._bench = bench
        self._told = told  # how many requests were taken together

    def __call__(self, jobs: Sequence[Job]) -> None:
        fitting = [job for job in jobs if self._fits(job)]
        if not fitting:
            return
        self._told(len(fitting))
        with self._bench.together.prepared():
            if len(fitting) > 1:
                self._prepare(fitting)
            for job in fitting:
                self._resolve(job, len(fitting))

    def _fits(self, job: Job) -> bool:
        try:
            job.check_size(self._bench)
        except Exception as error:
            _fail(job, error)
            return False
        return True

    def _prepare(self, jobs: Sequence[Job]) -> None:
        """Annotate all at once. What can't be is left, so that it fails where it belongs and there alone."""
        with suppress(Exception):
            self._bench.together.prepare([one for job in jobs for one in job.documents(self._bench)])

    def _resolve(self, job: Job, batch: int) -> None:
        try:
            job.check()
            answer = job.answer(self._bench)
        except Dropped:
            return
        except Exception as error:
            _fail(job, error)
        else:
            _succeed(job, replace(answer, batch=batch))


def _succeed(job: Job, answer: Answer) -> None:
    with suppress(InvalidStateError):  # the client has gone meanwhile
        job.future.set_result(answer)


def _fail(job: Job, error: Exception) -> None:
    if isinstance(error, InputError):  # whose words may quote the text
        error = Refusal(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "The annotators can't work with this text.",
            hint="Try a part of it.",
        )
    with suppress(InvalidStateError):
        job.future.set_exception(error)
