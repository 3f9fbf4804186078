"""disco2 train with several corpora: [[data]] in the configuration, --data on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpora.discogem_files import write_discogem
from tests.interfaces.conftest import Run

QUICK = ("--kind", "surface", "--set", "training.epochs=1", "--automatic", "none", "--json")
LABELS = ("Contingency.Cause", "Expansion.Conjunction", "Comparison.Contrast")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pairs with level-2 senses, DiscoGeM, pairs without labels."""
    folder = tmp_path / "corpora"
    write_discogem(folder / "discogem", 12)
    lines, bare = [], []
    for number in range(36):
        pair = {
            "arg1": f"Lamp {number} went out.",
            "arg2": f"Room {number % 5} was dark, said guest {number}.",
        }
        bare.append(json.dumps(pair) + "\n")
        split = ("train", "train", "dev")[number // 3 % 3]
        lines.append(json.dumps({**pair, "label": LABELS[number % 3], "split": split}) + "\n")
    (folder / "main.jsonl").write_text("".join(lines))
    (folder / "bare.jsonl").write_text("".join(bare))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configured(place: Path, *entries: str) -> Path:
    file = place / "corpora" / "mixture.toml"
    file.write_text("".join(f"[[data]]\n{entry}\n" for entry in entries))
    return file


MAIN = 'corpus = "pairs"\npath = "main.jsonl"\nlevel = 2'
FURTHER = 'corpus = "discogem"\npath = "discogem"\nweight = 0.5'


def test_the_first_table_is_the_main_corpus_and_paths_start_at_the_file(run: Run, place: Path) -> None:
    file = configured(place, MAIN, FURTHER)
    code, out, err = run("train", "--config", file, "--output", place / "model", *QUICK)
    assert code == 0, err
    summary = json.loads(out)
    assert summary["labels"] == sorted(LABELS)
    assert (summary["training_relations"], summary["development_relations"]) == (24, 12)
    (further,) = summary["further"]
    assert (further["corpus"], further["protocol"], further["weight"]) == ("discogem", "documents", 0.5)
    assert further["overlapping"] == 0
    assert "discogem (train, protocol documents) adds" in err


def test_options_name_the_main_corpus_and_further_ones(run: Run, place: Path) -> None:
    main = ("--corpus", "pairs", "--path", "corpora/main.jsonl", "--set", "task.level=2")
    further = ("--data", "discogem=corpora/discogem:0.5")
    code, out, err = run("train", *main, *further, "--output", place / "model", *QUICK)
    assert code == 0, err
    summary = json.loads(out)
    first = ("--data", "pairs=corpora/main.jsonl", *further, "--set", "task.level=2")
    code, out, err = run("train", *first, "--output", place / "second", *QUICK)
    assert code == 0, err
    assert json.loads(out)["further"] == summary["further"]
    for name in ("parameters.safetensors", "features.json"):
        assert (place / "model" / name).read_bytes() == (place / "second" / name).read_bytes()
    assert str(place) not in (place / "model" / "bundle.json").read_text()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('corpus = "discogem"\npath = "discogem"\nwieght = 1', "'wieght'"),
        ('corpus = "discogen"\npath = "discogem"', "Did you mean 'discogem'?"),
        ('corpus = "discogem"', "The path is missing"),
        ('corpus = "discogem"\npath = "nowhere"', "no such folder"),
        ('corpus = "discogem"\npath = "discogem"\npart = "blind"', "part 'blind'"),
        ('corpus = "discogem"\npath = "discogem"\nweight = 0', "above 0"),
        ('corpus = "discogem"\npath = "discogem"\nlevel = 4', "no level 4"),
        ('corpus = "pairs"\npath = "bare.jsonl"', "has a label"),
    ],
)
def test_what_makes_no_sense_is_refused(run: Run, place: Path, entry: str, message: str) -> None:
    code, _, err = run(
        "train", "--config", configured(place, MAIN, entry), "--output", place / "model", *QUICK
    )
    assert code == 2
    assert message in " ".join(err.split())
    assert "Traceback" not in err
    assert not (place / "model").exists()


def test_a_main_corpus_that_trains_on_another_part(run: Run, place: Path) -> None:
    file = configured(place, MAIN + '\npart = "dev"', FURTHER)
    code, _, err = run("train", "--config", file, "--output", place / "model", *QUICK)
    assert (code, "'train'" in err) == (2, True)


def test_the_same_corpus_twice(run: Run, place: Path) -> None:
    main = ("--corpus", "pairs", "--path", "corpora/main.jsonl")
    code, _, err = run(
        "train", *main, "--config", configured(place, MAIN), "--output", place / "model", *QUICK
    )
    assert (code, "in [[data]] as well" in " ".join(err.split())) == (2, True)


@pytest.mark.parametrize("text", ["discogem", "=corpora", "discogem=", "odd=corpora", "discogem=corpora:0"])
def test_options_that_make_no_sense(run: Run, place: Path, text: str) -> None:
    main = ("--corpus", "pairs", "--path", "corpora/main.jsonl")
    code, _, err = run("train", *main, "--data", text, "--output", place / "model", *QUICK)
    assert code == 2
    assert f"--data {text}" in err


def test_other_commands_take_one_corpus(run: Run, place: Path) -> None:
    main = ("--corpus", "pairs", "--path", "corpora/main.jsonl")
    file = configured(place, FURTHER)
    for command in (("tune", "--output", "best.toml"), ("experiment", "multiclass")):
        code, _, err = run(*command, *main, "--config", file)
        assert (code, "works on one corpus" in " ".join(err.split())) == (2, True), err
