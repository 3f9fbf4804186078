"""Trainings as folders: planned, done once, read back."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import chdir, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import file_digest, sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.data import Corpus
from disco2.data.batch import Floats
from disco2.errors import InputError
from disco2.experiments.configuration import Configuration, commented_toml
from disco2.files import append_text, remove_scratch, write_text
from disco2.lock import FileLock
from disco2.model.composition import is_compiled
from disco2.training.encoder import remove_stages
from disco2.vectors.source import SHIPPED, WORD2VEC
from disco2.version import VERSION


def plain_words(words: Iterable[str]) -> str:
    """``Upward + entities``, ``seed 1`` -> ``upward-entities-seed-1``; empty words are left out."""
    return "-".join(re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") for word in words if word)


def readable_name(words: Iterable[str], content: Mapping[str, Any]) -> str:
    """``Upward + entities``, ``seed 1`` -> ``upward-entities-seed-1-0a1b2c3d4e5f``, by the content's JSON.

    Empty words are left out.
    """
    digest = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]
    return f"{plain_words(words)}-{digest}"


def vectors_digest(source: str) -> str:
    """The SHA-256 of a file; nothing where the source is no file, or it can't be read: training says so.

    A file is read once, and again when it has another size or time.
    """
    if source in (SHIPPED, WORD2VEC):
        return ""
    path = Path(os.path.expanduser(source))  # noqa: PTH111  as ``load_vectors`` has it
    try:
        found = path.stat()
        return _digest(path.resolve(), found.st_size, found.st_mtime_ns)
    except (OSError, ValueError):
        return ""


@cache
def _digest(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def corpus_digest(corpus: Corpus) -> str:
    """Over texts, layers, relations and parts, in their order; where files lay does not matter."""
    digest = sha256(f"{corpus.name}\0{corpus.inventory}\0{sorted(corpus.parts.items())}".encode())
    if corpus.groups:
        digest.update(f"{sorted(corpus.groups.items())}\0".encode(errors="replace"))
    for name, document in corpus.documents.items():
        layers = (document.text, document.tokens, document.sentences, document.mentions)
        digest.update(f"{name}\0{layers!r}\0".encode(errors="replace"))
    for relation in corpus.relations:
        content = (
            relation.id,
            relation.document,
            relation.kind.value,
            relation.arg1,
            relation.arg2,
            relation.senses,
            relation.connective,
            relation.connective_tokens,
            *((relation.votes,) if relation.votes else ()),
        )
        digest.update(f"{content!r}\0".encode(errors="replace"))
    return digest.hexdigest()


PACKAGES = (
    "numpy",
    "numba",
    "scipy",
    "safetensors",
    "spacy",
    "gensim",
    "optuna",
    "matplotlib",
    "scikit-learn",
)


def versions() -> dict[str, str]:
    """This package, Python, the machine, and every package that figures may depend on, where installed."""
    found = {"disco2": VERSION, "python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found | {"arithmetic": "compiled" if is_compiled() else "NumPy"}


def versions_of(recorded: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Today's versions, joined with those that were ``recorded`` where they differ: ``2.3.1, 2.4.0``."""
    found = {name: [value] for name, value in versions().items()}
    for one in recorded:
        for name, value in one.items():
            known = found.setdefault(name, [])
            if value not in known:
                known.append(value)
    return {name: ", ".join(values) for name, values in found.items()}


OWN = "own"


@dataclass(frozen=True)
class RunPlan:
    """One training: all its settings, seed and split among them, on one version of the corpus.

    ``model`` is its name for people. ``layers`` names the version of the corpus: its own layers, or others.
    """

    model: str
    configuration: Configuration
    layers: str = OWN

    @property
    def seed(self) -> int:
        return self.configuration.training.seed

    def directory(self, corpus_digest: str) -> str:
        """A readable name with a hash of all that a run depends on: same name, same run.

        That is the corpus, every setting, the content of a file of vectors, and the version of this package.
        """
        content = {
            "corpus": corpus_digest,
            "configuration": self.configuration.to_json(),
            "vectors": vectors_digest(self.configuration.vectors.source),
            "disco2": VERSION,
        }
        words = (self.model, self.layers, self.configuration.task.protocol, f"seed {self.seed}")
        return readable_name(words, content)


Right = NDArray[np.bool_]


@dataclass(frozen=True)
class Answers:
    """The answers to n relations of one part, in the order of the corpus."""

    relations: tuple[str, ...]  # their ids
    documents: tuple[str, ...]
    gold: tuple[tuple[str, ...], ...]
    shared: NDArray[np.bool_]  # [n] whether the arguments share an entity
    labels: tuple[str, ...]
    scores: Floats  # [n, labels]

    @cached_property
    def predicted(self) -> tuple[str, ...]:
        return tuple(self.labels[best] for best in self.scores.argmax(axis=1)) if self.relations else ()

    @cached_property
    def right(self) -> Right:
        """[n]"""
        pairs = zip(self.predicted, self.gold, strict=True)
        return np.array([label in gold for label, gold in pairs], dtype=bool)


