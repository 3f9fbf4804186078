"""A quick pipeline for workers, with an annotator that some words are too much for."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layers
from disco2.bulk.job import BulkSettings, Job
from disco2.bulk.run import BulkProgress, Report, predict_files
from disco2.data import Document
from disco2.engines import Engine, LocalEngine
from disco2.errors import LayerError
from disco2.inference.pipeline import Pipeline, load, model_digest
from tests.inference.rule_annotator import RuleAnnotator

ENDS, REFUSED, STUMBLES, SLOW = "Dynamite", "Nonsense", "Banana", "Snail"
HANGS, GREEDY = "Sloth", "Elephant"


class WeakAnnotator(RuleAnnotator):
    """Rules; but words may end its process, or be refused."""

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        for document in documents:
            if ENDS in document.text:
                os._exit(7)
            if REFUSED in document.text:
                raise LayerError("This is nonsense.")
            if STUMBLES in document.text:
                raise ValueError("slipped")
            while HANGS in document.text:
                time.sleep(0.1)
            if GREEDY in document.text:
                bytearray(4_000_000_000)
            if SLOW in document.text:
                time.sleep(0.02)
        return super().annotate(documents, layers=layers)


class BrokenAnnotator(RuleAnnotator):
    """It refuses whatever it is given."""

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        raise LayerError("The parser does not answer.")


@dataclass(frozen=True)
class Opened:
    """What a worker calls for its pipeline."""

    bundle: Path
    annotator: type[RuleAnnotator] = WeakAnnotator

    @contextmanager
    def __call__(self) -> Iterator[Pipeline]:
        yield load(self.bundle, annotators=Annotators([self.annotator()]))


def job_of(bundle: Path, **settings: str | float) -> Job:
    chosen = BulkSettings(**settings)  # type: ignore[arg-type]
    return Job.of(chosen, model=model_digest(bundle), annotators=Annotators([WeakAnnotator()]))


@dataclass(frozen=True)
class Predicting:
    """Runs over a corpus with the small model, in shards of few documents."""

    bundle: Path

    def __call__(
        self,
        *patterns: str | Path,
        output: Path,
        engine: Engine | None = None,
        annotator: type[RuleAnnotator] = WeakAnnotator,
        restart: bool = False,
        report: Report = lambda progress: None,
        notes: list[str] | None = None,
        **settings: str | float,
    ) -> BulkProgress:
        return predict_files(
            list(map(str, patterns)),
            output,
            job=job_of(self.bundle, **{"shard_documents": 8, **settings}),
            opened=Opened(self.bundle, annotator),
            engine=engine or LocalEngine(1),
            restart=restart,
            report=report,
            notice=(lambda text: None) if notes is None else notes.append,
        )


def text(number: int) -> str:
    names = ("Bob", "Tina", "Ann", "Max")
    return f"{names[number % 4]} ate {number} eggs. She was hungry. {names[number % 3]} slept.\n\nIt rained."


def write_corpus(folder: Path, count: int) -> Path:
    """So many short documents in folders of twenty; the pattern ``**/*.txt`` finds them."""
    for number in range(count):
        file = folder / f"{number // 20:02d}" / f"{number:04d}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text(number), encoding="utf-8")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }


def documents(output: Path) -> dict[str, dict[str, Any]]:
    """Every line of every shard, by the document's name, in the manifest's order."""
    found: dict[str, dict[str, Any]] = {}
    for shard in json.loads((output / "manifest.json").read_text())["shards"]:
        for line in (output / shard["file"]).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            assert record["document"] not in found
            found[record["document"]] = record
    return found


def refused(output: Path) -> dict[str, str]:
    lines = (output / "errors.jsonl").read_text(encoding="utf-8").splitlines()
    return {record["document"]: record["what"] for record in map(json.loads, lines)}
