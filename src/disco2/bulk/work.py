"""What a worker does: the documents of one shard -> the shard on disk, and its record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from disco2.bulk.answers import Answer, Answerer, Text
from disco2.bulk.folder import Json, OutputFolder, read_json
from disco2.bulk.job import Job
from disco2.bulk.jsonl_shard import write_csv, write_jsonl
from disco2.bulk.parquet_shard import write_parquet
from disco2.bulk.reading import Source, read_source
from disco2.bulk.settings import ARCHIVES, CSV, PARQUET
from disco2.bulk.working_notes import APART_AFTER, SUSPECT_AFTER, WorkingNotes, batch_name, document_name
from disco2.errors import Disco2Error, InputError
from disco2.inference.exports import write_archive
from disco2.inference.pipeline import Pipeline

# Annotated together. Time hardly falls with more; memory grows.
BATCH_DOCUMENTS, BATCH_BYTES = 32, 100_000

SEPARATOR = b"\0"  # between names: no path can hold it


@dataclass
class ShardWork:
    """Called with the names of a shard's documents, it leaves the shard in its place and returns its record.

    ``opened`` gives the pipeline, which is loaded when the first shard needs it: a shard that is there needs
    none. Everything in here travels to workers on other machines, which see the same files.
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
        """See that the folders are there; a worker elsewhere may lack them."""
        planned = read_json(self.folder.job)
        if not Path(self.root).is_dir() or planned is None or planned.get("job") != self.job.to_json():
            raise InputError(
                "A worker does not see the files or the output of this run.",
                where=f"{self.root}, {self.folder.path}",
                hint="Both must be on a disk that all machines have under the same path.",
            )

    def end(self) -> None:
        self._open.close()

    def key(self, given: bytes) -> str:
        """The name of the shard that these documents make, as they are now."""
        return self._read(given)[0]

    def __call__(self, given: bytes) -> Json:
        key, sources = self._read(given)
        record = self.folder.finished(key)
        made = record is None
        if record is None:
            notes = WorkingNotes(self.folder.note(key))
            try:
                record = self._write(key, sources, notes)
            except Disco2Error:
                notes.rest()
                raise
            notes.remove()
        return {**{name: value for name, value in record.items() if name != "refused"}, "made": made}

    def _read(self, given: bytes) -> tuple[str, list[Source]]:
        names = given.split(SEPARATOR)
        most = self.job.settings.most_bytes
        sources = [read_source(self.root, name, most_bytes=most) for name in names]
        key = self.job.shard_key((name, source.identity) for name, source in zip(names, sources, strict=True))
        return key, sources

    def _write(self, key: str, sources: Sequence[Source], notes: WorkingNotes) -> Json:
        making = _ShardMaking(sources, notes, self._answerer(), encoding=self.job.settings.encoding)
        size = sum(len(source.content) for source in sources)
        place = self.folder.shard(key)
        if self.job.settings.format == PARQUET:
            digest = write_parquet(place, making.answers(), labels=self._loaded().outcomes)
        elif self.job.settings.format == CSV:
            digest = write_csv(place, making.answers())
        elif self.job.settings.format in ARCHIVES:
            found = ((answer.document, answer.relations) for answer in making.answers())
            digest = write_archive(place, found, self.job.settings.format)
        else:
            digest = write_jsonl(place, making.answers())
        record = {
            "key": key,
            "sha256": digest,
            "documents": len(sources),
            "first": sources[0].name,
            "last": sources[-1].name,
            "bytes": size,
            "sentences": making.sentences,
            "relations": making.relations,
            "errors": len(making.refused),
            "refused": [_refusal(sources[place].name, error) for place, error in making.refused.items()],
        }
        self.folder.write_record(record)
        return record

    def _answerer(self) -> Answerer:
        settings = self.job.settings
        return Answerer(
            self._loaded(), choice=settings.choice, paragraphs=settings.paragraphs, explain=settings.explain
        )

    def _loaded(self) -> Pipeline:
        if self._pipeline is None:
            pipeline = self._open.enter_context(self.opened())
            self.job.check_worker(pipeline)
            self._pipeline = pipeline
        return self._pipeline


class _ShardMaking:
    """The answers to a shard's documents, in order, and what became of the others."""

    def __init__(
        self, sources: Sequence[Source], notes: WorkingNotes, answerer: Answerer, *, encoding: str
    ) -> None:
        self._sources = sources
        self._notes = notes
        self._answerer = answerer
        self._encoding = encoding
        self.sentences = self.relations = 0
        self.refused: dict[int, Disco2Error] = {}

    def answers(self) -> Iterator[Answer]:
        for number, places in enumerate(batches([len(source.content) for source in self._sources])):
            yield from self._batch(number, places)
        self.refused = dict(sorted(self.refused.items()))

    def _batch(self, number: int, places: range) -> Iterator[Answer]:
        """On its own, so that nothing of a batch is held while the next one is answered."""
        texts = {place: text for place in places if (text := self._text(place)) is not None}
        for place, answer in sorted(self._answered(number, texts).items()):
            if isinstance(answer, Answer):
                self.sentences += answer.sentences
                self.relations += len(answer.relations)
                yield answer
            else:
                self.refused[place] = answer

    def _text(self, place: int) -> Text | None:
        source = self._sources[place]
        if source.refused is None:
            try:
                return Text(source.name, source.sha256, source.text(self._encoding))
            except InputError as error:
                source.refused = error
        self.refused[place] = source.refused
        return None

    def _answered(self, number: int, texts: dict[int, Text]) -> dict[int, Answer | Disco2Error]:
        """Together; one by one first where that has ended processes, to see who it was."""
        deaths = self._notes.of_batch(number)
        found: dict[int, Answer | Disco2Error] = {}
        if deaths >= SUSPECT_AFTER:
            for place, text in texts.items():
                if self._notes.blames(place):
                    found[place] = InputError(
                        "It has ended the process that was on it, time and again.",
                        hint="Is there enough memory? Split it, or leave it out.",
                    )
                else:
                    self._notes.begin(document_name(place))
                    found[place] = self._answerer.alone(text)
        if deaths >= APART_AFTER:
            return found
        self._notes.begin(batch_name(number))
        rest = {place: text for place, text in texts.items() if not isinstance(found.get(place), Disco2Error)}
        answers = self._answerer.together(list(rest.values()))
        return found | dict(zip(rest, answers, strict=True))


def batches(sizes: Sequence[int]) -> Iterator[range]:
    """Places of neighbouring documents that are annotated together, by their sizes alone."""
    begin = total = 0
    for place, size in enumerate(sizes):
        if place - begin >= BATCH_DOCUMENTS or (place > begin and total + size > BATCH_BYTES):
            yield range(begin, place)
            begin, total = place, 0
        total += size
    if begin < len(sizes):
        yield range(begin, len(sizes))


def _refusal(name: str, error: Disco2Error) -> Json:
    return {"document": name, "what": error.what, "where": error.where, "hint": error.hint}
