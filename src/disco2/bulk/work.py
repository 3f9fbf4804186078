"""What a worker does: the documents of one shard -> the shard on disk, and its record."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from disco2.bulk.documents import Source, read_source
from disco2.bulk.job import Job
from disco2.bulk.output import Answer, Json, OutputFolder, read_json, write_shard
from disco2.errors import Disco2Error, InputError, LayerError
from disco2.inference.pipeline import Pipeline, annotate_texts

# Documents that are annotated together. More hardly save time, and cost memory.
BATCH_DOCUMENTS, BATCH_BYTES = 32, 100_000
SEPARATOR = b"\0"  # between names: no path can contain it
HARMLESS = "It rained. We stayed at home."  # if this can't be annotated, no document is to blame


class TimeLimitError(BaseException):
    """The time is over. Not an Exception, so that no annotator handles it as one of its own errors."""


_FAILURES = (Exception, TimeLimitError)  # of a document


@dataclass
class ShardWork:
    """Called with the names of a shard's documents, it writes the shard and returns its record.

    ``opened`` gives the pipeline, which is loaded when the first shard needs it. The object is sent to
    workers on other machines, which see the same files.

    Documents of a batch are annotated together and scored alone. An annotator multiplies other matrices for
    another batch, and one in very many decisions may depend on a last digit. So a document that fails is
    found by trying each alone, but the answers come from the rest of the batch together.
    """

    root: str
    folder: OutputFolder
    job: Job
    opened: Callable[[], AbstractContextManager[Pipeline]]
    _open: AbstractContextManager[Pipeline] | None = field(default=None, init=False)  # held while it is used
    _pipeline: Pipeline | None = field(default=None, init=False)  # in a worker
    _begun: bool = field(default=False, init=False)

    def __call__(self, given: bytes) -> Json:
        if not self._begun:
            self._check_machine()
            most = 1_000_000 * self.job.settings.most_memory
            if most and sys.platform == "linux":
                # This process fails with MemoryError above this size, before the system kills another one.
                import resource

                resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))
            self._begun = True
        names = given.split(SEPARATOR)
        sources = [read_source(self.root, name, self.job.settings.most_bytes) for name in names]
        key = self.job.shard_key((name, source.identity) for name, source in zip(names, sources, strict=True))
        kept = self.folder.finished(key)
        record = kept or self._write(key, sources)
        return {**{name: value for name, value in record.items() if name != "refused"}, "made": not kept}

    def _check_machine(self) -> None:
        planned = read_json(self.folder.job)
        if not Path(self.root).is_dir() or planned is None or planned.get("job") != self.job.to_json():
            what = "A worker does not see the files or the output of this run."
            hint = "All machines need both under the same path, and the same version of disco2."
            raise InputError(what, where=f"{self.root}, {self.folder.path}", hint=hint)

    def _load(self) -> Pipeline:
        if self._pipeline is None:
            self._open = self.opened()
            pipeline = self._open.__enter__()
            self.job.check_worker(pipeline)
            self._pipeline = pipeline
        return self._pipeline

    def _write(self, key: str, sources: Sequence[Source]) -> Json:
        sentences = relations = 0

        def answers() -> Iterator[Answer]:
            nonlocal sentences, relations
            for batch in split_batches(sources):
                for answer in self._answer_batch(batch):
                    sentences += len(answer.document.sentences)
                    relations += len(answer.relations)
                    yield answer

        size = sum(len(source.content) for source in sources)
        path = self.folder.shard(key)
        digest = write_shard(path, self.job.settings.format, answers(), outcomes=self._load().outcomes)
        refused = [
            {"document": source.name, "what": error.what, "where": error.where, "hint": error.hint}
            for source in sources
            if (error := source.refused) is not None
        ]
        record = {
            "key": key,
            "sha256": digest,
            "documents": len(sources),
            "first": sources[0].name,
            "last": sources[-1].name,
            "bytes": size,
            "sentences": sentences,
            "relations": relations,
            "errors": len(refused),
            "refused": refused,
        }
        self.folder.write_record(record)
        return record

    def _answer_batch(self, sources: Sequence[Source]) -> list[Answer]:
        """The answers to documents in order; others get a reason in ``refused``."""
        encoding = self.job.settings.encoding
        texts = [(one, text) for one in sources if (text := one.text(encoding)) is not None]
        try:
            return self._answer(texts)
        except _FAILURES:
            alone = [answer for source, text in texts if (answer := self._answer_one(source, text))]
            try:
                return self._answer([(source, text) for source, text in texts if source.refused is None])
            except _FAILURES:
                return alone

    def _answer_one(self, source: Source, text: str) -> Answer | None:
        settings = self.job.settings
        try:
            return self._answer([(source, text)])[0]
        except TimeLimitError:
            what = f"It took more than {settings.most_seconds:g} seconds."
            source.refused = InputError(what, hint="Split it, or raise --most-seconds.")
        except MemoryError:
            what = "There is not enough memory for it."
            source.refused = InputError(what, hint="Split it, or raise --most-memory.")
        except Exception as error:  # of an annotator; the other documents continue
            self._check_annotators()
            if not isinstance(error, Disco2Error):
                error = Disco2Error(f"It can't be annotated: {type(error).__name__}: {error}.")
            source.refused = error
        return None

    def _check_annotators(self) -> None:
        """Raise LayerError if the annotators fail on any text."""
        try:
            annotate_texts(self._load().annotators, [("", HARMLESS)], paragraphs=self.job.settings.paragraphs)
        except Exception as error:
            hint = "Finished work is kept; run the same command again."
            raise LayerError(f"The annotators fail on any text: {error}", hint=hint) from error

    def _answer(self, texts: Sequence[tuple[Source, str]]) -> list[Answer]:
        if not texts:
            return []
        settings, pipeline = self.job.settings, self._load()
        answers = []
        with time_limit(settings.most_seconds):
            named = [(source.name, text) for source, text in texts]
            documents = annotate_texts(pipeline.annotators, named, paragraphs=settings.paragraphs)
            for (source, _), document in zip(texts, documents, strict=True):
                found = pipeline.find(document, settings.choice, paragraphs=settings.paragraphs)
                explanations = list(pipeline.explain_many(found)) if settings.explain else None
                answers.append(Answer(document, source.sha256, found, explanations))
        return answers


def split_batches(sources: Sequence[Source]) -> Iterator[Sequence[Source]]:
    """Split into neighbouring documents that are annotated together; their sizes alone decide."""
    batch: list[Source] = []
    total = 0
    for source in sources:
        size = len(source.content)
        if batch and (len(batch) >= BATCH_DOCUMENTS or total + size > BATCH_BYTES):
            yield batch
            batch, total = [], 0
        batch.append(source)
        total += size
    if batch:
        yield batch


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError in this thread after ``seconds``, before its next Python instruction."""
    thread, lock, running = threading.get_ident(), threading.Lock(), True

    def stop() -> None:
        with lock:
            if running:
                raise_in_thread = ctypes.pythonapi.PyThreadState_SetAsyncExc
                raise_in_thread(ctypes.c_ulong(thread), ctypes.py_object(TimeLimitError))

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            running = False
        timer.cancel()
