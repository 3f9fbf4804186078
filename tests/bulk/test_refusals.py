"""A document that can't be done is listed with its reason, and the rest goes on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from disco2.annotation.annotator import ALL_LAYERS, Layers
from disco2.data import Document
from disco2.engines import LocalEngine, Task
from disco2.engines.local import LocalSession
from disco2.errors import InputError
from tests.bulk.stand_in import (
    ENDS,
    GREEDY,
    HANGS,
    REFUSED,
    STUMBLES,
    BrokenAnnotator,
    Predicting,
    WeakAnnotator,
    contents,
    documents,
    refused,
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
    (folder / "0025e.txt").mkdir()
    (folder / "0025f.txt").write_text(f"Bob left. {STUMBLES}. Tina stayed.")
    (folder / "0025g.txt").write_text(f"Bob left. {REFUSED}. Tina stayed.")
    out = tmp_path / "out"
    summary = predict(corpus / PATTERN, output=out, most_bytes=3_000)
    found = refused(out)
    assert summary.errors == len(found) == 7
    assert list(found) == [f"01/0025{letter}.txt" for letter in "abcdefg"]
    said = list(found.values())
    for part, one in zip(
        [
            "0xe9 at offset 17, line 2",
            "no word",
            "4000 bytes",
            "no such file",
            "folder",
            "slipped",
            "nonsense",
        ],
        said,
        strict=True,
    ):
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
    assert not list(tmp_path.glob("out/.working/[0-9a-f]*"))
    assert predict(tmp_path / "*.txt", output=tmp_path / "out").errors == 0


def test_halves_of_characters(predict: Predicting, tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.txt").write_bytes(rb"Bob left \ud800. Tina stayed.")
    summary = predict(tmp_path / "*.txt", output=tmp_path / "out", encoding="raw_unicode_escape")
    assert summary.errors == 5
    assert "half of a character" in refused(tmp_path / "out")["0.txt"]


class Patient(WeakAnnotator):
    """Takes its time, so that it can be interrupted."""

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        time.sleep(60)
        raise AssertionError("nobody has interrupted it")


def test_interrupts_are_no_documents_fault(
    predict: Predicting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "long.txt").write_text("Bob read a very long book. Tina slept.")
    out = tmp_path / "out"

    before: set[int] = set()

    def notes() -> set[int]:
        return {note.stat().st_ino for note in out.glob(".working/[0-9a-f]*")}

    def interrupt(session: LocalSession, seconds: float | None) -> None:
        while not notes() - before:  # until it is on the document, this time
            time.sleep(0.01)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(LocalSession, "_receive", interrupt)
        for _ in range(6):
            before = notes()
            with pytest.raises(KeyboardInterrupt):
                predict(tmp_path / "*.txt", output=out, annotator=Patient)
    assert predict(tmp_path / "*.txt", output=out).errors == 0
    predict(tmp_path / "*.txt", output=tmp_path / "quiet")
    assert contents(out) == contents(tmp_path / "quiet")


def test_a_document_that_ends_its_worker_is_found_and_left_out(
    predict: Predicting, corpus: Path, tmp_path: Path
) -> None:
    predict(corpus / PATTERN, output=tmp_path / "clean", shard_documents=20)
    (corpus / "00" / "0007x.txt").write_text(f"Bob took {ENDS}. It is late.")
    (corpus / "00" / "0011x.txt").write_text(f"Tina took {ENDS}. It is late.")
    out, notes = tmp_path / "out", list[str]()
    summary = predict(corpus / PATTERN, output=out, shard_documents=20, notes=notes, engine=LocalEngine(2))
    assert summary.errors == 2
    found = refused(out)
    assert list(found) == ["00/0007x.txt", "00/0011x.txt"]
    assert "process died" in found["00/0007x.txt"]
    assert sum("ended" in one for one in notes) >= 7
    assert documents(out) == documents(tmp_path / "clean")
    lines = [line for file in (out / "relations").iterdir() for line in file.read_bytes().splitlines()]
    others = (tmp_path / "clean" / "relations").iterdir()
    assert sorted(lines) == sorted(line for file in others for line in file.read_bytes().splitlines())
    assert not (out / ".working").exists()
    assert predict(corpus / PATTERN, output=out, shard_documents=20).made == 0


@pytest.mark.parametrize(
    ("word", "limit", "reason"),
    [
        (HANGS, {"most_seconds": 3}, "It took more than 3 seconds."),
        (GREEDY, {"most_memory": 3000}, "Its process died 3 times."),
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
    submit = LocalSession.submit

    def late(session: LocalSession, task: Task) -> None:
        if task.key == "0":  # its documents are known by now
            (corpus / "00" / "0000.txt").unlink()
            (corpus / "00" / "0001.txt").write_text("Bob changed his mind. Tina stayed.")
        submit(session, task)

    monkeypatch.setattr(LocalSession, "submit", late)
    predict(corpus / PATTERN, output=tmp_path / "out")
    assert refused(tmp_path / "out") == {"00/0000.txt": "There is no such file."}
    found = documents(tmp_path / "out")
    assert len(found) == 59
    changed = (corpus / "00" / "0001.txt").read_bytes()
    assert found["00/0001.txt"]["sha256"] == sha256(changed).hexdigest()  # what was read is what is said
    assert found["00/0001.txt"]["relations"][0]["arg1"]["text"] == "Bob changed his mind."
