"""Trainings as folders: planned, done once, read back.

RUNS/upward-entities-own-seed-1-0a1b2c3d4e5f/
  config.toml               every setting, with comments
  run.json                  name, seed, corpus, versions, start
  predictions-dev.jsonl     one line for each relation: gold, predicted, scores
  predictions-test.jsonl
  scores.json               figures, and hashes of the predictions; written last, so that the run is finished

The name of a folder follows from all that a run depends on, so a finished run is never done again. Two
commands that do the same run at the same time write the same bytes, each file renamed into place.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from disco2.data import Corpus
from disco2.engines import LocalEngine, Task
from disco2.errors import CorpusError, InputError
from disco2.evaluation.scores import evaluate
from disco2.experiments.configuration import Configuration, commented_toml
from disco2.experiments.division import divide
from disco2.experiments.evaluating import Answers, answer_instances
from disco2.experiments.train_run import Preparations, preparation_key, train_model
from disco2.files import hash_file, write_text
from disco2.model.network import is_compiled
from disco2.model.parameters import check_finite
from disco2.vectors.word_vectors import SHIPPED, WORD2VEC
from disco2.version import VERSION

OWN = "own"
SCORES = "scores.json"
JUDGED = ("dev", "test")
# What damaged files may raise: deep JSON a RecursionError, huge numbers an OverflowError.
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, RecursionError, AttributeError, OverflowError)
PACKAGES = "numpy numba scipy safetensors spacy gensim optuna matplotlib scikit-learn"


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
        """A readable name with a hash of all that a run depends on.

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


@dataclass(frozen=True)
class RunResult:
    """Answers by part, and notes: ``training_relations``, ``norms`` of the parameters by name, ``seconds``.

    The seconds are those of the passes, without the preparation of examples, which later seeds reuse.
    """

    labels: tuple[str, ...]
    answers: Mapping[str, Answers]
    notes: Mapping[str, Any] = field(default_factory=dict)


def write_result(folder: Path, result: RunResult, figures: dict[str, Any]) -> None:
    """Write the answers, then the figures: with them the run is finished."""
    for part, answers in result.answers.items():
        write_text(_predictions(folder, part), (json.dumps(line) + "\n" for line in answers.records()))
    content = {
        "labels": list(result.labels),
        "parts": {part: hash_file(_predictions(folder, part)) for part in result.answers},
        "figures": figures,
        "notes": dict(result.notes),
    }
    write_text(folder / SCORES, [json.dumps(content, indent=1) + "\n"])


def read_result(folder: Path) -> RunResult | None:
    """The result of a finished run; None if it is not finished, or its files were changed."""
    try:
        content = json.loads((folder / SCORES).read_text(encoding="utf-8"))
        labels = tuple(map(str, content["labels"]))
        files = {part: _predictions(folder, part) for part in content["parts"]}
        if any(hash_file(files[part]) != digest for part, digest in content["parts"].items()):
            return None
        answers = {part: _read_answers(file, labels) for part, file in files.items()}
        return RunResult(labels, answers, dict(content["notes"]))
    except _UNREADABLE:
        return None


def _predictions(folder: Path, part: str) -> Path:
    return folder / f"predictions-{part}.jsonl"


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


class Runs:
    """The folder of all runs on some versions of a corpus, by the name of their layers."""

    def __init__(self, root: Path, corpora: Mapping[str, Corpus]) -> None:
        self.root = root
        self.corpora = corpora
        self._digests = {name: corpus_digest(corpus) for name, corpus in corpora.items()}
        self._read: dict[RunPlan, RunResult] = {}
        self._preparations = {name: Preparations() for name in corpora}

    def folder(self, plan: RunPlan) -> Path:
        return self.root / plan.directory(self._digests[plan.layers])

    def is_finished(self, plan: RunPlan) -> bool:
        if plan not in self._read and (found := read_result(self.folder(plan))):
            self._read[plan] = found
        return plan in self._read

    def perform(self, plan: RunPlan) -> RunResult:
        """The result of a run, which is done now if it is not finished."""
        if not self.is_finished(plan):
            preparations = self._preparations[plan.layers]
            self._read[plan] = _train(plan, self.corpora[plan.layers], self.folder(plan), preparations)
        return self._read[plan]


