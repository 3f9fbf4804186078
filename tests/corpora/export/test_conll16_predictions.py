from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disco2.corpora.conll16 import read_conll16
from disco2.corpora.tasks import CONLL16_SENSES
from disco2.corpora.writing import export_predictions, write_conll16
from disco2.data import Corpus, RelationKind
from disco2.errors import SettingsError
from tests.corpora.export.conll16_rules import (
    SENSES,
    complaints,
    correct,
    supplementary_complaints,
)
from tests.corpora.made_up import corpus, relation
from tests.corpora.miniature import documents
from tests.corpora.miniature_conll16 import write_conll16_parts
from tests.corpora.miniature_more_scenes import ALL_SCENES

TEST_PART = "conll16-en-test"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    docs = documents([23], files=(3,), scenes=ALL_SCENES)
    return write_conll16_parts(tmp_path_factory.mktemp("conll16"), docs) / TEST_PART


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def gold_labels(found: Corpus) -> list[str]:
    return [one.senses[0] if one.senses else str(one.kind) for one in found.relations]


def test_the_rules_have_the_senses_of_the_task() -> None:
    assert set(CONLL16_SENSES) == SENSES


def test_the_validator_and_the_supplementary_evaluation_accept_it(folder: Path, tmp_path: Path) -> None:
    found = read_conll16(folder)
    output = tmp_path / "output.json"
    exported = export_predictions(found, found.relations, gold_labels(found), output, "conll16")
    assert complaints(output.read_text(encoding="utf-8")) == []
    gold, predicted = lines_of(folder / "relations.json"), lines_of(output)
    assert supplementary_complaints(gold, predicted) == []
    assert correct(gold, predicted) == len(gold) == exported.relations
    assert (exported.files, exported.notes) == ((output,), ())


def test_a_wrong_label_counts_as_wrong(folder: Path, tmp_path: Path) -> None:
    found = read_conll16(folder)
    labels = ["Expansion.Exception", *gold_labels(found)[1:]]
    export_predictions(found, found.relations, labels, tmp_path / "output.json", "conll16")
    gold = lines_of(folder / "relations.json")
    assert correct(gold, lines_of(tmp_path / "output.json")) == len(gold) - 1


def test_relations_given_without_senses_keep_their_numbers_and_arguments(
    folder: Path, tmp_path: Path
) -> None:
    docs = documents([23], files=(3,), scenes=ALL_SCENES)
    given = read_conll16(write_conll16_parts(tmp_path, docs, senses=False) / TEST_PART)
    labels = ["Expansion.Conjunction"] * len(given.relations)
    export_predictions(given, given.relations, labels, tmp_path / "output.json", "conll16")
    predicted = lines_of(tmp_path / "output.json")
    gold = lines_of(folder / "relations.json")
    assert supplementary_complaints(gold, predicted) == []
    assert correct(gold, predicted) == sum("Expansion.Conjunction" in record["Sense"] for record in gold) > 0
    explicit = [one["ID"] for one in gold if one["Type"] == "Explicit"]
    assert [one["ID"] for one in predicted if one["Type"] == "Explicit"] == explicit


def test_the_type_follows_the_prediction(tmp_path: Path) -> None:
    found = corpus(
        [
            relation("a", 1, ["Contingency.Cause.Reason"]),
            relation("a", 2, kind=RelationKind.ENTREL),
            relation("a", 3, ["Contingency.Cause.Reason"], kind=RelationKind.ALTLEXC),
            relation("a", 4, ["Contingency.Cause.Reason"], kind=RelationKind.EXPLICIT),
        ]
    )
    labels = ["EntRel", "Comparison.Contrast", "EntRel", "EntRel"]
    export_predictions(found, found.relations, labels, tmp_path / "out", "conll16")
    records = lines_of(tmp_path / "out")
    assert [record["Type"] for record in records] == ["EntRel", "Implicit", "EntRel", "Explicit"]
    assert [record["Sense"] for record in records] == [[label] for label in labels]
    assert records[0]["ID"] == "a:1"
    assert records[0]["Arg2"] == {"TokenList": [4, 10]}
    assert "Nobody" not in (tmp_path / "out").read_text(), "licensed text stays out of predictions"


