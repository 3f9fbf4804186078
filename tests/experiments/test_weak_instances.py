"""Explicit and AltLex relations as further instances: connective gone, training part only, right labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from disco2.corpora.gum import read_gum
from disco2.corpora.reading import argument_from_tokens
from disco2.corpora.tasks import TaskSettings
from disco2.data import Corpus, Document, Instance, Relation, RelationKind, Sentence, Token
from disco2.errors import CorpusError, SettingsError
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts, divide, weak_instances
from disco2.experiments.train_run import prepare_training
from disco2.features.clauses import layout_features
from disco2.training.preparation import Prepared

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


@pytest.mark.parametrize("start", [8, 9])
def test_what_was_removed_is_no_distance_between_the_arguments(start: int) -> None:
    """In the second argument or beside it."""
    explicit = relation(2, RelationKind.EXPLICIT, CAUSE, arg1=(6, 7), arg2=range(start, 12), connective=(8,))
    (weak,) = found([implicit(1, CAUSE), explicit, implicit(3, CAUSE)])
    assert weak.relation.arg2.text == "they slept well"
    for one in (explicit, weak.relation):
        assert "arguments adjacent" in layout_features(Instance(one, document("a")))
    assert weak.previous is not None
    assert weak.following is not None


def words(instance: Instance) -> tuple[str, str]:
    one = instance.relation
    return one.arg1.text, one.arg2.text


def test_the_connective_and_its_comma_are_gone() -> None:
    (one,) = found([implicit(1, CONTRAST), relation(2, RelationKind.EXPLICIT, CONTRAST, said="However")])
    assert words(one) == ("The dog barked", "nobody woke")
    assert one.relation.arg2.tokens == (6, 7)
    assert (one.relation.connective, one.relation.connective_tokens) == ("", (4, 5))
    assert (one.gold, one.weight) == ((CONTRAST,), 0.3)


def test_words_of_the_argument_that_state_the_relation_are_gone() -> None:
    altlex = relation(
        2, RelationKind.ALTLEX, CONTRAST, arg1=(0, 1, 2, 6), arg2=range(6, 12), connective=(6, 8, 9)
    )
    (one,) = found([implicit(1, CONTRAST), altlex])
    assert words(one) == ("The dog barked", "woke slept well")


def test_a_relation_of_which_nothing_else_is_left_is_no_instance() -> None:
    whole = relation(2, RelationKind.ALTLEX, CONTRAST, arg2=(4, 5), connective=(4,))
    assert found([implicit(1, CONTRAST), whole]) == []


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


def test_gum_has_them(gum: Path) -> None:
    corpus = read_gum(gum)
    parts = divide(corpus, Configuration())
    weak = weak_instances(corpus, parts, kinds=WEAK, weight=0.3)
    by_id = {one.id: one for one in corpus.relations}
    for one in weak:
        original = by_id[one.relation.id]
        for argument, before in ((one.relation.arg1, original.arg1), (one.relation.arg2, original.arg2)):
            assert argument.tokens
            assert set(argument.tokens) <= set(before.tokens) - set(original.connective_tokens)
    assert {corpus.parts[one.document.id] for one in weak} == {"train"}
    ordinary = {one.relation.id for some in parts.instances.values() for one in some}
    assert ordinary.isdisjoint(one.relation.id for one in weak)
    assert {one.relation.kind for one in weak} == set(WEAK)
    assert len(weak) > 4000
