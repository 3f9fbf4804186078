"""What a worker does: documents that fail are listed with a reason, and memory is bounded."""

from __future__ import annotations

import os
import tracemalloc
from hashlib import sha256
from pathlib import Path

import pytest

from disco2.bulk import run
from disco2.bulk.documents import Source
from disco2.bulk.output import OutputFolder
from disco2.bulk.work import BATCH_BYTES, BATCH_DOCUMENTS, SEPARATOR, ShardWork, split_batches
from disco2.engines import Task
from disco2.engines.local import LocalSession
from disco2.errors import InputError
from tests.bulk.stand_in import (
    ENDS,
    GREEDY,
    HANGS,
    REFUSED,
    STUMBLES,
    BrokenAnnotator,
    Opened,
    Predicting,
    contents,
    documents,
    job_of,
    refused,
    text,
)

PATTERN = "**/*.txt"


def test_bad_documents_are_listed_and_the_rest_goes_on(
    predict: Predicting, corpus: Path, tmp_path: Path
) -> None:
    predict(corpus / PATTERN, output=tmp_path / "clean")
    folder = corpus / "01"
    (folder / "0025a.txt").write_bytes(b"Bob left.\nThe caf\xe9 closed.")
    (folder / "0025b.txt").write_bytes(b"")
    (folder / "0025c.txt").write_bytes(b"x " * 2_000)
    (folder / "0025d.txt").symlink_to("gone")
    os.mkfifo(folder / "0025e.txt")
    (folder / "0025f.txt").write_text(f"Bob left. {STUMBLES}. Tina stayed.")
    (folder / "0025g.txt").write_text(f"Bob left. {REFUSED}. Tina stayed.")
    out = tmp_path / "out"
    summary = predict(corpus / PATTERN, output=out, most_bytes=3_000)
    found = refused(out)
    assert summary.errors == len(found) == 7
    assert list(found) == [f"01/0025{letter}.txt" for letter in "abcdefg"]
    parts = (
        "0xe9 in position 17",
        "no word",
        "too large",
        "can't be read",
        "not a regular file",
        "slipped",
        "nonsense",
    )
    for part, one in zip(parts, found.values(), strict=True):
        assert part in one
    assert documents(out) == documents(tmp_path / "clean")
    assert predict(corpus / PATTERN, output=out, most_bytes=3_000).made == 0
    (folder / "0025d.txt").unlink()
    (folder / "0025d.txt").write_text("Here I am. It rained.")
    assert 1 <= predict(corpus / PATTERN, output=out, most_bytes=3_000).made <= 2
    assert "01/0025d.txt" in documents(out)
    assert len(refused(out)) == 6


@pytest.mark.parametrize("bad", [REFUSED, STUMBLES])
def test_bad_documents_in_a_row_do_not_stop_the_run(predict: Predicting, tmp_path: Path, bad: str) -> None:
    for number in range(12):
        (tmp_path / f"{number:02d}.txt").write_text(f"Bob left. {bad if number < 9 else 'Tina'} stayed.")
    summary = predict(tmp_path / "*.txt", output=tmp_path / "out")
    assert (summary.documents, summary.errors) == (12, 9)
    assert set(documents(tmp_path / "out")) == {"09.txt", "10.txt", "11.txt"}