def test_what_the_shared_task_does_not_have_is_left_out_with_a_note(tmp_path: Path) -> None:
    found = corpus(
        [
            relation("a", 1, kind=RelationKind.NOREL),
            relation("a", 2, ["Expansion.Conjunction"], kind=RelationKind.HYPOPHORA),
            relation("a", 3, ["Contingency.Cause.Reason"]),
            relation("a", 4, ["Contingency.Cause.Reason"]),
        ]
    )
    labels = ["Contingency.Cause", "Contingency.Cause", "NoRel", "Contingency.Cause"]
    exported = export_predictions(found, found.relations, labels, tmp_path / "out", "conll16")
    assert exported.relations == 1
    assert [record["ID"] for record in lines_of(tmp_path / "out")] == ["a:4"]
    assert complaints((tmp_path / "out").read_text()) == ["1: sense Contingency.Cause"]
    text = " ".join(exported.notes)
    assert all(word in text for word in ("NoRel", "Hypophora", "refuse them: Contingency.Cause"))


@pytest.mark.parametrize(
    ("name", "identity"), [("12", 12), ("012", "012"), ("wsj_1:3", "wsj_1:3"), ("²", "²")]
)
def test_numbers_come_back_as_numbers(tmp_path: Path, name: str, identity: int | str) -> None:
    found = corpus([replace(relation("a", 1, ["Contingency.Cause.Reason"]), id=name)])
    export_predictions(found, found.relations, ["EntRel"], tmp_path / "out", "conll16")
    assert lines_of(tmp_path / "out")[0]["ID"] == identity
    write_conll16(found, tmp_path / "gold")
    assert lines_of(tmp_path / "gold" / "relations.json")[0]["ID"] == identity, "converted gold has the same"


def test_what_cannot_be_exported_is_refused(folder: Path, tmp_path: Path) -> None:
    found = corpus([relation("a", 1, ["Contingency.Cause.Reason"])])
    with pytest.raises(SettingsError, match="conll16, disrpt"):
        export_predictions(found, found.relations, ["EntRel"], tmp_path / "out", "conll17")
    with pytest.raises(SettingsError, match="2 labels for 1"):
        export_predictions(found, found.relations, ["EntRel"] * 2, tmp_path / "out", "conll16")
    automatic = replace(found, automatic=("tokens", "trees"))
    for form in ("conll16", "disrpt"):
        with pytest.raises(SettingsError, match="own tokens"):
            export_predictions(automatic, found.relations, ["EntRel"], tmp_path / "out", form)
    given = read_conll16(folder)
    with pytest.raises(SettingsError, match="overwrite"):
        export_predictions(given, given.relations, gold_labels(given), folder / "relations.json", "conll16")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"Type": "NoRel"}, "type NoRel"),
        ({"Sense": []}, "sense []"),
        ({"Sense": ["Contingency.Cause"]}, "sense Contingency.Cause"),
        ({"Arg1": {}}, "Arg1"),
        ({"Arg2": {"TokenList": [[1, 2, 3, 4, 5]]}}, "tokens of Arg2"),
        ({"Connective": None}, "Connective"),
        ({"DocID": None}, "DocID"),
    ],
)
def test_the_rules_would_notice(folder: Path, tmp_path: Path, change: dict[str, Any], complaint: str) -> None:
    found = read_conll16(folder)
    export_predictions(found, found.relations, gold_labels(found), tmp_path / "out", "conll16")
    first = lines_of(tmp_path / "out")[0] | change
    assert complaints(json.dumps(first)) == [f"1: {complaint}"]
