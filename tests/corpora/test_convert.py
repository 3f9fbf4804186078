"""A corpus in other forms, and with the senses of another inventory."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from disco2.annotation.treebanks import parse_brackets
from disco2.corpora.conll16 import read_conll16
from disco2.corpora.gum import read_gum
from disco2.corpora.pairs import read_pairs, write_pairs
from disco2.corpora.relations import with_senses_of
from disco2.corpora.writing import write_brackets, write_conll16
from disco2.data import Constituents, Corpus, Relation, RelationKind
from disco2.errors import CorpusError, InputError
from disco2.files import write_text
from tests.corpora.made_up import corpus, document, relation
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
    back = read_conll16(tmp_path / "out", inventory_name="pdtb3")
    assert len(folders) == (2 if with_parts else 1)
    assert sorted(without_place(back.relations), key=lambda relation: relation.id) == list(
        given_corpus.relations
    )
    assert back.documents == given_corpus.documents
    assert back.parts == given_corpus.parts
    assert set(back.issues.counts()) == {"no parse"}


def test_conll16_without_its_texts_still_has_the_same_tokens(tmp_path: Path) -> None:
    write_conll16(replace(made_up(), parts={}), tmp_path)
    for file in (tmp_path / "raw").iterdir():
        file.unlink()
    back = read_conll16(tmp_path, inventory_name="pdtb3")
    assert {name: found.tokens for name, found in back.documents.items()} == {
        name: found.tokens for name, found in made_up().documents.items()
    }


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
    write_pairs(made_up(), tmp_path / "p.jsonl")
    back = read_pairs(tmp_path / "p.jsonl", inventory_name="pdtb3")
    for old, new in zip(made_up().relations, back.relations, strict=True):
        assert (old.id, old.kind, old.senses) == (new.id, new.kind, new.senses)
        assert (old.arg1.text, old.arg2.text) == (new.arg1.text, new.arg2.text)
    assert back.parts == {"a:1": "train", "a:2": "train", "b:1": "test", "b:2": "test"}
    assert not back.issues.findings


def test_strange_names_of_documents_become_no_files(tmp_path: Path) -> None:
    strange = corpus([relation("../a", 1, ["Expansion.Conjunction"])])
    write_conll16(strange, tmp_path / "out")
    assert {file.name for file in tmp_path.rglob("*") if file.is_file()} == {"relations.json", "parses.json"}
    assert read_conll16(tmp_path / "out").documents == strange.documents


@given(constituents())
def test_brackets_come_back(tree: Constituents) -> None:
    words = ["a(b", ")", "-LRB-", "x y", "1/2", "[", "ü"] * 2
    written = write_brackets(tree, words[: len(tree.tags)])
    (back,) = parse_brackets(written, where="test")
    assert back.constituents == tree
    assert len(back.words) == len(tree.tags)


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "new" / "a.txt"
    write_text(file, ["eins\r\n", "zwei"])
    assert file.read_bytes() == b"eins\r\nzwei"

    def breaks() -> object:
        yield "drei"
        raise KeyError

    with pytest.raises(KeyError):
        write_text(file, breaks())  # type: ignore[arg-type]
    assert file.read_bytes() == b"eins\r\nzwei"
    assert [found.name for found in file.parent.iterdir()] == ["a.txt"]


def test_places_that_can_not_be_written_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't be written"):
        write_text(tmp_path / "file" / "a.txt", ["x"])
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    with pytest.raises(InputError, match="not a regular file"):
        write_text(tmp_path / "folder", ["x"])


def test_gum_survives_the_round_trip(gum: Path, tmp_path: Path) -> None:
    names = ("GUM_textbook_grit", "GUM_academic_art", "GUM_whow_joke")
    for part in ("rst/gdtb/pdtb/gold/00", "rst/gdtb/pdtb/raw/00", "dep", "const", "coref/ontogum/conll"):
        (tmp_path / "gum" / part).mkdir(parents=True)
        for name in names:
            for file in (gum / part).glob(f"{name}*"):
                (tmp_path / "gum" / part / file.name).symlink_to(file)
    read = read_gum(tmp_path / "gum")
    write_conll16(read, tmp_path / "out")
    back = read_conll16(tmp_path / "out", inventory_name="gdtb")
    assert without_place(back.relations) == without_place(read.relations)
    for name in names:
        assert back.documents[name] == replace(read.documents[name], mentions=None)


def test_strange_names_of_parts_become_no_folders(tmp_path: Path) -> None:
    parts = {"a": "../../out", "b": "x\0y", "c": "test"}
    strange = corpus([relation(name, 1, ["Expansion.Conjunction"]) for name in parts], parts=parts)
    folders = write_conll16(strange, tmp_path / "out")
    assert sorted(folder.name for folder in folders) == ["pdtb3-rest", "pdtb3-test"]
    assert read_conll16(tmp_path / "out").documents == strange.documents
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


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


def test_votes_come_back_in_pairs(tmp_path: Path) -> None:
    one = replace(
        relation("a", 1, ["Comparison.Contrast"]), votes=(("Comparison.Contrast", 0.75), ("NoRel", 0.25))
    )
    write_pairs(corpus([one, relation("b", 1)]), tmp_path / "pairs.jsonl")
    back = read_pairs(tmp_path / "pairs.jsonl")
    assert [found.votes for found in back.relations] == [one.votes, ()]


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


def test_free_labels_have_no_mapping() -> None:
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
