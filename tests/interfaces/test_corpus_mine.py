"""disco2 corpus mine: what is said and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.conftest import Run

TEXT = "The boat was slow. However, it reached the harbour.\n\nWe stayed at home because it was cold.\n"


def test_pairs_are_written_and_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    held = tmp_path / "held.txt"
    held.write_text("We stayed at home because it was cold.")
    output = tmp_path / "pairs.jsonl"
    command = ["corpus", "mine", "--files", f"{tmp_path}/a.txt", "--output", output, "--jobs", 1]
    code, out, err = run(*command)
    assert (code, err) == (0, "")
    assert out.endswith(f"{output}: 2 pairs\n")
    assert "Contingency.Cause.Reason" in out
    code, out, err = run(*command, "--exclude", held, "--per-sense", 5, "--place", "both")
    assert code == 0
    assert "no pair may contain one of 1 sentences" in err
    assert [json.loads(line)["connective"] for line in output.read_text().splitlines()] == ["however"]
    pairs = tmp_path / "held.jsonl"
    pairs.write_text(json.dumps({"arg1": held.read_text(), "arg2": "We slept.", "label": "x"}))
    for option, value in (("--exclude", pairs), ("--exclude-corpus", f"pairs={pairs}")):
        code, out, err = run(*command, option, value)
        assert (code, out.endswith(": 1 pairs\n")) == (0, True)
        assert "no pair may contain one of 1 sentences" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--place", "here"], "Unknown place 'here'. Choose one of: both, between, inside."),
        (["--paragraphs", "page"], "Unknown paragraph mode 'page'."),
        (["--most-words", "1"], "An argument can't have 3 to 1 words."),
        (["--exclude-corpus", "gum"], "'gum' names no corpus. Give KIND=PATH"),
        (["--exclude-corpus", "gumm=x"], "gumm"),
        (["--encoding", "no-such"], "There is no encoding 'no-such'."),
        (["--exclude", "no-such.txt"], "no-such.txt"),
        ([], "No text matches."),
    ],
)
def test_what_is_refused(run: Run, tmp_path: Path, options: list[str], said: str) -> None:
    code, out, err = run(
        "corpus", "mine", "--files", f"{tmp_path}/*.txt", "--output", tmp_path / "out.jsonl", *options
    )
    assert (code, out) == (2, "")
    assert said in err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "b.txt.xz").write_text("no xz")
    output = tmp_path / "pairs.jsonl"
    code, out, err = run("corpus", "mine", "--files", f"{tmp_path}/*.txt*", "--output", output, "--jobs", 1)
    assert code == 2
    assert "2 pairs" in out
    assert "b.txt.xz: It can't be read" in err
    assert "1 files could not be read to their end; the others are done." in err
