"""What runs leave on disk and read again: finished runs, unfinished outputs, saved trainings.

They are ours, and what is wrong with them means that the work is done anew: nothing is raised but where the
user must say whether to begin anew.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np

from disco2.experiments.configuration import Configuration
from disco2.experiments.runs import DESCRIPTION, SCORES, Answers, RunFolder, RunPlan, RunResult
from disco2.inference.pairs import ResumableLines, places
from tests.fuzzing.corpus_folder import NEXT_FILE
from tests.fuzzing.target import Target, scratch_folder

HASH = b"0" * 64  # in a file of scores stands for the hash of the predictions
RUN = {"model": "abc", "input": "def"}


def read_run(content: bytes) -> None:
    """A finished run's scores, predictions and description, the hash right."""
    scores, _, rest = content.partition(NEXT_FILE)
    predictions, _, description = rest.partition(NEXT_FILE)
    with scratch_folder() as root:
        folder = RunFolder(root, RunPlan("model", Configuration()), "digest")
        folder.path.mkdir()
        (folder.path / "predictions-test.jsonl").write_bytes(predictions)
        (folder.path / DESCRIPTION).write_bytes(description)
        right = hashlib.sha256(predictions).hexdigest().encode()
        (folder.path / SCORES).write_bytes(scores.replace(HASH, right))
        found = folder.read()
        for answers in found.answers.values() if found else ():
            assert answers.scores.shape == (len(answers.relations), len(answers.labels))
            assert (
                len(answers.gold) == len(answers.documents) == len(answers.shared) == len(answers.relations)
            )
        folder.versions()


def read_unfinished(content: bytes) -> None:
    """An output that was begun, and its description: whole lines of the numbers asked for are kept."""
    description, _, part = content.partition(NEXT_FILE)
    with scratch_folder() as root:
        output, lines, about = places(root / "out.jsonl")
        lines.write_bytes(part)
        about.write_bytes(description)
        with ResumableLines(output, RUN) as resumable:
            kept = resumable.keep(range(1, 4))
        left = lines.read_bytes()
        assert part.startswith(left)
        assert left.count(b"\n") == kept <= 3


def _run() -> bytes:
    scores = np.array([[0.5, 0.25]], dtype=np.float32)
    answers = Answers(("d:1",), ("d",), (("A",),), np.array([True]), ("A", "B"), scores)
    with scratch_folder() as root:
        folder = RunFolder(root, RunPlan("model", Configuration()), "digest")
        folder.path.mkdir()
        folder.begin({"versions": {"disco2": "1"}})
        folder.finish(RunResult(("A", "B"), {"test": answers}, {"seconds": 1.0}), figures={})
        predictions = (folder.path / "predictions-test.jsonl").read_bytes()
        right = hashlib.sha256(predictions).hexdigest().encode()
        kept = (folder.path / SCORES).read_bytes().replace(right, HASH)
        return NEXT_FILE.join((kept, predictions, (folder.path / DESCRIPTION).read_bytes()))


_UNFINISHED = json.dumps(RUN).encode() + NEXT_FILE + b'{"line": 1}\n{"line": 2}\n{"lin'
_JSON = (
    b"{}",
    b"[]",
    b"null",
    b"true",
    b'"',
    b"NaN",
    b"1e999",
    b"9" * 400,
    b"[" * 2000,
    b'{"a":' * 2000,
    b"\\ud800",
)

TARGETS = (
    Target(
        "run-record",
        read_run,
        (_run(),),
        (*_JSON, NEXT_FILE, b'"parts"', b'"test"', b'"../x"', b'"\\u0000"'),
    ),
    Target(
        "unfinished-output",
        read_unfinished,
        (_UNFINISHED,),
        (*_JSON, NEXT_FILE, b'{"line": 3}\n', b'"line"', b"\n"),
    ),
)
