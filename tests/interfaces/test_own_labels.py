"""From a file of pairs with labels of the user's own to a model that answers with them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import disco2
from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice, Annotators
from disco2.corpora.catalogue import with_automatic_layers
from disco2.corpora.pairs import read_pairs
from disco2.data import Document
from disco2.inference.candidates import GivenPair
from tests.interfaces.conftest import Run

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "feedback.csv"
QUICK = ("--set", "training.epochs=3", "--set", "model.K=10")

ODD_PAIRS = [
    ("He left", "the house was empty"),  # no full stop: a sentence would run over the border
    ("Tina, who is tall, waited.", "She saw Bob and he waved at her."),
    ("  Dr. Smith\n\nis in. ", "\tHe's late\u2026 Isn't he?\n"),
    ("\u201cOh\u201d \u200d", "\u200d she said\u200b; then\u00adleft. \ufeff"),
    ("A\x00B\x0c c.", "D\x85e\x1ff"),
    ("However, it rained.", "But we went out."),
    ("caf\u00e9 \U0001f600", "Na\u00efve? 3.5% of U.S. users"),
    ("x" * 900, "one. Two! three? " * 30),
]


@pytest.fixture(scope="module")
def annotators() -> Iterator[Annotators]:
    with AnnotatorChoice().open() as found:
        yield found


def written(file: Path, rows: Sequence[Sequence[str]], header: str = "arg1,arg2,label,split") -> Path:
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header.split(","), *rows])
    return file


def example() -> list[list[str]]:
    with EXAMPLE.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))[1:]


def layers_of(document: Document) -> tuple[object, ...]:
    """Everything but where the words lie in the text, which has lost the spaces around the arguments."""
    words = [(token.text, token.tag) for token in document.tokens]
    return words, document.sentences, document.mentions


def test_a_pair_gets_the_same_layers_in_training_and_in_prediction(
    tmp_path: Path, annotators: Annotators
) -> None:
    file = tmp_path / "pairs.jsonl"
    pairs = [*ODD_PAIRS, *((row[0], row[1]) for row in example())]
    file.write_text("".join(json.dumps({"arg1": one, "arg2": two}) + "\n" for one, two in pairs))
    corpus = with_automatic_layers(read_pairs(file), annotators, ALL_LAYERS)
    assert not corpus.dirt.findings
    given = [GivenPair(one, two) for one, two in pairs]
    documents = annotators.annotate([pair.document() for pair in given])
    for relation, pair, document in zip(corpus.relations, given, documents, strict=True):
        asked = pair.candidate(document).instance
        trained = corpus.documents[relation.document]
        assert layers_of(trained) == layers_of(asked.document)
        assert relation.arg1.tokens == asked.relation.arg1.tokens
        assert relation.arg2.tokens == asked.relation.arg2.tokens


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("feedback") / "model"


@pytest.fixture
def trained(run: Run, model: Path) -> Path:
    """A model on the example, made once."""
    if not model.exists():
        code, out, err = run("train", "--corpus", "Pairs", "--path", EXAMPLE, "--output", model)
        assert code == 0, err
        assert "trained on 50 relations with 5 labels" in out
        assert "note: tokens, tags, dependencies, constituents, coreference by disco2 English" in err
    return model


def test_scores_in_evaluation_are_those_of_prediction(run: Run, trained: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    here = ("--corpus", "pairs", "--path", EXAMPLE, "--predictions", lines)
    code, _, err = run("evaluate", "--model", trained, *here)
    assert (code, "warning" in err) == (0, False), err
    pipeline = disco2.load(trained)
    test = [(row[0], row[1]) for row in example() if row[3] == "test"]
    records = [json.loads(line) for line in lines.read_text().splitlines()]
    for record, answer in zip(records, pipeline.classify_many(test), strict=True):
        assert answer.scores == pytest.approx(record["scores"], abs=1e-4)
        assert answer.sense == record["predicted"]


def test_own_labels_are_answers_everywhere(run: Run, trained: Path, tmp_path: Path) -> None:
    labels = {row[2] for row in example()}
    text = "The lamp broke. It fell from the desk. I like the new one."
    code, out, err = run("predict", "--model", trained, text, "--json", "--explain")
    assert code == 0, err
    relations = json.loads(out)["relations"]
    assert [set(one["probabilities"]) for one in relations] == [labels, labels]
    assert all("explanation" in one for one in relations)
    pairs, answers = tmp_path / "pairs.jsonl", tmp_path / "answers.jsonl"
    pairs.write_text(json.dumps({"arg1": "The lamp broke.", "arg2": "It fell."}) + "\n")
    code, _, err = run("predict-pairs", "--model", trained, pairs, "--output", answers)
    assert code == 0, err
    assert json.loads(answers.read_text())["sense"] in labels


def test_a_second_command_annotates_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCO2_CACHE", str(tmp_path / "cache"))
    file = written(tmp_path / "p.csv", example()[:20])
    stats = ("corpus", "stats", "--corpus", "pairs", "--path", file)
    first = run(*stats)
    assert "from the cache" not in first[2]
    assert run(*stats)[2].rstrip().endswith("; 20 of 20 documents from the cache")
    written(file, [["Something new.", "It was added.", "reason", "train"], *example()[:20]])
    assert "; 20 of 21 documents from the cache" in run(*stats)[2]
    assert "cache" not in run(*stats, "--no-cache")[2]
    code, out, _ = run("cache", "info", "--json")
    assert (code, json.loads(out)["documents"]) == (0, 21)
    assert "21 documents" in run("cache", "info")[1]
    assert run("cache", "clear")[1].startswith("removed: ")
    assert "0 documents" in run("cache", "info")[1]


def test_a_cache_that_can_not_be_used_is_a_note(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("DISCO2_CACHE", str(tmp_path / "file"))
    file = written(tmp_path / "p.csv", example()[:5])
    code, out, err = run("corpus", "stats", "--corpus", "pairs", "--path", file)
    assert (code, "5 documents" in out, "can't be used" in err) == (0, True, True)


def test_converting_needs_no_layers(run: Run, tmp_path: Path) -> None:
    here = ("--corpus", "pairs", "--path", EXAMPLE, "--to", "pairs", "--output", tmp_path / "p.jsonl")
    assert run("corpus", "convert", *here)[::2] == (0, "")


Relabel = Callable[[int, str], str]


def relabelled(file: Path, relabel: Relabel, *, split: bool = True) -> Path:
    rows = [[*row[:2], relabel(number, row[2]), row[3]] for number, row in enumerate(example())]
    header = "arg1,arg2,label,split" if split else "arg1,arg2,label"
    return written(file, rows if split else [row[:3] for row in rows], header)


ODD_LABELS = {
    "reason": "a reason, with a comma",
    "contrast": "Gegensatz \u5bfe\u6bd4",
    "example": "3",
    "consequence": "Comparison",  # a class of the PDTB, and no less a label
    "unrelated": "Expansion.of.my.own",
}
SETS: dict[str, tuple[Relabel, set[str]]] = {
    "odd": (lambda _, label: ODD_LABELS[label], set(ODD_LABELS.values())),
    "two": (lambda _, label: str(label == "reason"), {"True", "False"}),
    "many": (lambda number, _: f"label {number % 45}", {f"label {number}" for number in range(45)}),
    "once": (lambda number, _: "rare" if number == 3 else "usual", {"rare", "usual"}),
}


@pytest.mark.parametrize("name", SETS)
def test_any_label_set_can_be_learned(run: Run, tmp_path: Path, name: str) -> None:
    relabel, labels = SETS[name]
    here = ("--corpus", "pairs", "--path", relabelled(tmp_path / "p.csv", relabel))
    code, out, err = run("train", *here, "--output", tmp_path / "m", *QUICK, "--json")
    assert code == 0, err
    assert set(json.loads(out)["labels"]) == labels
    code, _, err = run("evaluate", "--model", tmp_path / "m", *here)
    assert (code, "warning" in err) == (0, False)
    probabilities = disco2.load(tmp_path / "m").classify("It rained.", "We left.").probabilities
    assert set(probabilities) == labels
    assert sum(probabilities.values()) == pytest.approx(1)


def test_entrel_and_norel_keep_their_meaning_and_that_is_said(run: Run, tmp_path: Path) -> None:
    kinds = {"unrelated": "NoRel", "example": "EntRel"}
    file = relabelled(tmp_path / "p.csv", lambda _, label: kinds.get(label, label))
    here = ("--corpus", "pairs", "--path", file)
    code, _, err = run("train", *here, "--output", tmp_path / "m", *QUICK)
    assert code == 0, err
    assert "The label EntRel (16 pairs) has a meaning of its own here" in err
    assert "The label NoRel (16 pairs) has a meaning of its own here" in err
    assert "never for two arguments that are given" in (tmp_path / "m" / "MODEL_CARD.md").read_text()
    code, out, _ = run("evaluate", "--model", tmp_path / "m", *here, "--json")
    figures: dict[str, Any] = json.loads(out)
    assert (code, figures["n"], figures["senses_only"]["n"]) == (0, 15, 9)
    pipeline = disco2.load(tmp_path / "m")
    assert set(pipeline.classify("It rained.", "We left.").probabilities) == {
        "reason",
        "contrast",
        "consequence",
    }
    assert {"EntRel", "NoRel"} <= set(pipeline("It rained. We left.")[0].probabilities)


def test_entrel_and_norel_alone_are_refused(run: Run, tmp_path: Path) -> None:
    file = relabelled(tmp_path / "p.csv", lambda number, _: ("EntRel", "NoRel")[number % 2])
    code, _, err = run("train", "--corpus", "pairs", "--path", file, "--output", tmp_path / "m", *QUICK)
    assert (code, "other names" in err) == (2, True)


def test_without_a_split_a_part_is_held_out_and_evaluation_says_what_to_do(run: Run, tmp_path: Path) -> None:
    file = relabelled(tmp_path / "p.csv", lambda number, label: "" if number < 5 else label, split=False)
    here = ("--corpus", "pairs", "--path", file)
    code, out, err = run("train", *here, "--output", tmp_path / "m", *QUICK)
    assert (code, "trained on 60 relations" in out) == (0, True)
    assert "5 of 80 training relations are left out: no sense (5)" in err
    assert "20% of the training relations are held out" in err
    code, _, err = run("evaluate", "--model", tmp_path / "m", *here)
    assert code == 2
    assert "--split" in err
    assert "--protocol cv5-0" in err
    assert "by disco2 English" not in err  # it is not annotated first
    code, out, _ = run("evaluate", "--model", tmp_path / "m", *here, "--split", "train")
    assert (code, "75 relations of 'train'" in out) == (0, True)


def test_folds_hold_a_test_part_out(run: Run, tmp_path: Path) -> None:
    here = (
        "--corpus",
        "pairs",
        "--path",
        relabelled(tmp_path / "p.csv", lambda _, label: label, split=False),
    )
    assert run("train", *here, "--output", tmp_path / "m", *QUICK, "--protocol", "cv5-0")[0] == 0
    code, out, err = run("evaluate", "--model", tmp_path / "m", *here)
    assert (code, "16 relations of 'test'" in out, "warning" in err) == (0, True, False)


def test_pairs_in_two_parts_are_noticed(tmp_path: Path) -> None:
    rows = example()
    again = [[*row[:3], part] for row, part in zip(rows[:7], ["test"] * 4 + ["dev"] * 3, strict=True)]
    notes = read_pairs(written(tmp_path / "p.csv", [*rows, *again])).notes
    assert [note.split(" are in train")[0] for note in notes] == ["3 pairs of dev", "4 pairs of test"]
    assert not read_pairs(EXAMPLE).notes


def test_a_column_of_labels_under_another_name_is_asked_for(run: Run, tmp_path: Path) -> None:
    file = written(tmp_path / "p.csv", example(), "arg1,arg2,class,split")
    code, _, err = run("train", "--corpus", "pairs", "--path", file, "--output", tmp_path / "m", *QUICK)
    assert (code, "None of the 50 training relations has a label" in err) == (2, True)
    assert "a column 'label'" in err
    assert "by disco2 English" not in err  # it is not annotated first


def test_layers_other_than_the_models_are_warned_of(run: Run, tmp_path: Path) -> None:
    here = ("--corpus", "pairs", "--path", EXAMPLE, "--automatic", "none")
    code, _, err = run("train", *here, "--output", tmp_path / "m", *QUICK)
    assert code == 0
    assert err.startswith("note: no annotator made tokens, tags, dependencies, constituents, coreference;")
    code, _, err = run("evaluate", "--model", tmp_path / "m", *here[:-2])
    assert (code, "trained with no automatic layers" in err) == (0, True)


def test_relations_of_pairs_lie_on_whole_arguments(annotators: Annotators, tmp_path: Path) -> None:
    plain = read_pairs(written(tmp_path / "p.csv", [["One two.", "Three.", "x", "train"]]))
    (relation,) = with_automatic_layers(plain, annotators, ALL_LAYERS).relations
    assert (relation.arg1.text, relation.arg2.text) == ("One two.", "Three.")
    # A document that is more than its pair: the arguments are what lies under their tokens.
    (name, document), *_ = plain.documents.items()
    longer = replace(plain, documents={name: replace(document, text=document.text + " And more.")})
    (other,) = with_automatic_layers(longer, annotators, ALL_LAYERS).relations
    assert other.arg2.tokens == relation.arg2.tokens
