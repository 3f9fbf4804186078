"""A worker's memory, and the command's, whatever the size of the corpus."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

from disco2.bulk.output import OutputFolder
from disco2.bulk.work import BATCH_BYTES, BATCH_DOCUMENTS, SEPARATOR, ShardWork, split_batches
from tests.bulk.stand_in import Opened, Predicting, job_of, text


def test_a_worker_holds_one_batch_of_answers(predict: Predicting, tmp_path: Path) -> None:
    """Eight times the documents in a shard need little more: their bytes, and what they are called."""
    (tmp_path / "in").mkdir()
    for number in range(8 * 40):
        (tmp_path / "in" / f"{number:04d}").write_text(text(number % 4) * 5)
    work = ShardWork(
        str(tmp_path / "in"),
        OutputFolder(tmp_path / "out", "jsonl"),
        job_of(predict.bundle),
        Opened(predict.bundle),
    )

    def peak(documents: int) -> int:
        names = [b"%04d" % number for number in range(documents)]
        work(SEPARATOR.join(names[:32]))  # what is loaded once is loaded
        tracemalloc.start()
        record = work(SEPARATOR.join(names))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (record["documents"], record["errors"]) == (documents, 0)
        return most

    assert peak(320) < 2 * peak(40)


def test_batches_are_bounded_and_follow_from_the_sizes_alone() -> None:
    assert list(split_batches([10] * 70)) == [range(32), range(32, 64), range(64, 70)]
    assert list(split_batches([BATCH_BYTES // 2] * 5)) == [range(2), range(2, 4), range(4, 5)]
    assert list(split_batches([1, 2 * BATCH_BYTES, 1])) == [range(1), range(1, 2), range(2, 3)]
    assert list(split_batches([])) == []
    assert BATCH_DOCUMENTS == 32
