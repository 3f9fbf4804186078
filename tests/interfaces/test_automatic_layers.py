"""Commands that make the layers of a corpus anew, and that measure or train annotators."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.conftest import Run

PAIRS = [
    ("Ann was hungry.", "She ate a bun.", "Result"),
    ("Ben was tired.", "He slept for hours.", "Result"),
    ("Cleo left early.", "She had missed her bus.", "Reason"),
    ("Dan ran home.", "He was late.", "Reason"),
] * 4


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("automatic") / "pairs.jsonl"
    with file.open("w") as stream:
        for number, (arg1, arg2, label) in enumerate(PAIRS):
            part = "train" if number < 8 else "dev" if number < 12 else "test"
            record = {"arg1": arg1, "arg2": arg2, "label": label, "split": part, "id": str(number)}
            stream.write(json.dumps(record) + "\n")
    return file


def test_pairs_get_trees_and_chains(run: Run, pairs: Path) -> None:
    def shares(*options: str) -> list[float]:
        code, out, err = run("corpus", "stats", "--corpus", "pairs", "--path", pairs, "--json", *options)
        assert code == 0, err
        return [part["shared_entities"] for part in json.loads(out)["splits"].values()]

    assert not any(shares("--automatic", "none"))
    assert all(share > 0.7 for share in shares())
    assert shares() == shares("--automatic", "all") == shares("--no-cache")


def test_a_model_remembers_that_its_layers_were_automatic(run: Run, pairs: Path, tmp_path: Path) -> None:
    corpus = ("--corpus", "pairs", "--path", pairs)
    quick = ("--set", "training.epochs=2", "--set", "model.K=20", "--set", "features.minimum_count=1")
    code, _, err = run("train", *corpus, *quick, "--output", tmp_path / "model")
    assert code == 0, err
    card = (tmp_path / "model" / "MODEL_CARD.md").read_text()
    assert "Layers: tokens, tags, dependencies, constituents, coreference by disco2 English" in card
    code, _, err = run("evaluate", "--model", tmp_path / "model", *corpus, "--automatic", "all")
    assert (code, "warning" in err) == (0, False)
    code, _, err = run("evaluate", "--model", tmp_path / "model", *corpus, "--automatic", "none")
    assert (code, "trained with automatic tokens" in err) == (0, True)


def test_layers_are_compared_with_several_seeds(run: Run, pairs: Path) -> None:
    command = ("experiment", "layers", "--corpus", "pairs", "--path", pairs, "--automatic", "all")
    quick = ("--set", "model.kind=surface", "--set", "training.epochs=2", "--set", "task.minimum=1")
    code, out, err = run(*command, *quick, "--seeds", 2, "--json")
    assert code == 0, err
    (table,) = json.loads(out)["layers"]["tables"]
    assert table["columns"][:3] == ["layers", "part", "given arguments"]
    assert [row[:2] for row in table["rows"]] == [
        [layers, part] for layers in ("the corpus's own", "automatic: all") for part in ("dev", "test")
    ]
    senses = [row[2] for row in table["rows"]]
    assert all(one["n"] == 4 and one["deviation"] is not None for one in senses)
    assert "running text" in run(*command, *quick, "--seeds", 1)[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--automatic", "trees"), "no layer 'trees'"),
        (("--automatic", "tokens,tags"), "can't be combined"),
        (("--automatic", ","), "No layer is named"),
        (("--automatic", "none,tags"), "stands alone"),
        (("--automatic", "all", "--spacy", "no_such_pipeline"), "no_such_pipeline"),
    ],
)
def test_layers_that_can_not_be_made_are_refused(
    run: Run, pairs: Path, options: tuple[str, ...], said: str
) -> None:
    code, _, err = run("corpus", "stats", "--corpus", "pairs", "--path", pairs, *options)
    assert (code, said in err) == (2, True)


def test_annotators_are_trained_and_measured_only_where_that_makes_sense(
    run: Run, tmp_path: Path, gum: Path
) -> None:
    train = ("annotator", "train", "--output", tmp_path / "a", "--gum")
    for arguments, said in (
        ((*train, gum, "--only", "poetry"), "no component 'poetry'"),
        ((*train, tmp_path), "no relations"),
        (("annotator", "evaluate", "--gum", gum, "--part", "extra"), "no part 'extra'"),
    ):
        code, _, err = run(*arguments)
        assert (code, said in err) == (2, True), err
    assert not (tmp_path / "a").exists()


def test_the_shipped_model_is_judged_where_no_other_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    labels = ("Contingency.Cause", "Expansion.Conjunction", "Temporal.Asynchronous")
    records = [
        {"arg1": "Ann was hungry.", "arg2": "She ate.", "label": label, "split": "test"} for label in labels
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    code, out, err = run("evaluate", "--corpus", "pairs", "--path", file, "--automatic", "all", "--json")
    assert code == 0, err
    assert json.loads(out)["senses_only"]["accuracy"] == pytest.approx(1 / 3)  # one answer for one pair
