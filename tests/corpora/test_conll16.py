"""CoNLL-16: documents and relations, files with faults, and files that ask for too much."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from disco2.corpora.conll16 import read_conll16
from disco2.corpora.tasks import task_for
from disco2.data import Dependencies, RelationKind
from disco2.errors import CorpusError
from tests.fuzzing.target import limits

RAW = 'Well-known cats (two) slept. "Why?" Dogs ran.\n'
FORMS = (
    ("Well-known", "cats", "-LRB-", "two", "-RRB-", "slept", "."),
    ("``", "Why", "?", "''"),
    ("Dogs", "ran", "."),
)
TREES = (
    "( (S (NP (JJ Well-known) (NNS cats) (PRN (-LRB- -LRB-) (CD two) (-RRB- -RRB-)))"
    "\n  (VP (VBD slept)) (. .)) )",
    "(())\n",
    "( (S (NP-SBJ (NNS Dogs)) (VP (VBD ran)) (. .)) )\n",
)
ARCS: tuple[list[list[str]], ...] = (
    [
        ["amod", "cats-2", "Well-known-1"],
        ["nsubj", "slept-6", "cats-2"],
        ["root", "ROOT-0", "slept-6"],
        ["dep", "cats-2", "two-4"],
    ],
    [],
    [["nsubj", "ran-2", "Dogs-1"], ["root", "ROOT-0", "ran-2"]],
)
WIDTHS = {"-LRB-": 1, "-RRB-": 1, "``": 1, "''": 1}


def parses() -> dict[str, Any]:
    sentences, at = [], 0
    for forms, tree, arcs in zip(FORMS, TREES, ARCS, strict=True):
        words = []
        for form in forms:
            width = WIDTHS.get(form, len(form))
            while RAW[at].isspace():
                at += 1
            offsets = {"CharacterOffsetBegin": at, "CharacterOffsetEnd": at + width}
            words.append([form, {**offsets, "Linkers": [], "PartOfSpeech": "NN"}])
            at += width
        sentences.append({"words": words, "parsetree": tree, "dependencies": arcs})
    return {"wsj_9901": {"sentences": sentences}}


def span(tokens: list[int], *, gold: bool = True, raw: str = "") -> dict[str, Any]:
    listed = [[0, 0, token, 0, 0] for token in tokens] if gold else tokens
    return {"CharacterSpanList": [], "RawText": raw, "TokenList": listed}


def relation(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "DocID": "wsj_9901",
        "ID": number,
        "Type": "Implicit",
        "Sense": ["Comparison.Contrast"],
        "Connective": span([], raw="but"),
        "Arg1": span([0, 1, 5]),
        "Arg2": span([7, 8, 9, 10, 11, 12]),
        **changes,
    }


def write(folder: Path, relations: list[Any], *, raw: str | None = RAW, entries: Any = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [line if isinstance(line, str) else json.dumps(line) for line in relations]
    (folder / "relations.json").write_text("\r\n".join(lines), newline="")
    (folder / "parses.json").write_text(json.dumps(parses() if entries is None else entries))
    if raw is not None:
        (folder / "raw").mkdir(exist_ok=True)
        (folder / "raw" / "wsj_9901").write_text(raw, newline="")
    return folder


def test_tokens_arguments_and_layers(tmp_path: Path) -> None:
    corpus = read_conll16(write(tmp_path / "en-train", [relation(5)]))
    document = corpus.documents["wsj_9901"]
    assert document.text == RAW
    assert document.words(range(7)) == ["Well-known", "cats", "(", "two", ")", "slept", "."]
    assert document.words(range(7, 11)) == ['"', "Why", "?", '"']
    assert all(token.text == RAW[token.start : token.end] for token in document.tokens)
    (found,) = corpus.relations
    assert found.arg1.tokens == (0, 1, 5)
    assert found.arg1.text == "Well-known cats slept"
    assert found.arg2.text == '"Why?" Dogs ran'
    assert (found.id, found.connective, found.senses) == ("5", "but", ("Comparison.Contrast",))
    assert corpus.parts == {"wsj_9901": "train"}
    first, second, third = document.sentences
    assert first.constituents is not None
    assert first.constituents.labels == ("S", "NP", "PRN", "VP")
    assert first.dependencies == Dependencies(
        heads=(1, 5, 5, 1, 5, -1, 5), labels=("amod", "nsubj", "punct", "dep", "punct", "root", "punct")
    )
    assert (second.constituents, second.dependencies) == (None, None)
    assert third.constituents is not None
    assert third.constituents.labels == ("S", "NP", "VP")
    assert corpus.issues.counts() == {"no parse": 1}


def test_entrel_is_a_kind_and_a_label_of_the_shared_tasks(tmp_path: Path) -> None:
    entrel = relation(2, Type="EntRel", Sense=["EntRel"])
    chosen = relation(3, Sense=["Expansion.Alternative.Chosen alternative", "Expansion.Conjunction"])
    chosen |= {"Arg1": span([5, 1, 0], gold=False), "Arg2": span([11, 12], gold=False)}
    odd = relation(4, Type="EntRel", Sense=["Comparison.Contrast"], Connective=span([]))
    corpus = read_conll16(write(tmp_path, [entrel, chosen, odd]))
    assert corpus.issues.counts().pop("sense of a kind without") == 1
    assert corpus.relations[1].arg1.text == "Well-known cats slept"
    assert (corpus.relations[0].kind, corpus.relations[0].senses) == (RelationKind.ENTREL, ())
    task = task_for(corpus.name)
    instances, dropped = task.instances(corpus, corpus.relations, task.label_set(corpus.relations))
    assert [instance.gold for instance in instances] == [
        ("EntRel",),
        ("Expansion.Alternative.Chosen alternative", "Expansion.Conjunction"),
        ("EntRel",),
    ]
    assert not dropped


def shift_ends(sentences: list[Any]) -> None:
    for sentence in sentences:
        for word in sentence["words"]:
            word[1]["CharacterOffsetEnd"] += 3


def swap_words(sentences: list[Any]) -> None:
    words = sentences[2]["words"]
    words[0], words[1] = words[1], words[0]


def end_far_away(sentences: list[Any]) -> None:
    sentences[-1]["words"][-1][1]["CharacterOffsetEnd"] = 10_000


def begin_inside_another(sentences: list[Any]) -> None:
    sentences[1]["words"][2][1]["CharacterOffsetBegin"] -= 1


@pytest.mark.parametrize("harm", [shift_ends, swap_words, end_far_away, begin_inside_another, lambda _: None])
@pytest.mark.parametrize("raw", [None, "x" + RAW])
def test_where_offsets_do_not_fit_the_text_it_is_rebuilt(
    tmp_path: Path, harm: Callable[[list[Any]], None], raw: str | None
) -> None:
    entries = parses()
    harm(entries["wsj_9901"]["sentences"])
    corpus = read_conll16(write(tmp_path, [relation(1)], raw=raw, entries=entries))
    document = corpus.documents["wsj_9901"]
    assert all(token.text == document.text[token.start : token.end] for token in document.tokens)
    assert all(one.end <= other.start for one, other in pairwise(document.tokens))
    assert corpus.issues.counts()["text does not fit its tokens"] == (raw is not None)
    if harm.__name__ == "<lambda>":
        assert document.text == RAW.rstrip("\n")


@pytest.mark.parametrize("name", ["../secret", "x" * 5000, "a\0b", "", ".", "a/b"])
def test_names_that_can_not_be_files_are_not_looked_for(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text(RAW)
    (tmp_path / "c" / "raw" / "a").mkdir(parents=True)
    for place in (tmp_path / "c" / "secret", tmp_path / "c" / "raw" / "a" / "b"):
        place.write_text(RAW)
    folder = write(tmp_path / "c", [relation(1, DocID=name)], entries={name: parses()["wsj_9901"]})
    corpus = read_conll16(folder)
    assert corpus.relations[0].document == name
    assert corpus.documents[name].text == RAW.rstrip("\n")


def test_token_list_that_differs_from_the_raw_text_is_reported(tmp_path: Path) -> None:
    lines = [
        relation(1, Arg1=span([0, 1, 5], raw="well-known cats slept")),
        relation(2, Arg1=span([0, 1], raw="Well-known cats slept")),
    ]
    corpus = read_conll16(write(tmp_path, lines))
    (finding,) = [one for one in corpus.issues.findings if one.kind == "argument differs from its text"]
    assert finding.where.endswith(":2")
    assert corpus.relations[1].arg1.tokens == (0, 1)


def test_faulty_relations_are_named_and_survived(tmp_path: Path) -> None:
    lines = [
        relation(1),
        '{"DocID": "wsj_99',
        "[]",
        relation(2, DocID="wsj_0000"),
        relation(3, DocID=["x"]),
        relation(4, Arg1=span([99])),
        relation(5, Arg1=span([])),
        relation(6, Arg2={"RawText": "x"}),
        relation(7, Arg2={"TokenList": ["a"]}),
        relation(8, Type="Guess"),
        relation(9, Connective=None),
        relation(10, Sense=["comparison.contrast"]),
        relation(11, Sense=["Nonsense"]),
        "",
        relation(12, ID=None, Connective=span([], raw="so")),
        '{"DocID": "wsj_9901", "ID": 13, "Ty',
    ]
    corpus = read_conll16(write(tmp_path, lines))
    assert [found.id for found in corpus.relations] == ["1", "9", "10", "11", "wsj_9901:15"]
    found = [(finding.kind, finding.where.rpartition(":")[2]) for finding in corpus.issues.findings[1:]]
    assert found == [
        ("broken line", "2"),
        ("broken line", "3"),
        *[("bad relation", str(line)) for line in range(4, 11)],
        ("broken line", "16"),
        ("unknown sense", "13"),  # senses are looked at when all are known
    ]


@pytest.mark.parametrize(
    ("sense", "inventory"),
    [
        ("Expansion.Restatement", "pdtb2"),
        ("Expansion.Level-of-detail.Arg2-as-detail", "pdtb3"),
        ("joy", "free"),
    ],
)
def test_the_inventory_is_the_one_that_knows_the_senses(tmp_path: Path, sense: str, inventory: str) -> None:
    corpus = read_conll16(
        write(tmp_path, [relation(1, Sense=[sense]), relation(2, Type="EntRel", Sense=["EntRel"])])
    )
    assert corpus.inventory == inventory
    assert corpus.relations[0].senses == (sense,)
    assert task_for(corpus.name, corpus.inventory).level == (0 if inventory == "pdtb2" else 2)


@pytest.mark.parametrize(
    ("arcs", "kind"),
    [
        (
            [["root", "ROOT-0", "Dogs-1"], ["dep", ".-3", "ran-2"], ["dep", "ran-2", ".-3"]],
            "bad dependencies",
        ),
        ([["root", "ROOT-0", "ran-2"], ["nsubj", "ran-2'", "Dogs-1"]], "bad dependency"),
        ([["root", "ROOT-0", "ran-2"], ["nsubj", "ran-9", "Dogs-1"]], "bad dependency"),
        ([["root", "ROOT-0", "ran-2"], ["nsubj", "ran-2"], 3], "bad dependency"),
    ],
)
def test_broken_dependencies_cost_no_more_than_a_sentences(
    tmp_path: Path, arcs: list[Any], kind: str
) -> None:
    entries = parses()
    entries["wsj_9901"]["sentences"][2]["dependencies"] = arcs
    corpus = read_conll16(write(tmp_path, [relation(1)], entries=entries))
    third = corpus.documents["wsj_9901"].sentences[2].dependencies
    assert kind in corpus.issues.counts()
    if kind == "bad dependency":
        assert third is not None
        assert third.heads == (1, -1, 1)
    else:
        assert third is None


@pytest.mark.parametrize(
    "tree", ["( (S (NP", "( (S (NN Dogs)) )", "(S (NN a)) (S (NN b) (NN c))", "x", "()", " "]
)
def test_broken_trees_cost_no_more_than_a_sentences(tmp_path: Path, tree: str) -> None:
    entries = parses()
    entries["wsj_9901"]["sentences"][2]["parsetree"] = tree
    corpus = read_conll16(write(tmp_path, [relation(1)], entries=entries))
    assert corpus.documents["wsj_9901"].sentences[2].constituents is None
    assert len(corpus.relations) == 1


def test_parts_lie_in_folders_of_their_own(tmp_path: Path) -> None:
    write(tmp_path / "conll16st-en-03-29-16-train", [relation(1)])
    other = {name.replace("wsj_9901", "wsj_9902"): entry for name, entry in parses().items()}
    write(tmp_path / "conll16st-en-03-29-16-blind-test", [relation(2, DocID="wsj_9902")], entries=other)
    write(tmp_path / "conll16st-en-trial", [relation(1)])
    corpus = read_conll16(tmp_path)
    assert corpus.parts == {"wsj_9901": "train", "wsj_9902": "blind"}
    assert corpus.issues.counts()["document in two parts"] == 1
    assert len(corpus.relations) == 2


def test_the_names_of_2015_and_the_input_without_senses(tmp_path: Path) -> None:
    write(tmp_path, [relation(1, Type="", Sense=[]), relation(2, Type="", Sense=[], Connective=span([0]))])
    (tmp_path / "relations.json").rename(tmp_path / "pdtb-data.json")
    (tmp_path / "parses.json").rename(tmp_path / "pdtb-parses.json")
    corpus = read_conll16(tmp_path)
    assert [found.kind for found in corpus.relations] == [RelationKind.IMPLICIT, RelationKind.EXPLICIT]
    assert corpus.relations[0].senses == ()


def test_unusable_files_are_refused_with_their_place(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no folder with relations\.json"):
        read_conll16(tmp_path)
    write(tmp_path, ["{", "}"])
    with pytest.raises(CorpusError, match=r"No relation .*relations\.json:1"):
        read_conll16(tmp_path)
    (tmp_path / "parses.json").write_text('{\n"wsj_9901": {,}}')
    with pytest.raises(CorpusError, match=r"parses\.json:2"):
        read_conll16(tmp_path)
    (tmp_path / "parses.json").write_text("[]")
    with pytest.raises(CorpusError, match="one entry for each document"):
        read_conll16(tmp_path)


@pytest.mark.parametrize(
    "word",
    [
        [" ", {"CharacterOffsetBegin": 0, "CharacterOffsetEnd": 1}],
        ["a", {"CharacterOffsetBegin": False, "CharacterOffsetEnd": True}],
    ],
)
def test_a_word_without_form_or_numbers_costs_its_document(tmp_path: Path, word: list[Any]) -> None:
    entries = {**parses(), "broken": {"sentences": [{"words": [word]}]}}
    corpus = read_conll16(write(tmp_path, [relation(1)], entries=entries))
    assert list(corpus.documents) == ["wsj_9901"]
    assert corpus.issues.counts() == {"bad document": 1, "no parse": 1}


def test_one_long_token_in_every_argument_is_not_copied_without_end(tmp_path: Path) -> None:
    entries = parses()
    entries["wsj_9901"]["sentences"].append(
        {"words": [["x" * 300_000, {"CharacterOffsetBegin": 0, "CharacterOffsetEnd": 0}]]}
    )
    lines = [relation(number, Arg1=span([14]), Arg2=span([number % 14, 14])) for number in range(2_000)]
    with limits(1_000_000):
        corpus = read_conll16(write(tmp_path, lines, raw=None, entries=entries))
    counts = corpus.issues.counts()
    assert len(corpus.relations) == 14, "all others are doubles or too much"
    assert 40 < len(corpus.relations) + counts["relation twice"] == 2_000 - counts["bad relation"] < 60
