"""Corpora and predictions written in other forms, and read back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from disco2.annotation.treebanks import parse_brackets
from disco2.corpora.conll16 import read_conll16
from disco2.corpora.disrpt import read_disrpt
from disco2.corpora.gum import read_gum
from disco2.corpora.pairs import read_pairs, write_pairs
from disco2.corpora.reading import with_senses_of
from disco2.corpora.tasks import CONLL16_SENSES, LIN_EXCLUDED, LIN_TYPES, PDTB3_TYPES
from disco2.corpora.writing import LABELS_2025, export_predictions, map_to_2025, write_brackets, write_conll16
from disco2.data import Constituents, Corpus, Relation, RelationKind
from disco2.data.senses import inventory
from disco2.errors import CorpusError, InputError, SettingsError
from tests.corpora import conll16_rules, disrpt_rules
from tests.corpora.disrpt_rules import accuracy, misaligned
from tests.corpora.made_up import corpus, document, relation
from tests.corpora.miniature import documents
from tests.corpora.miniature_conll16 import write_conll16_parts
from tests.corpora.miniature_documents import ALL_SCENES
from tests.corpora.test_disrpt import CONLLU, HEADER_2023, HEADER_2025, HEADER_GUM, row, write
from tests.strategies import constituents


def made_up() -> Corpus:
    relations = [
        relation("a", 1, ["Contingency.Cause.Reason", "Comparison.Contrast"]),
        relation("a", 2, kind=RelationKind.ENTREL, arg1=range(2, 7), arg2=(11,)),
        relation("b", 1, ["Expansion.Conjunction"], kind=RelationKind.HYPOPHORA),
        relation("b", 2),
    ]
    return corpus(relations, parts={"a": "train", "b": "test"})


def without_place(relations: tuple[Relation, ...]) -> list[Relation]:
    return [replace(relation, where="") for relation in relations]


@pytest.mark.parametrize("with_parts", [True, False])
def test_conll16_comes_back(tmp_path: Path, with_parts: bool) -> None:
    given_corpus = made_up() if with_parts else replace(made_up(), parts={})
    folders = write_conll16(given_corpus, tmp_path / "out")
    back = read_conll16(tmp_path / "out")
    assert len(folders) == (2 if with_parts else 1)
    assert sorted(without_place(back.relations), key=lambda relation: relation.id) == list(
        given_corpus.relations
    )
    assert back.documents == given_corpus.documents
    assert back.parts == given_corpus.parts
    assert set(back.issues.counts()) == {"no parse"}


def test_conll16_lists_tokens_as_the_shared_task_does(tmp_path: Path) -> None:
    write_conll16(replace(made_up(), parts={}), tmp_path)
    first = json.loads((tmp_path / "relations.json").read_text().splitlines()[0])
    text = document("a").text
    assert text == "The dog barked. Nobody (not even Ann-Lea) slept."
    assert first["Arg2"] == {
        "CharacterSpanList": [[16, 22], [42, 47]],
        "RawText": "Nobody slept",
        "TokenList": [[16, 22, 4, 1, 0], [42, 47, 10, 1, 6]],
    }
    assert first["Connective"] == {"CharacterSpanList": [], "RawText": "so", "TokenList": []}
    words = json.loads((tmp_path / "parses.json").read_text())["a"]["sentences"][1]["words"]
    assert words[0] == [
        "Nobody",
        {
            "CharacterOffsetBegin": 16,
            "CharacterOffsetEnd": 22,
            "Linkers": ["arg2_a:1", "arg1_a:2"],
            "PartOfSpeech": "NN",
        },
    ]


def test_pairs_come_back(tmp_path: Path) -> None:
    given = made_up()
    write_pairs(given, tmp_path / "p.jsonl")
    back = read_pairs(tmp_path / "p.jsonl", inventory_name="pdtb3")
    for old, new in zip(given.relations, back.relations, strict=True):
        assert (old.id, old.kind, old.senses) == (new.id, new.kind, new.senses)
        assert (old.arg1.text, old.arg2.text) == (new.arg1.text, new.arg2.text)
    assert back.parts == {"a:1": "train", "a:2": "train", "b:1": "test", "b:2": "test"}
    assert not back.issues.findings


@given(constituents())
def test_brackets_come_back(tree: Constituents) -> None:
    words = ["a(b", ")", "-LRB-", "x y", "1/2", "[", "ü"] * 2
    written = write_brackets(tree, words[: len(tree.tags)])
    (back,) = parse_brackets(written, where="test")
    assert back.constituents == tree
    assert len(back.words) == len(tree.tags)


def test_gum_survives_the_round_trip(gum: Path, tmp_path: Path) -> None:
    names = ("GUM_textbook_grit", "GUM_academic_art", "GUM_whow_joke")
    for part in ("rst/gdtb/pdtb/gold/00", "rst/gdtb/pdtb/raw/00", "dep", "const", "coref/ontogum/conll"):
        (tmp_path / "gum" / part).mkdir(parents=True)
        for name in names:
            for file in (gum / part).glob(f"{name}*"):
                (tmp_path / "gum" / part / file.name).symlink_to(file)
    read = read_gum(tmp_path / "gum")
    write_conll16(read, tmp_path / "out")
    back = read_conll16(tmp_path / "out")
    for old, new in zip(read.relations, back.relations, strict=True):
        assert (old.id, old.kind, old.senses) == (new.id, new.kind, new.senses)
        assert (old.arg1.tokens, old.arg2.tokens) == (new.arg1.tokens, new.arg2.tokens)
    for name in names:
        given, found = read.documents[name], back.documents[name]
        assert found.sentences == given.sentences
        assert [token.text for token in found.tokens] == [token.text for token in given.tokens]


def test_strange_names_of_parts_and_documents_become_no_files(tmp_path: Path) -> None:
    parts = {"a": "../../out", "../b": "x\0y", "c": "test"}
    strange = corpus([relation(name, 1, ["Expansion.Conjunction"]) for name in parts], parts=parts)
    folders = write_conll16(strange, tmp_path / "out")
    assert sorted(folder.name for folder in folders) == ["pdtb3-rest", "pdtb3-test"]
    assert read_conll16(tmp_path / "out").documents == strange.documents
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert {file.name for file in tmp_path.rglob("raw/*")} == {"a", "c"}


def test_conll16_is_written_whole_and_into_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "relations.json").write_text("mine")
    with pytest.raises(InputError, match=r"its own: relations\.json"):
        write_conll16(made_up(), tmp_path / "full")

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("disco2.corpora.writing._relation", fails)
    with pytest.raises(InputError, match="No space left") as caught:
        write_conll16(made_up(), tmp_path / "out")
    assert caught.value.where == str(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


def test_senses_are_mapped_and_those_without_a_counterpart_are_findings() -> None:
    relations = [
        relation("a", 1, ["Expansion.Level-of-detail.Arg2-as-detail", "Expansion.Manner.Arg2-as-manner"]),
        relation("a", 2, ["Temporal.Synchronous"]),
        relation("a", 3, []),
    ]
    given = replace(corpus(relations), inventory="gdtb")
    found = with_senses_of(given, "pdtb2")
    assert found.inventory == "pdtb2"
    assert [one.senses for one in found.relations] == [
        ("Expansion.Restatement.Specification",),
        ("Temporal.Synchrony",),
        (),
    ]
    assert found.issues.counts() == {"sense without a counterpart": 1}
    back = with_senses_of(found, "pdtb3")
    assert back.relations[0].senses == ("Expansion.Level-of-detail.Arg2-as-detail",)
    assert with_senses_of(given, "gdtb") is given
    with pytest.raises(CorpusError, match="can't be turned"):
        with_senses_of(replace(corpus([]), inventory="free"), "pdtb2")


def test_votes_are_mapped_with_the_senses() -> None:
    votes = (
        ("Contingency.Cause.Result", 0.25),
        ("Contingency.Purpose.Arg2-as-goal", 0.25),
        ("Comparison.Contrast", 0.25),
        ("NoRel", 0.25),
    )
    (found,) = with_senses_of(corpus([replace(relation("a", 1), votes=votes)]), "pdtb2").relations
    assert dict(found.votes) == pytest.approx(
        {"Contingency.Cause.Result": 2 / 3, "Comparison.Contrast": 1 / 3}
    )


TEST_PART = "conll16-en-test"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    docs = documents([23], files=(3,), scenes=ALL_SCENES)
    return write_conll16_parts(tmp_path_factory.mktemp("conll16"), docs) / TEST_PART


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def gold_labels(found: Corpus) -> list[str]:
    return [one.senses[0] if one.senses else str(one.kind) for one in found.relations]


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
    assert conll16_rules.complaints((tmp_path / "out").read_text()) == ["1: sense Contingency.Cause"]
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
    automatic = replace(found, automatic=("tokens", "trees"))
    for form in ("conll16", "disrpt"):
        with pytest.raises(SettingsError, match="own tokens"):
            export_predictions(automatic, found.relations, ["EntRel"], tmp_path / "out", form)
    given = read_conll16(folder)
    with pytest.raises(SettingsError, match="overwrite"):
        export_predictions(given, given.relations, gold_labels(given), folder / "relations.json", "conll16")
    assert not (tmp_path / "out").exists()


KINDS = {
    "explicit": "comparison.contrast",
    "implicit": "contingency.cause.reason",
    "altlex": "expansion.conjunction",
}


def rows(header: str, labels: dict[str, str]) -> list[str]:
    return [row(header, rel_type=kind, orig_label=KINDS[kind], label=labels[kind]) for kind in KINDS]


IN_GUM = {
    "explicit": "comparison.contrast",
    "implicit": "contingency.cause",
    "altlex": "expansion.conjunction",
}
IN_2023 = {kind: ".".join(map(str.capitalize, label.split("."))) for kind, label in IN_GUM.items()}
IN_2025 = {"explicit": "contrast", "implicit": "causal", "altlex": "conjunction"}
SENSES = ("Comparison.Contrast", "Contingency.Cause", "Expansion.Conjunction")


@pytest.mark.parametrize(
    ("header", "labels"), [(HEADER_GUM, IN_GUM), (HEADER_2023, IN_2023), (HEADER_2025, IN_2025)]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_table_comes_back_with_other_labels(
    tmp_path: Path, header: str, labels: dict[str, str], end: str
) -> None:
    folder = write(tmp_path / "gold", header, rows(header, labels), end=end)
    found = read_disrpt(folder)
    exported = export_predictions(found, found.relations, SENSES, tmp_path / "out.rels", "disrpt")
    gold = (folder / "x.pdtb.y_train.rels").read_text()
    predicted = (tmp_path / "out.rels").read_text()
    assert misaligned(gold, predicted) == []
    assert accuracy(gold, predicted) == 1.0
    assert (exported.relations, exported.notes) == (3, ())

    export_predictions(found, found.relations, [SENSES[0], *SENSES[:2]], tmp_path / "out.rels", "disrpt")
    predicted = (tmp_path / "out.rels").read_text()
    assert misaligned(gold, predicted) == []
    assert accuracy(gold, predicted) == pytest.approx(1 / 3)


def test_hidden_labels_of_2025_are_filled_in_its_terms(tmp_path: Path) -> None:
    hidden = dict.fromkeys(KINDS, "_")
    lines = [line.replace("expansion.conjunction", "_") for line in rows(HEADER_2025, hidden)]
    found = read_disrpt(write(tmp_path / "gold", HEADER_2025, lines))
    export_predictions(found, found.relations, SENSES, tmp_path / "out.rels", "disrpt")
    labels = [line.split("\t")[-1] for line in (tmp_path / "out.rels").read_text().splitlines()]
    assert labels == ["label", "contrast", "causal", "conjunction"]


def test_a_label_that_the_table_does_not_know_is_written_as_it_is_with_a_note(tmp_path: Path) -> None:
    found = read_disrpt(write(tmp_path / "gold", HEADER_GUM, rows(HEADER_GUM, IN_GUM)))
    exported = export_predictions(
        found, found.relations, [*SENSES[:2], "EntRel"], tmp_path / "out.rels", "disrpt"
    )
    assert (tmp_path / "out.rels").read_text().endswith("\tEntRel\n")
    assert "written as they are: EntRel" in exported.notes[0]


def test_a_row_that_was_not_read_has_no_answer(tmp_path: Path) -> None:
    lines = rows(HEADER_GUM, IN_GUM)
    lines[1] = lines[1].replace("5-7", "5-700")
    folder = write(tmp_path / "gold", HEADER_GUM, lines)
    found = read_disrpt(folder)
    exported = export_predictions(
        found, found.relations, [SENSES[0], SENSES[2]], tmp_path / "out.rels", "disrpt"
    )
    gold, predicted = (folder / "x.pdtb.y_train.rels").read_text(), (tmp_path / "out.rels").read_text()
    assert misaligned(gold, predicted) == []
    assert accuracy(gold, predicted) == pytest.approx(2 / 3)
    assert predicted.splitlines()[2].endswith("\t_")
    assert exported.notes == ("1 rows could not be read and have '_' for a label",)


def test_rows_without_a_prediction_are_refused(tmp_path: Path) -> None:
    found = read_disrpt(write(tmp_path / "gold", HEADER_GUM, rows(HEADER_GUM, IN_GUM)))
    implicit = [one for one in found.relations if one.kind is RelationKind.IMPLICIT]
    with pytest.raises(CorpusError, match="of all rows of one table") as caught:
        export_predictions(found, implicit, [SENSES[1]], tmp_path / "out.rels", "disrpt")
    assert "of every kind" in caught.value.hint
    with pytest.raises(CorpusError, match="of 0 tables"):
        export_predictions(found, [], [], tmp_path / "out.rels", "disrpt")
    assert not (tmp_path / "out.rels").exists()


def test_relations_of_several_tables_are_refused(tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    for name, kind in (("one/a_test", "explicit"), ("two/a_test", "implicit")):
        file = gold / f"{name}.rels"
        file.parent.mkdir(parents=True)
        line = row(HEADER_GUM, rel_type=kind, orig_label=KINDS[kind], label=IN_GUM[kind])
        text = CONLLU if kind == "explicit" else CONLLU.replace("story_a", "story_c")
        line = line if kind == "explicit" else line.replace("story_a", "story_c")
        file.write_text("\n".join(["\t".join(HEADER_GUM.split()), line, ""]))
        file.with_suffix(".conllu").write_text(text)
    found = read_disrpt(gold)
    with pytest.raises(CorpusError, match="of 2 tables") as caught:
        export_predictions(found, found.relations, SENSES[:2], tmp_path / "out", "disrpt")
    assert "single .rels file" in caught.value.hint


def test_another_corpus_becomes_a_table_that_the_validator_accepts(tmp_path: Path) -> None:
    found = corpus(
        [
            relation("a", 1, ["Contingency.Cause.Reason", "Comparison.Contrast"]),
            relation("a", 2, kind=RelationKind.ENTREL, arg1=(6, 7, 8), arg2=(0, 1, 2)),
            relation("a", 3, ["Expansion.Conjunction"], kind=RelationKind.EXPLICIT),
            relation("a", 4, kind=RelationKind.NOREL),
        ]
    )
    labels = ["Contingency.Cause", *["Expansion.Conjunction"] * 3]
    exported = export_predictions(found, found.relations, labels, tmp_path / "out.rels", "disrpt")
    assert exported.relations == 3
    assert exported.notes == ("1 relations are NoRel, which the shared task does not have: left out",)
    text = (tmp_path / "out.rels").read_text(encoding="utf-8")
    assert disrpt_rules.complaints(text) == []
    first, second = "The dog barked .", "Nobody ( not even Ann-Lea ) slept ."
    gap, inside = "Nobody <*> slept", "not even Ann-Lea"
    senses = "contingency.cause.reason;comparison.contrast"
    cells = [line.split("\t") for line in text.splitlines()[1:3]]
    assert [row[:9] for row in cells] == [
        ["a", "1-3", "5,11", "The dog barked", gap, "The dog barked", gap, "1-4", "5-12"],
        ["a", "1-3", "7-9", "The dog barked", inside, "The dog barked", inside, "1-4", "5-12"],
    ]
    assert [row[9:] for row in cells] == [
        [first, second, "1<2", "implicit", senses, "causal"],
        [first, second, "1>2", "entrel", "entrel", "conjunction"],
    ]


def test_odd_relations_are_left_out_with_a_note(tmp_path: Path) -> None:
    twice = relation("a", 1, ["Contingency.Cause.Reason"])
    found = corpus([twice, twice, relation("a", 2, ["Contingency.Cause.Reason"], arg2=(0, 4))])
    exported = export_predictions(found, found.relations, ["Other"] * 3, tmp_path / "out", "disrpt")
    assert exported.relations == 1
    text = " ".join(exported.notes)
    assert all(piece in text for piece in ("repeat a line", "same token", "as they are: Other"))


def test_every_usual_label_has_one_of_2025() -> None:
    assert LABELS_2025 == disrpt_rules.LABELS_2025
    assert set(CONLL16_SENSES) == conll16_rules.SENSES
    for sense in (*LIN_TYPES, *LIN_EXCLUDED, *PDTB3_TYPES):
        assert map_to_2025(sense) in LABELS_2025, sense
    for name in ("pdtb2", "pdtb3", "gdtb"):
        for sense in inventory(name).senses:
            assert "." not in sense or map_to_2025(sense) in LABELS_2025, sense
    assert map_to_2025("Contingency") is None
    assert map_to_2025("Contingency.Cause.Reason") == "causal"
