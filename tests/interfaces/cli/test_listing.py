"""Terminal output: labels and names are shown, and control characters in them have no effect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import disco2
from disco2.bulk.run import BulkProgress
from disco2.bundle import save_bundle
from disco2.interfaces.cli.listing import standing_line
from disco2.interfaces.cli.options import AnnotatorOptions
from tests.inference.rule_annotator import RuleAnnotator
from tests.inference.small_pipeline import small_model
from tests.interfaces.conftest import Run
from tests.interfaces.stand_in import stand_in

CONTROL = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e\x7f\x08"
MARKUP = "</script><img src=x onerror=alert(1)>{{ 7 * 7 }}[bold]"
HOSTILE = [f"{CONTROL}{number}{MARKUP}" for number in range(4)]
TEXT = "Bob stayed at home. It rained all day."


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(AnnotatorOptions, "open", stand_in)
    model = replace(small_model(), labels=tuple(HOSTILE))
    named = {"name": f"n{CONTROL}{MARKUP}", "licence": f"l{CONTROL}{MARKUP}", "corpus": CONTROL}
    save_bundle(model, tmp_path / "model", data=named)
    return tmp_path / "model"


def has_control(shown: str) -> bool:
    return any(sign in shown for sign in CONTROL if not sign.isprintable())


@pytest.mark.parametrize(
    "command", [["predict", TEXT], ["predict", TEXT, "--explain"], ["doctor", "--quick"]]
)
def test_labels_on_the_terminal(command: list[str], run: Run, bundle: Path) -> None:
    _, out, err = run(*command, "--model", bundle)
    assert "onerror" in out
    assert not has_control(out + err)


def test_labels_in_json_and_pages(run: Run, bundle: Path) -> None:
    _, out, _ = run("predict", TEXT, "--json", "--model", bundle)
    assert not has_control(out)
    assert json.loads(out)["relations"][0]["sense"] in HOSTILE
    pipeline = disco2.load(bundle, annotators=RuleAnnotator())
    page = disco2.render(pipeline(TEXT), pipeline=pipeline, jupyter=False) or ""
    assert ("onerror" in page, "<img" in page, "49[" in page) == (True, False, False)


def test_file_names_in_errors(run: Run, tmp_path: Path) -> None:
    code, out, err = run("predict", TEXT, "--model", tmp_path / CONTROL)
    assert (code, "title" in err, has_control(out + err)) == (2, True, False)


def test_line_breaks_in_file_names_do_not_forge_messages(run: Run, tmp_path: Path) -> None:
    code, _, err = run("predict", TEXT, "--model", tmp_path / "a\nerror: all is lost")
    assert (code, "a?error: all is lost" in err, "\nerror: all is lost" in err) == (2, True, False)


FORGED = "\nerror: all is lost"


def test_line_breaks_in_names_and_labels_forge_no_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is printed on a line of its own command: documents, outputs, labels, corpora and models."""
    monkeypatch.setattr(AnnotatorOptions, "open", stand_in)
    model = replace(small_model(), labels=tuple(f"{n}{FORGED}" for n in range(4)))
    save_bundle(model, tmp_path / "m", data=dict.fromkeys(("name", "licence", "corpus"), FORGED))
    (tmp_path / "in").mkdir()
    for name in (f"a{FORGED}.txt", f"{FORGED}.txt"):
        (tmp_path / "in" / name).write_text("")
    pairs = tmp_path / f"pairs{FORGED}.jsonl"
    pair = {"arg1": "It rained.", "arg2": "We left.", "label": f"0{FORGED}", "part": "test"}
    pairs.write_text(
        "".join(json.dumps(one) + "\n" for one in (pair, {**pair, "label": f"1{FORGED}"})) + "x\n"
    )
    here = ("--model", tmp_path / "m")
    corpus = ("--corpus", "pairs", "--path", pairs, "--automatic", "none")
    for command in (
        ("predict", TEXT, *here, "--explain"),
        ("predict-pairs", pairs, *here),
        ("bulk", tmp_path / "in" / "*", "--output", tmp_path / f"out{FORGED}", "--workers", 1, *here),
        ("corpus", "stats", *corpus),
        ("doctor", "--quick", *here),
    ):
        _, out, err = run(*command)
        assert "all is lost" in out + err, command
        assert FORGED not in f"\n{out}\n{err}", command


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_labels_in_narrow_terminals_of_any_encoding(tmp_path: Path, encoding: str) -> None:
    labels = ("[/red]", ":smile:", "caf\u00e9", "\U0001f600")
    lines = [{"arg1": f"It rained {n}.", "arg2": "We left.", "label": labels[n % 4]} for n in range(40)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ("corpus", "stats", "--corpus", "pairs", "--automatic", "none", "--path")
    done = subprocess.run(
        [sys.executable, "-m", "disco2", *command, str(tmp_path / "pairs.jsonl")],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "20"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    for label in labels:
        assert label.encode(encoding, errors="backslashreplace").decode(encoding) in done.stdout
    assert "\u2026" not in done.stdout  # nothing is cut off


def test_a_line_of_progress() -> None:
    half = BulkProgress(4_000, 1_700_000, 1_809, 800_000, seconds=20.0)
    assert standing_line(half) == "1,809 of 4,000 documents, 0 sentences a second"
    half.made_bytes, half.made_sentences = 800_000, 8_000
    assert standing_line(half).endswith("documents, 400 sentences a second, 0:00:22 left")
