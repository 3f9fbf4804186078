"""What a worker does: the documents of one shard -> the shard on disk, and its record."""

from __future__ import annotations

import faulthandler
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from disco2.bulk.documents import Source, read_source
from disco2.bulk.job import BulkSettings, Job
from disco2.bulk.output import TRACE, Answer, Json, OutputFolder, read_json, write_shard
from disco2.errors import Disco2Error, InputError, LayerError
from disco2.files import write_bytes
from disco2.inference.pipeline import Pipeline, annotate_texts

# Documents that are annotated together. More hardly save time, and cost memory.
BATCH_DOCUMENTS, BATCH_BYTES = 32, 100_000
SEPARATOR = b"\0"  # between names: no path can contain it
HARMLESS = "It rained. We stayed at home."  # if this can't be annotated, no document is to blame
SEPARATE_AFTER = 3  # deaths of a batch whose documents kill no process alone
BLAMED_AFTER = 3  # deaths of a document alone


@dataclass
class ShardWork:
    """Called with the names of a shard's documents, it writes the shard and returns its record.

    ``opened`` gives the pipeline, which is loaded when the first shard needs it. The object is sent to
    workers on other machines, which see the same files.
    """

    root: str
    folder: OutputFolder
    job: Job
    opened: Callable[[], AbstractContextManager[Pipeline]]
    _pipeline: Pipeline | None = field(default=None, init=False, repr=False)
    _open: ExitStack = field(default_factory=ExitStack, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pipeline": None, "_open": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _open=ExitStack())

    def begin(self) -> None:
        """Check that this machine sees the folders, and limit its memory."""
        planned = read_json(self.folder.job)
        if not Path(self.root).is_dir() or planned is None or planned.get("job") != self.job.to_json():
            raise InputError(
                "A worker does not see the files or the output of this run.",
                where=f"{self.root}, {self.folder.path}",
                hint="Both must be on a disk that all machines have under the same path.",
            )
        _limit_memory(self.job.settings.most_memory)

    def end(self) -> None:
        self._open.close()

    def key(self, given: bytes) -> str:
        """The name of the shard that these documents make."""
        return self._read(given)[0]

    def __call__(self, given: bytes) -> Json:
        key, sources = self._read(given)
        record = self.folder.finished(key)
        made = record is None
        if record is None:
            attempts = Attempts(self.folder.note(key), seconds=self.job.settings.most_seconds)
            try:
                record = self._write(key, sources, attempts)
            except Disco2Error:
                attempts.pause()
                raise
            finally:
                attempts.stop_clock()
            attempts.remove()
        return {**{name: value for name, value in record.items() if name != "refused"}, "made": made}

    def _read(self, given: bytes) -> tuple[str, list[Source]]:
        names = given.split(SEPARATOR)
        most = self.job.settings.most_bytes
        sources = [read_source(self.root, name, most_bytes=most) for name in names]
        key = self.job.shard_key((name, source.identity) for name, source in zip(names, sources, strict=True))
        return key, sources

    def _write(self, key: str, sources: Sequence[Source], attempts: Attempts) -> Json:
        pipeline = self._load()
        answers = _ShardAnswers(pipeline, self.job.settings, sources, attempts)
        size = sum(len(source.content) for source in sources)
        path = self.folder.shard(key)
        digest = write_shard(path, self.job.settings.format, answers, outcomes=pipeline.outcomes)
        record = {
            "key": key,
            "sha256": digest,
            "documents": len(sources),
            "first": sources[0].name,
            "last": sources[-1].name,
            "bytes": size,
            "sentences": answers.sentences,
            "relations": answers.relations,
            "errors": len(answers.refused),
            "refused": [
                {
                    "document": sources[place].name,
                    "what": error.what,
                    "where": error.where,
                    "hint": error.hint,
                }
                for place, error in sorted(answers.refused.items())
            ],
        }
        self.folder.write_record(record)
        return record

    def _load(self) -> Pipeline:
        if self._pipeline is None:
            pipeline = self._open.enter_context(self.opened())
            self.job.check_worker(pipeline)
            self._pipeline = pipeline
        return self._pipeline


class _ShardAnswers:
    """Iterates over the answers to a shard's documents in order, and collects the others in ``refused``.

    Documents of a batch are annotated together and scored alone. An annotator multiplies other matrices for
    another batch, and one in very many decisions may depend on a last digit. So a document that fails is
    found by trying each alone, but the answers come from the rest of the batch together.
    """

    def __init__(
        self, pipeline: Pipeline, settings: BulkSettings, sources: Sequence[Source], attempts: Attempts
    ) -> None:
        self._pipeline = pipeline
        self._settings = settings
        self._sources = sources
        self._attempts = attempts
        self.sentences = self.relations = 0
        self.refused: dict[int, Disco2Error] = {}

    def __iter__(self) -> Iterator[Answer]:
        for number, places in enumerate(split_batches([len(source.content) for source in self._sources])):
            yield from self._batch(number, places)

    def _batch(self, number: int, places: range) -> Iterator[Answer]:
        """A function of its own, so that nothing of a batch is held during the next one."""
        texts = {place: text for place in places if (text := self._text(place)) is not None}
        for place, answer in sorted(self._answer_batch(number, texts).items()):
            if isinstance(answer, Answer):
                self.sentences += len(answer.document.sentences)
                self.relations += len(answer.relations)
                yield answer
            else:
                self.refused[place] = answer

    def _text(self, place: int) -> str | None:
        source = self._sources[place]
        if source.refused is None:
            try:
                return source.text(self._settings.encoding)
            except InputError as error:
                source.refused = error
        self.refused[place] = source.refused
        return None

    def _answer_batch(self, number: int, texts: dict[int, str]) -> dict[int, Answer | Disco2Error]:
        """Together; one by one first if that failed or killed a process before."""
        deaths = self._attempts.deaths_of_batch(number)
        if not texts:
            return {}
        if not deaths:
            try:
                return self._together(number, texts)
            except MemoryError:
                raise
            except Exception:  # noqa: S110  the next lines find the document
                pass
        found = {place: self._alone(place, text) for place, text in texts.items()}
        rest = {place: texts[place] for place, answer in found.items() if isinstance(answer, Answer)}
        if rest and deaths < SEPARATE_AFTER and (deaths or len(rest) < len(texts)):
            try:
                found |= self._together(number, rest)
            except MemoryError:
                raise
            except Exception:  # noqa: S110  the answers alone are kept
                pass
        return found

    def _together(self, number: int, texts: dict[int, str]) -> dict[int, Answer | Disco2Error]:
        self._attempts.begin_batch(number)
        return dict(zip(texts, self._answer(texts), strict=True))

    def _alone(self, place: int, text: str) -> Answer | Disco2Error:
        if blame := self._attempts.blame(place):
            return blame
        self._attempts.begin_document(place)
        try:
            return self._answer({place: text})[0]
        except MemoryError:
            raise
        except Exception as error:  # whatever made an annotator fail, the other documents continue
            self._check_annotators()
            if isinstance(error, Disco2Error):
                return error
            return Disco2Error(f"It can't be annotated: {type(error).__name__}: {error}.")

    def _check_annotators(self) -> None:
        """Raise LayerError if the annotators fail on any text."""
        try:
            annotate_texts(self._pipeline.annotators, [("", HARMLESS)], paragraphs=self._settings.paragraphs)
        except MemoryError:
            raise
        except Exception as error:
            raise LayerError(
                f"The annotators fail on any text: {error}",
                hint="Finished work is kept; run the same command again.",
            ) from error

    def _answer(self, texts: dict[int, str]) -> list[Answer]:
        settings = self._settings
        documents = annotate_texts(
            self._pipeline.annotators,
            [(self._sources[place].name, text) for place, text in texts.items()],
            paragraphs=settings.paragraphs,
        )
        answers = []
        for place, document in zip(texts, documents, strict=True):
            found = self._pipeline.find(document, settings.choice, paragraphs=settings.paragraphs)
            explanations = list(self._pipeline.explain_many(found)) if settings.explain else None
            answers.append(Answer(document, self._sources[place].sha256, found, explanations))
        return answers


def split_batches(sizes: Sequence[int]) -> Iterator[range]:
    """Ranges of neighbouring documents that are annotated together; their sizes alone decide."""
    begin = total = 0
    for place, size in enumerate(sizes):
        if place - begin >= BATCH_DOCUMENTS or (place > begin and total + size > BATCH_BYTES):
            yield range(begin, place)
            begin, total = place, 0
        total += size
    if begin < len(sizes):
        yield range(begin, len(sizes))


class Attempts:
    """What a worker is doing in a shard, noted on disk, so that the next attempt knows where this one died.

    A process that was killed from outside leaves the same note as one that a document killed. So the
    documents of a batch that killed a process are tried alone, and a document that killed three processes
    alone is refused. A batch or document that takes more than ``seconds`` ends its process and leaves a
    traceback.
    """

    def __init__(self, path: Path, *, seconds: float = 0, died: bool = True) -> None:
        self._path = path
        self._seconds = seconds
        self._trace_path = path.with_suffix(TRACE)
        self._deaths: dict[str, int] = {}
        self._late: list[str] = []
        now = ""
        with suppress(OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
            kept = json.loads(path.read_bytes())
            now = str(kept["now"])
            self._deaths = {str(what): int(count) for what, count in kept["deaths"].items()}
            self._late = [str(what) for what in kept["late"]]
        if now and died:
            self._deaths[now] = self._deaths.get(now, 0) + 1
            with suppress(OSError):
                if self._trace_path.stat().st_size:
                    self._late.append(now)
        self._trace: Any = None

    def begin_batch(self, number: int) -> None:
        self._begin(f"batch {number}")

    def begin_document(self, place: int) -> None:
        self._begin(f"document {place}")

    def deaths_of_batch(self, number: int) -> int:
        return self._deaths.get(f"batch {number}", 0)

    def blame(self, place: int) -> InputError | None:
        """Why a document is refused, if it killed its process."""
        what = f"document {place}"
        if what in self._late:
            return InputError(
                f"It took more than {self._seconds:g} seconds.",
                hint="Split it, or raise the limit: --most-seconds",
            )
        if self._deaths.get(what, 0) >= BLAMED_AFTER:
            return InputError(
                f"Its process died {BLAMED_AFTER} times.",
                hint="Is there enough memory? Split it, or leave it out.",
            )
        return None

    def pause(self) -> None:
        """Note that the process does nothing, so that no document is blamed for its end."""
        if self._deaths:
            self._write("")
        else:
            self.remove()

    def stop_clock(self) -> None:
        faulthandler.cancel_dump_traceback_later()
        if self._trace is not None:
            self._trace.close()
            self._trace = None

    def remove(self) -> None:
        """Remove the note: the shard is finished."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
            self._trace_path.unlink(missing_ok=True)

    def _begin(self, what: str) -> None:
        self._write(what)
        if self._trace is None:
            self._trace = self._trace_path.open("wb")
        # Unlike a signal handler or a Python thread, this also ends a process that hangs in compiled code.
        faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._trace)

    def _write(self, now: str) -> None:
        content = {"now": now, "deaths": self._deaths, "late": self._late}
        write_bytes(self._path, json.dumps(content).encode())


def _limit_memory(megabytes: int) -> None:
    """Let this process fail with MemoryError above this size, before the system kills another one."""
    if megabytes and sys.platform == "linux":
        import resource

        limit = megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.getrlimit(resource.RLIMIT_DATA)[1]))
