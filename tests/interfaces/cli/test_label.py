"""disco2 label: questions, keys, undo, and a file that the next call continues."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pytest

from disco2.corpora.pairs import read_pairs
from disco2.interfaces.cli.label import COLUMNS, KEYS
from tests.inference.small_pipeline import LABELS
from tests.interfaces.conftest import Run

TEXT = "Bob likes tea. Tina prefers coffee. Max went home. Prices rose in May. However, nobody cared."
KEY = dict(zip(LABELS, KEYS, strict=False))
CAUSE, CONTRAST, NOREL = (KEY[label] for label in ("Contingency.Cause", "Comparison.Contrast", "NoRel"))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "story.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def label(run_small: Run, small_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Run the command with these answers; exit code, output, and the rows of the file."""

    def runs(file: Path, answers: str) -> tuple[int, str, list[dict[str, str]]]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(answers.split()) + "\n"))
        output = tmp_path / "labels.csv"
        code, out, err = run_small("label", file, "--output", output, "--model", small_bundle)
        rows = []
        if output.exists():
            with output.open(encoding="utf-8", newline="") as stream:
                rows = list(csv.DictReader(stream))
        return code, out + err, rows

    return runs


def test_the_least_certain_pair_is_asked_first_and_answers_are_saved(label, text: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, rows = label(text, f"{CAUSE} {NOREL} q")
    assert code == 0
    shown = [float(line.split()[-1].rstrip("%")) for line in out.splitlines() if line.endswith("%")]
    tops = [shown[place] for place in range(0, len(shown), len(LABELS))]
    assert len(tops) == 3  # the last pair of the text opens with a connective
    assert tops == sorted(tops)
    assert [row["label"] for row in rows] == ["Contingency.Cause", "NoRel"]
    assert list(rows[0]) == COLUMNS
    assert rows[0]["source"] == "story"
    assert "2 labels; 1 pairs of" in out
    code, out, more = label(text, CONTRAST)
    assert "2 of 3 pairs are labelled already" in out
    assert more[:2] == rows
    assert more[2]["label"] == "Comparison.Contrast"
    assert "3 labels; 0 pairs of" in label(text, "")[1]
    corpus = read_pairs(text.with_name("labels.csv"))
    assert [one.senses[0] for one in corpus.relations] == [row["label"] for row in more]


def test_skip_undo_help_and_unknown_keys(label, text: Path) -> None:  # type: ignore[no-untyped-def]
    _, out, rows = label(text, f"u {CAUSE} s u u comparison.contrast zz ? S")
    assert [row["label"] for row in rows] == ["Comparison.Contrast"]
    assert "'u' is none of these keys." in out
    assert "'zz' is none of these keys." in out
    assert out.count("show these keys") == 4


def test_pairs_from_csv_offer_senses_only(label, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "pairs.csv"
    path.write_text("arg1,arg2,id\nBob is tall.,Tina is short.,p1\nA,,p2\n", encoding="utf-8")
    code, out, rows = label(path, CAUSE)
    assert (code, [(row["id"], row["label"]) for row in rows]) == (0, [("p1", "Contingency.Cause")])
    assert "NoRel" not in out
    assert "pairs.csv:3: " in out


@pytest.mark.parametrize(
    ("content", "message"),
    [("arg1,arg2,label\na,b,c\n", "not written by disco2 label"), ("", "not written by disco2 label")],
)
def test_a_file_of_others_is_not_overwritten(label, text: Path, content: str, message: str) -> None:  # type: ignore[no-untyped-def]
    output = text.with_name("labels.csv")
    output.write_text(content, encoding="utf-8")
    code, out, _ = label(text, CAUSE)
    assert (code, message in out) == (2, True)
    assert output.read_text(encoding="utf-8") == content


def test_inputs_that_cant_be_labelled(label, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    single = tmp_path / "one.txt"
    single.write_text("It rained.", encoding="utf-8")
    for file, message in (
        (single, "There is no pair to label."),
        (tmp_path / "missing.txt", "No such file or directory"),
        (Path("-"), "Standard input is for the answers."),
        (tmp_path / "labels.csv", "The output would overwrite its input."),
    ):
        code, out, _ = label(file, CAUSE)
        assert (code, message in out) == (2, True), file
