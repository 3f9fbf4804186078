"""A run on disk.

RUNS/upward-entities-own-seed-1-0a1b2c3d4e5f/
  config.toml               every setting, with comments
  run.json                  name, seed, corpus, versions, when it began
  log.jsonl                 one line a pass, as they go by
  predictions-dev.jsonl     one line a relation: gold, predicted, scores
  predictions-test.jsonl
  scores.json               figures, and hashes of the predictions; written last: with it the run is finished
  checkpoint/               while it is not
  .lock                     while a process makes it
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from disco2.errors import InputError
from disco2.experiments.configuration import commented_toml
from disco2.experiments.runs.plan import RunPlan
from disco2.experiments.runs.result import Answers, RunResult
from disco2.files import append_text, remove_scratch, write_text
from disco2.lock import FileLock
from disco2.training.members import remove_states

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
            remove_states(self.checkpoint)

    def read(self) -> RunResult | None:
        """What the finished run found; None where it is not finished, or its files are not as they were."""
        try:
            content = json.loads((self.path / SCORES).read_text(encoding="utf-8"))
            labels = tuple(map(str, content["labels"]))
            answers = {}
            for part, digest in content["parts"].items():
                if _hash(self._predictions(part)) != digest:
                    return None
                answers[part] = _answers(self._predictions(part), labels)
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
                    remove_states(self.checkpoint)
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


def _answers(path: Path, labels: tuple[str, ...]) -> Answers:
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