@dataclass(frozen=True)
class RunResult:
    """Answers by part, and what else was noted.

    ``notes``: ``training_relations``; ``norms`` of the parameters, by name; ``seconds`` that the passes took,
    without the preparation of examples, which later seeds are spared, and summed over interruptions.
    """

    labels: tuple[str, ...]
    answers: Mapping[str, Answers]
    notes: Mapping[str, Any] = field(default_factory=dict)


CONFIGURATION, DESCRIPTION, LOG, SCORES = "config.toml", "run.json", "log.jsonl", "scores.json"
CHECKPOINT, LOCK = "checkpoint", ".lock"
JUDGED = ("dev", "test")
# What files that somebody damaged may raise: deep JSON the fifth, huge numbers the last.
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, RecursionError, AttributeError, OverflowError)


class RunFolder:
    """The directory of one plan on one corpus."""

    def __init__(self, root: Path, plan: RunPlan, corpus_digest: str) -> None:
        self.path = root / plan.directory(corpus_digest)
        self._plan = plan

    @property
    def checkpoint(self) -> Path:
        return self.path / CHECKPOINT

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Whether this process may make the run: not while another one does. Held until the end."""
        lock = FileLock(self.path / LOCK)
        taken = lock.take()
        try:
            yield taken
        finally:
            lock.give_up()

    def begin(self, description: Mapping[str, Any]) -> None:
        """Make the directory and say what the run will be. The checkpoint of an interrupted one is kept."""
        remove_scratch(self.path)
        write_text(self.path / CONFIGURATION, [commented_toml(self._plan.configuration)])
        write_text(self.path / DESCRIPTION, [json.dumps(dict(description), indent=1) + "\n"])
        write_text(self.path / LOG, [])

    def note(self, line: Mapping[str, Any]) -> None:
        """Add a pass to the log."""
        append_text(self.path / LOG, json.dumps(dict(line)) + "\n")

    def finish(self, result: RunResult, *, figures: dict[str, Any]) -> None:
        """Write the answers, then the figures, which say that all is there."""
        for part, answers in result.answers.items():
            write_text(self._predictions(part), (json.dumps(line) + "\n" for line in _lines(answers)))
        content = {
            "labels": list(result.labels),
            "parts": {part: _hash(self._predictions(part)) for part in result.answers},
            "figures": figures,
            "notes": dict(result.notes),
        }
        write_text(self.path / SCORES, [json.dumps(content, indent=1) + "\n"])
        with suppress(OSError):
            remove_stages(self.checkpoint)

    def read(self) -> RunResult | None:
        """What the finished run found; None where it is not finished, or its files are not as they were."""
        try:
            content = json.loads((self.path / SCORES).read_text(encoding="utf-8"))
            labels = tuple(map(str, content["labels"]))
            answers = {}
            for part, digest in content["parts"].items():
                if _hash(self._predictions(part)) != digest:
                    return None
                answers[part] = _read_answers(self._predictions(part), labels)
            return RunResult(labels, answers, dict(content["notes"]))
        except _UNREADABLE:
            return None

    def versions(self) -> dict[str, str]:
        """With what the run was made, as far as it is known."""
        try:
            found = json.loads((self.path / DESCRIPTION).read_text(encoding="utf-8"))["versions"]
            return {str(name): str(value) for name, value in found.items()}
        except _UNREADABLE:
            return {}

    def drop(self) -> None:
        """Remove the run's files, so that it is made anew; InputError while another process makes it."""
        try:
            if self.path.exists():
                with self.held() as mine:
                    if not mine:
                        raise InputError(
                            "Another process is making this run.",
                            where=str(self.path),
                            hint="Wait for it, or leave out --redo.",
                        )
                    remove_stages(self.checkpoint)
                    remove_scratch(self.path)
                    for name in (SCORES, CONFIGURATION, DESCRIPTION, LOG):
                        (self.path / name).unlink(missing_ok=True)
                    for part in JUDGED:
                        self._predictions(part).unlink(missing_ok=True)
        except OSError as error:
            raise InputError(
                f"The old run can't be removed: {error.strerror}.", where=str(self.path)
            ) from error

    def _predictions(self, part: str) -> Path:
        return self.path / f"predictions-{part}.jsonl"


def _lines(answers: Answers) -> Iterator[dict[str, Any]]:
    for number, scores in enumerate(answers.scores.tolist()):
        yield {
            "id": answers.relations[number],
            "document": answers.documents[number],
            "gold": list(answers.gold[number]),
            "predicted": answers.predicted[number],
            "shared_entities": bool(answers.shared[number]),
            "scores": dict(zip(answers.labels, scores, strict=True)),
        }


def _read_answers(path: Path, labels: tuple[str, ...]) -> Answers:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    scores = np.array([[line["scores"][label] for label in labels] for line in lines], dtype=np.float32)
    return Answers(
        relations=tuple(line["id"] for line in lines),
        documents=tuple(line["document"] for line in lines),
        gold=tuple(tuple(line["gold"]) for line in lines),
        shared=np.array([line["shared_entities"] for line in lines], dtype=bool),
        labels=labels,
        scores=scores.reshape(len(lines), len(labels)),
    )


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Stand in a folder, so that paths such as that of a file of vectors lead where they did in the command.

    A worker that does not see the folder stays where it is.
    """
    with chdir(folder if folder.is_dir() else Path.cwd()):
        yield