def _train(plan: RunPlan, corpus: Corpus, folder: Path, preparations: Preparations) -> RunResult:
    """Train as planned and answer the dev and the test part."""
    parts = divide(corpus, plan.configuration)
    if not parts.instances["test"]:
        raise CorpusError(
            f"There is no labelled relation to test on under the protocol '{parts.protocol}'.",
            where=corpus.name,
            hint="Name another split, such as: --set task.protocol=cv5-0",
        )
    description = {
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
    write_text(folder / "config.toml", [commented_toml(plan.configuration)])
    write_text(folder / "run.json", [json.dumps(description, indent=1) + "\n"])
    fitted = train_model(corpus, parts, plan.configuration, preparations=preparations)
    model = fitted.model
    check_finite(model.parameters, where=f"{plan.model}, seed {plan.seed}")
    answers = {part: answer_instances(model, corpus, parts.instances[part]) for part in JUDGED}
    notes = {
        "seconds": round(fitted.history.seconds, 2),
        "training_relations": fitted.training_relations,
        "norms": {name: float(np.linalg.norm(value)) for name, value in model.parameters.items()},
    }
    figures = {
        part: evaluate(
            some.gold,
            some.predicted,
            some.shared.tolist(),
            labels=some.labels,
            seed=plan.seed,
            positive=parts.task.versus or None,
        ).to_json()
        for part, some in answers.items()
        if some.relations
    }
    result = RunResult(model.labels, answers, notes)
    write_result(folder, result, figures)
    return result


RunProgress = Callable[[RunPlan, int, int], None]  # called after each run: how many are done, of how many


def perform_all(
    runs: Runs,
    plans: Iterable[RunPlan],
    *,
    jobs: int = 1,
    progress: RunProgress = lambda plan, done, total: None,
    notice: Callable[[str], None] = lambda text: None,
) -> None:
    """Do every run that is not finished. An error stops the work; finished runs stay."""
    # Runs that start from the same examples come one after the other, so that these are prepared once.
    groups: dict[Hashable, dict[str, RunPlan]] = {}
    for plan in dict.fromkeys(plans):
        if not runs.is_finished(plan):
            group = groups.setdefault((plan.layers, preparation_key(plan.configuration)), {})
            group[runs.folder(plan).name] = plan
    waiting = {name: plan for group in groups.values() for name, plan in group.items()}
    for done, (name, _) in enumerate(
        work_on(waiting.items(), runs.perform, jobs=jobs, notice=notice), start=1
    ):
        progress(waiting[name], done, len(waiting))


def work_on(
    tasks: Iterable[tuple[str, Any]], work: Callable[[Any], Any], *, jobs: int, notice: Callable[[str], None]
) -> Iterator[tuple[str, Any]]:
    """The names of tasks with the results of the work on them, in this process or, with ``jobs``, in several.

    ``notice`` is called when a process dies.
    """
    if jobs == 1:
        yield from ((name, work(given)) for name, given in tasks)
        return
    with LocalEngine(jobs).session(work, notice=notice) as session:
        for outcome in session.run(Task(*task) for task in tasks):
            if outcome.died:
                raise InputError(
                    f"One process after the other ended, the last ones {outcome.died}.",
                    hint="Is there enough memory? Start the same command again, perhaps with fewer --jobs: "
                    "it continues with what is not finished.",
                )
            yield outcome.task.key, outcome.result


def plain_words(words: Iterable[str]) -> str:
    """``Upward + entities``, ``seed 1`` -> ``upward-entities-seed-1``; empty words are left out."""
    return "-".join(re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") for word in words if word)


def readable_name(words: Iterable[str], content: Mapping[str, Any]) -> str:
    """``plain_words`` with a hash of the content's JSON: ``upward-entities-seed-1-0a1b2c3d4e5f``."""
    return f"{plain_words(words)}-{sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]}"


def vectors_digest(source: str) -> str:
    """The SHA-256 of a file of vectors; empty if the source is no file or can't be read."""
    path = Path(os.path.expanduser(source))  # noqa: PTH111  as ``load_vectors`` has it
    try:
        return "" if source in (SHIPPED, WORD2VEC) else _digest(path.resolve(), path.stat().st_mtime_ns)
    except (OSError, ValueError):
        return ""


@cache
def _digest(path: Path, changed: int) -> str:
    return hash_file(path)


def corpus_digest(corpus: Corpus) -> str:
    """A hash of everything a run reads of a corpus: texts, layers, relations and parts, in their order."""
    digest = sha256(f"{corpus.name}\0{corpus.inventory}\0{sorted(corpus.parts.items())}".encode())
    if corpus.groups:
        digest.update(f"{sorted(corpus.groups.items())}\0".encode(errors="replace"))
    for name, document in corpus.documents.items():
        layers = (document.text, document.tokens, document.sentences, document.mentions)
        digest.update(f"{name}\0{layers!r}\0".encode(errors="replace"))
    for relation in corpus.relations:
        digest.update(f"{replace(relation, where='')!r}\0".encode(errors="replace"))
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """This package, Python, the machine, and every installed package that figures may depend on."""
    found = {"disco2": VERSION, "python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES.split():
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found | {"arithmetic": "compiled" if is_compiled() else "NumPy"}
