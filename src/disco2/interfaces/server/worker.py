"""The texts of waiting requests are annotated together, then answered one by one, in two threads.

Annotating many short documents in one call takes much less time than one by one. Scoring is done for each
request alone, with the code of the command line, so that no answer depends on other requests.

An annotator can't be interrupted, so long requests have a queue and a thread of their own: beside one, short
requests take about twice as long, instead of waiting until it is done.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace

from disco2.annotation.annotator import Annotator, Annotators, SpacyPipeline
from disco2.annotation.english.annotators import Component
from disco2.annotation.text import paragraphs
from disco2.data import Document
from disco2.drawing.trees import draw_trees
from disco2.errors import BundleError, InputError
from disco2.inference.candidates import GivenPair
from disco2.inference.explanation import Explanation, source_of
from disco2.inference.pairs import PairLine, answer_lines
from disco2.inference.pipeline import Pipeline, annotate_texts, unannotated
from disco2.inference.plain_text import has_word
from disco2.inference.prediction import SCHEMA, Json, RelationChoice, Relations, pairs_result
from disco2.interfaces.server.schemas import (
    AnyRequest,
    PairsRequest,
    TextRequest,
    ViewRequest,
    invalid,
    unavailable,
)
from disco2.interfaces.server.settings import Limits

LONG = 10_000  # characters; longer requests use the second queue
LONG_SHARE = 8  # that queue has this fraction of the places
BATCH_JOBS, BATCH_CHARACTERS = 32, 20_000  # limits of a batch of several jobs
PAIRS_AT_ONCE = 64  # as on the command line: the last digits of scores depend on it
MAX_DRAWN_TOKENS = 500  # per argument
RECENT_TEXTS, RECENT_SIZE = 32, 200_000  # texts and characters kept, so that a view need not annotate again
TOKEN = re.compile(r"\w+|[^\w\s]")  # about what annotators find

THREAD_SAFE = (Component, SpacyPipeline)
Key = tuple[str, str, RelationChoice]


class Abandoned(Exception):  # noqa: N818
    """Nobody waits for the answer any more."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The JSON of an answer, and figures for the log and the metrics."""

    body: bytes
    sentences: int = 0
    pairs: int = 0
    relations: int = 0
    batch: int = 1  # requests in the same batch


@dataclass
class Job:
    """A request, created in the event loop and answered in a worker's thread."""

    request: AnyRequest
    deadline: float  # time.monotonic()
    future: Future[Answer] = field(default_factory=Future)

    @property
    def is_wanted(self) -> bool:
        return not self.future.done() and time.monotonic() < self.deadline

    @property
    def texts(self) -> list[str]:
        if isinstance(self.request, PairsRequest):
            return [text for pair in self.request.pairs for text in (pair.arg1, pair.arg2)]
        return [self.request.text]

    @property
    def characters(self) -> int:
        return sum(map(len, self.texts))

    def check_wanted(self) -> None:
        if not self.is_wanted:
            raise Abandoned


def check_limits(job: Job, limits: Limits) -> None:
    """Refuse what is too large before it waits, as far as can be known without annotating."""
    request, where = job.request, "text"
    if isinstance(request, PairsRequest):
        where = "pairs"
        _check_most(len(request.pairs), limits.pairs, "pairs", where=where)
    else:  # a sentence never crosses the end of a paragraph
        text = unannotated(request.text, paragraphs=request.paragraphs).text
        _check_most(sum(has_word(one) for _, one in paragraphs(text)), limits.sentences, "sentences")
    tokens = sum(len(TOKEN.findall(text)) for text in job.texts)
    _check_most(tokens, limits.tokens, "words and marks", where=where)


def _check_most(count: int, most: int, unit: str, *, where: str = "text") -> None:
    if count > most:
        message = f"The request has {count:,} {unit}; at most {most:,} are allowed."
        raise invalid(message, where=where, hint="Send it in parts.")


def annotator_lock(annotators: Annotator) -> AbstractContextManager[object]:
    """A lock for annotators that are not known to be thread-safe."""
    parts = [annotators]
    if isinstance(annotators, Annotators):
        parts = [annotators.maker(layer) for layer in annotators.requires]
    return nullcontext() if all(isinstance(part, THREAD_SAFE) for part in parts) else threading.Lock()