def test_an_annotator_that_refuses_everything_stops_the_run(predict: Predicting, tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text("Bob left. Tina stayed.")
    with pytest.raises(InputError, match=r"fail on any text.*The parser does not answer"):
        predict(tmp_path / "*.txt", output=tmp_path / "out", annotator=BrokenAnnotator)
    assert predict(tmp_path / "*.txt", output=tmp_path / "out").errors == 0


def test_a_shard_whose_workers_end_is_named_and_the_others_are_kept(
    predict: Predicting, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "ATTEMPTS", 2)
    bad = corpus / "00" / "0007x.txt"
    bad.write_text(f"Bob took {ENDS}. It is late.")
    out, notes = tmp_path / "out", list[str]()
    with pytest.raises(
        InputError, match=r"1 shards are missing: 2 processes died on each \(00/.*exit code 7"
    ):
        predict(corpus / PATTERN, output=out, notes=notes)
    assert len(notes) == 2
    assert not (out / "manifest.json").exists()
    bad.unlink()
    assert 1 <= predict(corpus / PATTERN, output=out).made <= 2
    predict(corpus / PATTERN, output=tmp_path / "clean")
    assert contents(out) == contents(tmp_path / "clean")


@pytest.mark.parametrize(
    ("word", "limit", "reason"),
    [
        (HANGS, {"most_seconds": 3}, "It took more than 3 seconds."),
        (GREEDY, {"most_memory": 3000}, "There is not enough memory for it."),
    ],
)
def test_a_document_that_takes_too_much_time_or_memory_is_left_out(
    predict: Predicting, tmp_path: Path, word: str, limit: dict[str, int], reason: str
) -> None:
    for number in range(6):
        (tmp_path / f"{number}.txt").write_text(f"Bob left. {word if number == 3 else 'Tina'} stayed.")
    out = tmp_path / "out"
    assert predict(tmp_path / "*.txt", output=out, **limit).errors == 1
    assert refused(out) == {"3.txt": reason}
    assert len(documents(out)) == 5
    assert not (out / ".working").exists()


def test_files_that_go_or_change_between_planning_and_reading(
    predict: Predicting, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = LocalSession._start

    def late(session: LocalSession, task: Task) -> None:
        if task.key == "0":  # its documents are known by now
            (corpus / "00" / "0000.txt").unlink()
            (corpus / "00" / "0001.txt").write_text("Bob changed his mind. Tina stayed.")
        start(session, task)

    monkeypatch.setattr(LocalSession, "_start", late)
    predict(corpus / PATTERN, output=tmp_path / "out")
    assert refused(tmp_path / "out") == {"00/0000.txt": "It can't be read: No such file or directory."}
    found = documents(tmp_path / "out")
    assert len(found) == 59
    changed = (corpus / "00" / "0001.txt").read_bytes()
    assert found["00/0001.txt"]["sha256"] == sha256(changed).hexdigest()  # what was read is what is said
    assert found["00/0001.txt"]["relations"][0]["arg1"]["text"] == "Bob changed his mind."


def test_a_worker_holds_one_batch_of_answers(predict: Predicting, tmp_path: Path) -> None:
    """Four times the documents in a shard need little more: their bytes, and what they are called."""
    (tmp_path / "in").mkdir()
    for number in range(160):
        (tmp_path / "in" / f"{number:04d}").write_text(text(number % 4) * 5)
    job, folder = job_of(predict.bundle), OutputFolder(tmp_path / "out", "jsonl")
    folder.begin({"job": job.to_json()}, restart=False)
    work = ShardWork(str(tmp_path / "in"), folder, job, Opened(predict.bundle))

    def peak(documents: int) -> int:
        names = [b"%04d" % number for number in range(documents)]
        work(SEPARATOR.join(names[:32]))  # what is loaded once is loaded
        tracemalloc.start()
        record = work(SEPARATOR.join(names))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (record["documents"], record["errors"]) == (documents, 0)
        return most

    assert peak(160) < 2 * peak(40)


def test_batches_are_bounded_and_follow_from_the_sizes_alone() -> None:
    def split(*sizes: int) -> list[int]:
        return [len(batch) for batch in split_batches([Source("", bytes(size)) for size in sizes])]

    assert split(*[10] * 70) == [32, 32, 6]
    assert split(*[BATCH_BYTES // 2] * 5) == [2, 2, 1]
    assert split(1, 2 * BATCH_BYTES, 1) == [1, 1, 1]
    assert split() == []
    assert BATCH_DOCUMENTS == 32
