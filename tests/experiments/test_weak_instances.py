"""Explicit and AltLex relations as further instances: connective gone, training part only, right labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disco2.corpora.conll16 import read_conll16
from disco2.corpora.disrpt import read_disrpt
from disco2.corpora.gum import read_gum
from disco2.corpora.pdtb2 import read_pdtb2
from disco2.corpora.pdtb3 import read_pdtb3
from disco2.corpora.relations import argument_from_tokens
from disco2.corpora.tasks import TaskSettings
from disco2.corpora.writing import write_conll16
from disco2.data import Corpus, Document, Instance, Relation, RelationKind, Sentence, Token
from disco2.errors import CorpusError, SettingsError
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts, divide, opening_words, weak_instances, without_connective
from disco2.experiments.train_run import prepare_training
from disco2.features.descriptions import layout_features
from disco2.training.preparation import Prepared
from tests.corpora.miniature import documents, write_pdtb2, write_pdtb3, write_trees

CAUSE, CONTRAST = "Contingency.Cause.Reason", "Comparison.Contrast"
WEAK = (RelationKind.EXPLICIT, RelationKind.ALTLEX)
WORDS = ("The", "dog", "barked", ".", "However", ",", "nobody", "woke", "because", "they", "slept", "well")


def document(name: str, words: Sequence[str] = WORDS) -> Document:
    tokens, text = [], ""
    for word in words:
        tokens.append(Token(word, len(text), len(text) + len(word), "NN"))
        text += f"{word} "
    return Document(name, text, tuple(tokens), (Sentence(0, 4), Sentence(4, len(words))), ())


def relation(
    number: int,
    kind: RelationKind,
    *senses: str,
    name: str = "a",
    arg1: Iterable[int] = (0, 1, 2),
    arg2: Iterable[int] = (5, 6, 7),
    connective: Iterable[int] = (4,),
    said: str = "",
) -> Relation:
    doc = document(name)
    return Relation(
        f"{name}:{number}",
        name,
        kind,
        argument_from_tokens(doc, arg1),
        argument_from_tokens(doc, arg2),
        senses,
        connective=said,
        connective_tokens=tuple(connective),
    )


def implicit(number: int, sense: str, name: str = "a") -> Relation:
    return relation(number, RelationKind.IMPLICIT, sense, name=name, connective=())


def divided(relations: Sequence[Relation], **task: Any) -> tuple[Corpus, Parts, Configuration]:
    parts = {"a": "train", "b": "dev", "c": "test"}
    documents = {name: document(name) for name in parts}
    corpus = Corpus("made-up", "pdtb3", documents, tuple(relations), parts)
    configuration = Configuration().changed({f"task.{name}": value for name, value in task.items()})
    return corpus, divide(corpus, configuration), configuration


def found(
    relations: Sequence[Relation], *, kinds: Iterable[RelationKind] = WEAK, **task: Any
) -> list[Instance]:
    corpus, parts, _ = divided(relations, **task)
    return weak_instances(corpus, parts, kinds=kinds, weight=0.3)


def words(instance: Instance) -> tuple[str, str]:
    one = instance.relation
    return one.arg1.text, one.arg2.text


def test_the_connective_and_its_comma_are_gone() -> None:
    (one,) = found([implicit(1, CONTRAST), relation(2, RelationKind.EXPLICIT, CONTRAST, said="However")])
    assert words(one) == ("The dog barked", "nobody woke")
    assert one.relation.arg2.tokens == (6, 7)
    assert (one.relation.connective, one.relation.connective_tokens) == ("", (4, 5))
    assert (one.gold, one.weight) == ((CONTRAST,), 0.3)


@pytest.mark.parametrize("connective", [(8,), ()])
@pytest.mark.parametrize("start", [8, 9])
def test_what_was_removed_is_no_distance_between_the_arguments(
    connective: tuple[int, ...], start: int
) -> None:
    """In the second argument or beside it, with tokens or without."""
    explicit = relation(
        2, RelationKind.EXPLICIT, CAUSE, arg1=(6, 7), arg2=range(start, 12), connective=connective
    )
    weak = without_connective(document("a"), explicit)
    if start == 9 and not connective:
        assert weak is None
        return
    assert weak is not None
    assert weak.arg2.text == "they slept well"
    for one in (explicit, weak):
        assert "arguments adjacent" in layout_features(Instance(one, document("a")))


def test_a_comma_behind_the_connective_is_no_distance_either() -> None:
    explicit = relation(2, RelationKind.EXPLICIT, CONTRAST, arg1=(0, 1, 2, 3))
    weak = without_connective(document("a"), explicit)
    assert weak is not None
    assert weak.arg2.tokens == (6, 7)
    for one in (explicit, weak):
        assert "arguments adjacent" in layout_features(Instance(one, document("a")))


def test_words_of_the_argument_that_state_the_relation_are_gone() -> None:
    altlex = relation(
        2, RelationKind.ALTLEX, CONTRAST, arg1=(0, 1, 2, 6), arg2=range(6, 12), connective=(6, 8, 9)
    )
    (one,) = found([implicit(1, CONTRAST), altlex])
    assert words(one) == ("The dog barked", "woke slept well")


def test_a_relation_of_which_nothing_else_is_left_is_no_instance() -> None:
    whole = relation(2, RelationKind.ALTLEX, CONTRAST, arg2=(4, 5), connective=(4,))
    assert found([implicit(1, CONTRAST), whole]) == []


def test_neighbours_are_those_of_the_document() -> None:
    relations = [implicit(1, CONTRAST), relation(2, RelationKind.EXPLICIT, CONTRAST), implicit(3, CAUSE)]
    (one,) = found(relations)
    assert (one.previous, one.following) == (relations[0], relations[2])


def test_only_the_training_part_the_kinds_asked_for_and_known_labels_count() -> None:
    relations = [implicit(1, CAUSE), implicit(2, CONTRAST)]
    for name in ("a", "b", "c"):
        relations += [
            relation(3, RelationKind.EXPLICIT, CAUSE, name=name),
            relation(4, RelationKind.ALTLEX, CONTRAST, name=name),
            relation(5, RelationKind.ALTLEXC, CONTRAST, name=name),
            relation(6, RelationKind.EXPLICIT, "Temporal.Synchronous", name=name),
            relation(7, RelationKind.EXPLICIT, "Temporal.Synchronous", CONTRAST, name=name),
            relation(8, RelationKind.ENTREL, name=name),
            relation(9, RelationKind.EXPLICIT, name=name),
        ]
    assert [one.relation.id for one in found(relations)] == ["a:3", "a:4", "a:7"]
    assert [one.gold for one in found(relations, level=2)] == [
        ("Contingency.Cause",),
        (CONTRAST,),
        (CONTRAST,),
    ]
    assert [one.relation.id for one in found(relations, kinds=[RelationKind.ALTLEXC])] == ["a:5"]
    # One class against the rest: labels of any class count, EntRel is no weak instance.
    binary = found(relations, versus="Comparison")
    assert [(one.relation.id, one.gold[0]) for one in binary] == [
        ("a:3", "Other"),
        ("a:4", "Comparison"),
        ("a:6", "Other"),
        ("a:7", "Comparison"),
    ]


def test_training_gets_them_apart_from_the_ordinary_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    def spy(training: Any, development: Any, **options: Any) -> Prepared:
        seen.update(options, training=training, development=development)
        return Prepared(None, (), None, development, len(training))  # type: ignore[arg-type]

    monkeypatch.setattr("disco2.experiments.train_run.prepare", spy)
    relations = [implicit(1, CAUSE), implicit(2, CONTRAST), implicit(1, CAUSE, "b"), implicit(1, CAUSE, "c")]
    relations += [relation(9, RelationKind.EXPLICIT, CAUSE, name=name) for name in ("a", "b", "c")]
    prepare_training(*divided(relations))
    assert seen["further"] == ()
    prepared = prepare_training(*divided(relations, weak_weight=0.5, whole_sentences=True))
    assert [one.relation.id for one in seen["further"]] == ["a:9"]
    assert [one.weight for one in seen["further"]] == [0.5]
    assert [one.relation.id for one in seen["training"]] == ["a:1", "a:2"] * 2
    assert [one.relation.id for one in seen["development"]] == ["b:1"]
    assert prepared.training_relations == 2
    with pytest.raises(CorpusError, match="No AltLex relation"):
        prepare_training(*divided(relations, weak_weight=0.5, weak_kinds=("AltLex",)))


def test_labels_are_counted_over_the_ordinary_relations_alone() -> None:
    relations = [implicit(1, CAUSE), relation(2, RelationKind.EXPLICIT, CONTRAST)]
    assert divided(relations, weak_weight=1.0)[1].labels == ("Contingency.Cause",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weak_kinds": ("Explicit", "Implicit")}, "'Implicit'.*Explicit, AltLex, AltLexC"),
        ({"weak_kinds": ("explicit",)}, "'explicit'"),
        ({"weak_kinds": ()}, "no kind"),
        ({"weak_weight": -0.1}, "at least 0"),
        ({"weak_weight": float("nan")}, "a number"),
    ],
)
def test_settings_that_make_no_sense(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        TaskSettings(**changes)


@pytest.mark.parametrize(
    ("opening", "length"),
    [
        ("Even though it rained", 2),
        ("and it rained", 1),
        ("As A Result of it", 3),
        ("It rained and", 0),
        ("in", 0),
        ("", 0),
    ],
)
def test_the_longest_connective_that_opens_an_argument(opening: str, length: int) -> None:
    assert opening_words(opening.split()) == length


def test_a_connective_without_tokens_is_looked_for_at_the_beginning() -> None:
    doc = document("a")

    def stripped(kind: RelationKind, said: str, arg1: Iterable[int], arg2: Iterable[int]) -> Any:
        one = relation(1, kind, CAUSE, arg1=arg1, arg2=arg2, connective=(), said=said)
        without = without_connective(doc, one)
        return without and (without.arg1.text, without.arg2.text)

    explicit, altlex = RelationKind.EXPLICIT, RelationKind.ALTLEX
    assert stripped(explicit, "", range(3), range(4, 8)) == ("The dog barked", "nobody woke")
    assert stripped(explicit, "because", range(6, 8), range(8, 12)) == ("nobody woke", "they slept well")
    assert stripped(explicit, "", range(8, 12), range(3)) == ("they slept well", "The dog barked")
    assert stripped(explicit, "so", range(3), range(4, 8)) is None  # named, and not there
    assert stripped(explicit, "", range(3), range(6, 8)) is None
    assert stripped(altlex, "", range(3), range(4, 8)) is None  # any words may be an AltLex


def all_weak(corpus: Corpus) -> list[Instance]:
    parts = dict.fromkeys(corpus.documents, "train")
    configuration = Configuration().changed({"task.protocol": "own", "task.minimum": 1, "task.level": 2})
    corpus = replace(corpus, parts=parts)
    return weak_instances(corpus, divide(corpus, configuration), kinds=WEAK, weight=0.3)


def check_against(corpus: Corpus, weak: Sequence[Instance]) -> None:
    """Every instance is a relation of the corpus without its connective."""
    by_id = {one.id: one for one in corpus.relations}
    for one in weak:
        original = by_id[one.relation.id]
        for argument, before in ((one.relation.arg1, original.arg1), (one.relation.arg2, original.arg2)):
            assert argument.tokens
            assert set(argument.tokens) <= set(before.tokens) - set(original.connective_tokens)
        assert one.gold


@pytest.mark.parametrize("version", ["pdtb2", "pdtb3", "conll16"])
def test_every_treebank_has_them(tmp_path: Path, version: str) -> None:
    docs = documents()
    trees = write_trees(tmp_path / "trees", docs)
    if version == "pdtb3":
        corpus = read_pdtb3(write_pdtb3(tmp_path / "c", docs), trees=trees)
    else:
        corpus = read_pdtb2(write_pdtb2(tmp_path / "c", docs), trees=trees)
    if version == "conll16":
        write_conll16(corpus, tmp_path / "out")
        corpus = read_conll16(tmp_path / "out")
    # The miniature's explicit relations have senses that no implicit one has.
    with_sense = [
        replace(one, senses=(CAUSE,)) if one.kind is RelationKind.EXPLICIT else one
        for one in corpus.relations
    ]
    weak = all_weak(replace(corpus, relations=tuple(with_sense)))
    check_against(corpus, weak)
    # AltLex relations count under the task of CoNLL-16 anyway.
    kinds = {RelationKind.EXPLICIT} if version == "conll16" else set(WEAK)
    assert {one.relation.kind for one in weak} == kinds


def test_disrpt_has_them_where_it_says_the_kinds(tmp_path: Path) -> None:
    (tmp_path / "x_train.conllu").write_text(
        "# newdoc id = d\n"
        + "".join(f"{n}\t{w}\t_\tX\tX\t_\t{n - 1}\tdep\t_\t_\n" for n, w in enumerate(WORDS, start=1))
        + "\n"
    )
    header = ["doc", "unit1_toks", "unit2_toks", "dir", "rel_type", "orig_label", "label"]
    rows = [
        ["d", "1-3", "7-8", "1<2", "implicit", "contingency.cause.reason", "contingency.cause"],
        ["d", "7-8", "9-12", "1<2", "explicit", "contingency.cause.reason", "contingency.cause"],
        ["d", "1-3", "7-8", "1<2", "explicit", "contingency.cause.reason", "contingency.cause"],
    ]
    (tmp_path / "x_train.rels").write_text("\n".join("\t".join(row) for row in [header, *rows]))
    (one,) = all_weak(read_disrpt(tmp_path))
    assert words(one) == ("nobody woke", "they slept well")


def test_gum_has_them(gum: Path) -> None:
    corpus = read_gum(gum)
    parts = divide(corpus, Configuration())
    weak = weak_instances(corpus, parts, kinds=WEAK, weight=0.3)
    check_against(corpus, weak)
    assert {corpus.parts[one.document.id] for one in weak} == {"train"}
    ordinary = {one.relation.id for some in parts.instances.values() for one in some}
    assert ordinary.isdisjoint(one.relation.id for one in weak)
    assert {one.relation.kind for one in weak} == set(WEAK)
    assert len(weak) > 4000
    assert {label for one in weak for label in one.gold} <= set(parts.labels)