class Answerer:
    """Answers batches of jobs, whose texts are annotated together. For one thread."""

    def __init__(
        self,
        pipeline: Pipeline,
        limits: Limits,
        *,
        lock: AbstractContextManager[object] | None = None,
        on_batch: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Answerers of one pipeline share its ``annotator_lock``."""
        self._pipeline = pipeline
        self._lock = lock or nullcontext()
        self._limits = limits
        self._on_batch = on_batch
        self._annotated: dict[tuple[str, str], Document] = {}  # of the batch, by text and paragraphs
        self._recent: dict[Key, Relations] = {}  # the least recent first

    def answer_batch(self, jobs: Sequence[Job]) -> None:
        """Set the result or the exception of each job's future."""
        self._on_batch(len(jobs))
        if len(jobs) > 1:
            self._annotate_together([job.request for job in jobs])
        for job in jobs:
            with suppress(InvalidStateError):  # the client may leave at any time
                try:
                    job.future.set_result(replace(self.answer(job), batch=len(jobs)))
                except (Abandoned, InvalidStateError):
                    continue
                except BundleError as error:  # the model is damaged, not the text
                    job.future.set_exception(error)
                except InputError:  # its message may quote the text
                    what = "The annotators can't process this text."
                    job.future.set_exception(invalid(what, where="body", hint="Try a part of it."))
                except Exception as error:
                    job.future.set_exception(error)
        self._annotated = {}  # users' texts

    def _annotate_together(self, requests: Sequence[AnyRequest]) -> None:
        """Annotate the texts in one call; if that fails, each is annotated alone later, and fails alone."""
        new = {
            (one.text, one.paragraphs): None
            for one in requests
            if not isinstance(one, PairsRequest) and _key(one) not in self._recent
        }
        for mode in sorted({mode for _, mode in new}):
            texts = [("text", text) for text, its_mode in new if its_mode == mode]
            with suppress(Exception), self._lock:
                found = annotate_texts(self._pipeline.annotators, texts, paragraphs=mode)
                self._annotated |= {(one.text, mode): one for one in found}

    def answer(self, job: Job) -> Answer:
        job.check_wanted()
        if isinstance(job.request, PairsRequest):
            return self._answer_pairs(job, job.request)
        relations = self._find_relations(job, job.request)
        sentences = len(relations.document.sentences)
        if isinstance(job.request, ViewRequest):
            return Answer(_dump(self._draw(job.request, relations)), sentences=sentences, relations=1)
        explanations: list[Explanation] = []
        for explanation in self._pipeline.explain_many(relations if job.request.explain else []):
            explanations.append(explanation)
            job.check_wanted()
        body = _dump(relations.to_dict(explanations))
        return Answer(body, sentences=sentences, relations=len(relations))

    def _find_relations(self, job: Job, request: TextRequest | ViewRequest) -> Relations:
        """The relations of a text, from memory if it was asked for recently."""
        key = _key(request)
        found = self._recent.pop(key, None)
        if found is None:
            document = self._annotated.get((request.text, request.paragraphs))
            if document is None:
                with self._lock:
                    document = self._pipeline.annotate(request.text, paragraphs=request.paragraphs)
            _check_most(len(document.sentences), self._limits.sentences, "sentences")
            job.check_wanted()
            found = self._pipeline.find(document, request.choice, paragraphs=request.paragraphs)
        self._recent[key] = found
        while len(self._recent) > RECENT_TEXTS or sum(len(key[0]) for key in self._recent) > RECENT_SIZE:
            del self._recent[next(iter(self._recent))]
        job.check_wanted()
        return found

    def _answer_pairs(self, job: Job, request: PairsRequest) -> Answer:
        # As lines of a file of pairs, so that answers are those of the command line.
        lines = [
            PairLine(number, pair.id, GivenPair(pair.arg1, pair.arg2, id=f"line{number}"))
            for number, pair in enumerate(request.pairs, start=1)
        ]
        batches = answer_lines(
            self._pipeline,
            lines,
            batch_size=PAIRS_AT_ONCE,
            explain=request.explain,
            min_probability=request.min_probability,
        )
        records: list[Json] = []
        while len(records) < len(lines):
            with self._lock:
                records += next(batches)
            job.check_wanted()
        body = _dump(pairs_result(self._pipeline, records))
        return Answer(body, pairs=len(records), relations=len(records))

    def _draw(self, request: ViewRequest, relations: Relations) -> Json:
        if request.relation >= len(relations):
            message = f"Unknown relation: the text has {len(relations)}."
            raise invalid(message, where="relation", hint="They are counted from 0.")
        relation = source_of(relations[request.relation]).relation
        longest = max(len(relation.arg1.tokens), len(relation.arg2.tokens))
        if longest > MAX_DRAWN_TOKENS:
            message = f"An argument of {longest:,} words is too long to draw; at most {MAX_DRAWN_TOKENS}."
            raise invalid(message, where="relation", hint="Choose another relation.")
        view = self._pipeline.view(relations[request.relation])
        return {"schema": SCHEMA, "view": view.to_json(), "svg": draw_trees(view, stacked=request.stacked)}


def _key(request: TextRequest | ViewRequest) -> Key:
    """What a text was asked for with."""
    return (request.text, request.paragraphs, request.choice)


def _dump(result: Json) -> bytes:
    return json.dumps(result, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


class Worker:
    """A thread that answers the jobs in its queue, several at a time, in order."""

    def __init__(self, answer_batch: Callable[[Sequence[Job]], None], max_waiting: int, *, full: str) -> None:
        """``full`` is the message if the queue is full."""
        self.jobs: deque[Job] = deque()
        self.thread = threading.Thread(target=self._run, name="disco2 worker", daemon=True)
        self._answer_batch = answer_batch
        self._max_waiting = max_waiting
        self._full = full
        self._changed = threading.Condition()
        self._closing = False

    def submit(self, job: Job) -> Future[Answer]:
        with self._changed:
            if len(self.jobs) >= self._max_waiting:
                self.jobs = deque(one for one in self.jobs if one.is_wanted)
            if self._closing or len(self.jobs) >= self._max_waiting:
                raise unavailable("The server is shutting down." if self._closing else self._full)
            self.jobs.append(job)
            if self.thread.ident is None:  # not before the server's processes are forked
                self.thread.start()
            self._changed.notify()
        return job.future

    def close(self) -> None:
        """Refuse new jobs, and wait for those that were accepted."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self.thread.ident is not None:
            self.thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.jobs or self._closing)
                if not self.jobs:
                    return
                jobs = self._take_batch()
            if jobs:
                self._answer_batch(jobs)

    def _take_batch(self) -> list[Job]:
        batch: list[Job] = []
        characters = 0
        while self.jobs and len(batch) < BATCH_JOBS:
            characters += self.jobs[0].characters
            if batch and characters > BATCH_CHARACTERS:
                break
            job = self.jobs.popleft()
            if job.is_wanted:
                batch.append(job)
        return batch


class WorkQueue:
    """One worker for short requests and one for long ones; each answers in order of arrival."""

    def __init__(
        self, make_answer_batch: Callable[[], Callable[[Sequence[Job]], None]], *, max_waiting: int
    ) -> None:
        """``make_answer_batch`` is called once for each worker."""
        most_long = max(1, max_waiting // LONG_SHARE)
        self._short = Worker(make_answer_batch(), max_waiting, full="Too many requests are waiting.")
        self._long = Worker(make_answer_batch(), most_long, full="Too many long texts are waiting.")

    def __len__(self) -> int:
        """Waiting jobs, without those that are being answered."""
        return len(self._short.jobs) + len(self._long.jobs)

    def submit(self, job: Job) -> Future[Answer]:
        """Accept the job, or raise ApiError 503 if too many wait or the server shuts down."""
        return (self._long if job.characters > LONG else self._short).submit(job)

    def close(self) -> None:
        """Refuse new jobs, and wait for all that were accepted."""
        self._short.close()
        self._long.close()
