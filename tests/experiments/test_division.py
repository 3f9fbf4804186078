"""A corpus under a task: several corpora in one training, statistics, weak instances."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disco2.bundle import load_bundle
from disco2.corpora.catalogue import read_corpus
from disco2.corpora.pairs import read_pairs
from disco2.corpora.reading import argument_from_tokens
from disco2.corpora.role_pairs import write_role_pairs
from disco2.corpora.tasks import DataSettings
from disco2.data import Corpus, Document, Instance, Relation, RelationKind, Sentence, Token
from disco2.errors import CorpusError, SettingsError
from disco2.experiments.bench import measure, stacked
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.division import Parts, Source, corpus_statistics, divide, weak_instances, with_entry
from disco2.experiments.evaluating import evaluate_model
from disco2.experiments.runs import RunPlan, Runs
from disco2.experiments.train_run import prepare_training, save_model, train_model
from disco2.features.clauses import layout_features
from tests.corpora.made_up import corpus as make_corpus
from tests.corpora.made_up import relation as make_relation

QUICK = read_configuration(
    None,
    ["model.kind=surface", "training.epochs=2", "features.minimum_count=1", "task.minimum=1"],
)
SUBJECTS = ("miller", "baker", "sailor", "farmer", "doctor", "painter", "tailor", "hunter")


def sentence(number: int, ending: str) -> str:
    """Nine words, and different ones for every number and ending."""
    return f"The {SUBJECTS[number % 8]} of village {number} saw the {ending} today."


def pairs(
    folder: Path, name: str, labels: Sequence[Any], *, first: int = 0, splits: Sequence[str] = (), **more: Any
) -> Corpus:
    lines = []
    for number, label in enumerate(labels, start=first):
        record = {
            "arg1": sentence(number, "rain"),
            "arg2": sentence(number, str(label)),
            "label": label,
            **more,
        }
        if splits:
            record["split"] = splits[number % len(splits)]
        lines.append(json.dumps(record) + "\n")
    file = folder / f"{name}.jsonl"
    file.write_text("".join(lines), encoding="utf-8")
    return read_pairs(file)


@pytest.fixture
def main(tmp_path: Path) -> Corpus:
    return pairs(
        tmp_path, "main", ["cause", "contrast"] * 20, splits=("train", "train", "train", "dev", "test")
    )


def source(corpus: Corpus, **settings: Any) -> Source:
    return Source(DataSettings(corpus="pairs", path="further.jsonl", **settings), corpus, 1)


def divided(main: Corpus, *sources: Source, **changes: Any) -> Parts:
    return divide(main, QUICK.changed(changes), sources=sources)


def test_another_corpus_adds_relations_with_its_weight(main: Corpus, tmp_path: Path) -> None:
    more = pairs(tmp_path, "more", ["cause", "contrast", "list", None], first=100)
    parts = divided(main, source(more, weight=0.25))
    alone = divided(main)
    assert (parts.labels, parts.instances) == (alone.labels, alone.instances)
    assert [(one.gold, one.weight) for one in parts.further_instances()] == [
        (("cause",), 0.25),
        (("contrast",), 0.25),
    ]
    (further,) = parts.further
    assert further.left_out == {"sense list is rare": 1, "no sense": 1}
    assert "adds 2 relations of weight 0.25; 0 share a sentence" in str(further)


def test_its_labels_count_where_the_task_names_them(main: Corpus, tmp_path: Path) -> None:
    more = pairs(tmp_path, "more", ["list"] * 5, first=100)
    asked = {"task.labels": ("cause", "contrast", "list")}
    parts = divided(main, source(more), **asked)
    assert parts.labels == ("cause", "contrast", "list")
    assert len(parts.further_instances()) == 5
    fitted = train_model(main, parts, QUICK.changed(asked))
    assert fitted.model.labels == parts.labels
    with pytest.raises(SettingsError, match="'list'"):
        divided(main, **asked)


def test_what_shares_a_sentence_with_a_dev_or_test_part_is_dropped(main: Corpus, tmp_path: Path) -> None:
    # Of the main corpus's 40 pairs 16 are dev and test; of the others' own 10, 4 are.
    again = pairs(tmp_path, "again", ["cause", "contrast"] * 20)
    other = pairs(
        tmp_path, "other", ["cause"] * 10, first=200, splits=("train", "train", "train", "dev", "test")
    )
    copy = pairs(tmp_path, "copy", ["cause"] * 10, first=200)
    parts = divided(main, source(again), source(other), source(copy))
    assert [(len(one.chosen), one.overlapping) for one in parts.further] == [(24, 16), (6, 0), (6, 4)]
    assert "16 share a sentence with a dev or test part and are left out" in str(parts.further[0])
    whole = divided(main, source(other, part="all"), source(copy))
    assert [(len(one.chosen), one.overlapping) for one in whole.further] == [(10, 0), (10, 0)]


def test_a_limit_takes_a_random_share_that_the_seed_fixes(main: Corpus, tmp_path: Path) -> None:
    more = pairs(tmp_path, "more", ["cause"] * 30, first=100)
    first, again, other = (
        divided(main, source(more, limit=10), **{"training.seed": seed}).further[0] for seed in (1, 1, 2)
    )
    assert first.chosen == again.chosen != other.chosen
    assert len(first.chosen) == len(first.corpus.documents) == len(other.chosen) == 10
    assert first.left_out == {"beyond the limit": 20}


def test_a_level_of_its_own(main: Corpus, tmp_path: Path) -> None:
    deep = pairs(tmp_path, "deep", ["Contingency.Cause.Reason", "Contingency.Cause.Result"], first=100)
    typed = pairs(
        tmp_path, "typed", ["Contingency.Cause", "Comparison.Contrast"] * 10, splits=("train", "dev")
    )
    with pytest.raises(CorpusError, match=r"sense Contingency\.Cause\.Reason is rare"):
        divided(typed, source(deep))
    assert len(divided(typed, source(deep, level=2)).further_instances()) == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"part": "blind"}, "part 'blind'"), ({"protocol": "lin"}, "WSJ"), ({"protocol": "odd"}, "odd")],
)
def test_a_part_that_is_not_there(
    main: Corpus, tmp_path: Path, settings: dict[str, str], message: str
) -> None:
    more = pairs(tmp_path, "more", ["cause"] * 3, first=100)
    with pytest.raises((CorpusError, SettingsError), match=message):
        divided(main, source(more, **settings))


@pytest.mark.parametrize(
    ("label", "message"), [(None, r"no sense \(3\)"), ("list", r"sense list is rare \(3\)")]
)
def test_a_corpus_without_usable_labels(main: Corpus, tmp_path: Path, label: Any, message: str) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        divided(main, source(pairs(tmp_path, "more", [label] * 3, first=100)))
    assert "cause, contrast" in caught.value.hint


def test_the_main_corpus_may_have_a_weight_and_a_limit_too(main: Corpus) -> None:
    parts = with_entry(divided(main), DataSettings(corpus="pairs", path="x", weight=2, limit=5), seed=1)
    assert [one.weight for one in parts.instances["train"]] == [2.0] * 5
    assert len(parts.instances["dev"]) == 8


@pytest.mark.parametrize("kind", ["surface", "entities", "majority"])
def test_a_model_records_what_it_was_trained_on(main: Corpus, tmp_path: Path, kind: str) -> None:
    more = pairs(tmp_path, "more", ["cause", "contrast"] * 5, first=100)
    configuration = QUICK.changed({"model.kind": kind, "model.K": 4})
    parts = divide(main, configuration, sources=[source(more, weight=0.5)])
    fitted = train_model(main, parts, configuration)
    save_model(fitted, parts, configuration, main, tmp_path / "model")
    _, manifest = load_bundle(tmp_path / "model")
    (recorded,) = manifest.data["further"]
    assert (recorded["corpus"], recorded["training_relations"], recorded["weight"]) == ("pairs", 10, 0.5)
    card = (tmp_path / "model" / "MODEL_CARD.md").read_text()
    assert "10 of pairs 'further' (part train, protocol own)" in card
    assert "further.jsonl" not in (tmp_path / "model" / "bundle.json").read_text()


def test_judging_a_further_corpus_uses_its_own_protocol(main: Corpus, tmp_path: Path) -> None:
    more = replace(pairs(tmp_path, "more", ["cause", "contrast"] * 10, first=100), name="disrpt")
    entry = DataSettings(corpus="disrpt", path="more", protocol="documents")
    parts = divide(main, QUICK, sources=[Source(entry, more, 1)])
    save_model(train_model(main, parts, QUICK), parts, QUICK, main, tmp_path / "model")
    model, manifest = load_bundle(tmp_path / "model")
    judged = evaluate_model(model, manifest, more, part="test")
    assert (len(judged.answers.relations), judged.warnings) == (4, ())
    other = evaluate_model(model, manifest, more, part="test", protocol="cv5-0")
    assert "trained under the protocol 'documents'" in other.warnings[0]


def statistics(name: str, path: Path, *, only: str = "") -> dict[str, Any]:
    corpus = read_corpus(name, path)
    return corpus_statistics(corpus, divide(corpus, Configuration()), only=only)


def test_role_pairs_are_counted_by_part(tmp_path: Path) -> None:
    write_role_pairs(tmp_path / "c", size=50, seed=1)
    found = statistics("role-pairs", tmp_path / "c")
    assert {part: counts["implicit"] for part, counts in found["splits"].items()} == {
        "train": 50,
        "dev": 10,
        "test": 10,
    }
    assert all(counts["shared_entities"] == 1.0 for counts in found["splits"].values())
    assert found["splits"]["dev"]["senses"] == {"Comparison.Concession": 5, "Contingency.Cause": 5}
    assert list(statistics("role-pairs", tmp_path / "c", only="dev")["splits"]) == ["dev"]
    with pytest.raises(CorpusError, match="train, dev, test"):
        statistics("role-pairs", tmp_path / "c", only="all")


def test_what_was_dropped_is_counted_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    rows = [f'"It rained {i}.","We left.",{"AB"[i % 2]},train' for i in range(6)] + ['"Hm.","So.",,train']
    file.write_text("arg1,arg2,label,split\n" + "\n".join(rows) + "\n", encoding="utf-8")
    part = statistics("pairs", file)["splits"]["train"]
    assert (part["implicit"], part["kept"], part["shared_entities"]) == (7, 6, 0)
    assert part["dropped"] == {"no sense": 1}


def test_gum(gum: Path) -> None:
    found = statistics("gum", gum)
    splits = found["splits"]
    assert [splits[part]["implicit"] for part in ("train", "dev", "test")] == [3347, 556, 571]
    assert [splits[part]["kept"] for part in ("train", "dev", "test")] == [3337, 555, 565]
    shares = [splits[part]["shared_entities"] for part in ("train", "dev", "test")]
    assert shares == pytest.approx([0.54, 0.52, 0.52], abs=0.01)
    assert len(found["labels"]) == 12
    assert found["issues"] == {
        "NoRel as a sense": 5,
        "kind as a sense": 1,
        "relation twice": 5,
    }


CAUSE, CONTRAST = "Contingency.Cause", "Comparison.Contrast"


def made_up_corpus(parts: dict[str, str]) -> Corpus:
    relations = [
        make_relation(name, number, [(CAUSE, CONTRAST)[number % 2]]) for name in parts for number in range(4)
    ]
    return make_corpus(relations, parts=parts, name="role-pairs")


def divided_under(found: Corpus, **settings: Any) -> tuple[Corpus, Any, Configuration]:
    named = {name.replace("_", ".", 1): value for name, value in settings.items()}
    configuration = Configuration().changed({"task.protocol": "own"} | named)
    return found, divide(found, configuration), configuration


def test_a_label_that_no_training_relation_has_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"'cause'.*Comparison\.Contrast, Contingency\.Cause"):
        divided_under(made_up_corpus({"a": "train"}), task_labels=(CONTRAST, "cause"))


def test_a_run_without_a_dev_part_and_without_entities(tmp_path: Path) -> None:
    found, _, configuration = divided_under(
        made_up_corpus({"a": "train", "b": "test"}), model_kind="majority"
    )
    answers = Runs(tmp_path, {"own": found}).perform(RunPlan("most common class", configuration)).answers
    assert measure(stacked([answers["dev"]])) is None
    test = stacked([answers["test"]])
    assert test.mean() == 0.5
    assert measure(test[:, answers["test"].shared]) is None


WORDS = ("The", "dog", "barked", ".", "However", ",", "nobody", "woke", "because", "they", "slept", "well")
STATED = (RelationKind.EXPLICIT, RelationKind.ALTLEX)


def stated(
    number: int,
    kind: RelationKind,
    *senses: str,
    name: str = "a",
    arg1: Iterable[int] = (0, 1, 2),
    arg2: Iterable[int] = (5, 6, 7),
    connective: Iterable[int] = (4,),
) -> Relation:
    arguments = (argument_from_tokens(stated_document(name), tokens) for tokens in (arg1, arg2))
    tokens = () if kind is RelationKind.IMPLICIT else tuple(connective)
    return Relation(f"{name}:{number}", name, kind, *arguments, senses, connective_tokens=tokens)


def stated_document(name: str) -> Document:
    tokens, text = [], ""
    for word in WORDS:
        tokens.append(Token(word, len(text), len(text) + len(word), "NN"))
        text += f"{word} "
    return Document(name, text, tuple(tokens), (Sentence(0, 4), Sentence(4, len(WORDS))), ())


def divided_stated(*relations: Relation, **task: Any) -> tuple[Corpus, Parts, Configuration]:
    parts = {"a": "train", "b": "dev", "c": "test"}
    corpus = Corpus("made-up", "pdtb3", {name: stated_document(name) for name in parts}, relations, parts)
    configuration = Configuration().changed({f"task.{name}": value for name, value in task.items()})
    return corpus, divide(corpus, configuration), configuration


def weak(*relations: Relation, kinds: Iterable[RelationKind] = STATED, **task: Any) -> list[Instance]:
    return weak_instances(*divided_stated(*relations, **task)[:2], kinds=kinds, weight=0.3)


IMPLICIT = stated(1, RelationKind.IMPLICIT, CONTRAST)


@pytest.mark.parametrize(
    ("arg1", "arg2", "connective", "left"),
    [
        ((0, 1, 2), (5, 6, 7), (4,), ("The dog barked", "nobody woke", (4, 5))),  # with its comma
        ((0, 1, 2, 6), range(6, 12), (6, 8, 9), ("The dog barked", "woke slept well", (6, 8, 9))),
        ((6, 7), range(8, 12), (8,), ("nobody woke", "they slept well", (8,))),
    ],
)
def test_the_connective_of_a_weak_instance_is_gone(
    arg1: Iterable[int], arg2: Iterable[int], connective: Iterable[int], left: tuple[Any, ...]
) -> None:
    explicit = stated(2, RelationKind.EXPLICIT, CONTRAST, arg1=arg1, arg2=arg2, connective=connective)
    found = weak(IMPLICIT, explicit, stated(3, RelationKind.IMPLICIT, CONTRAST))
    assert [
        (one.relation.arg1.text, one.relation.arg2.text, one.relation.connective_tokens) for one in found
    ] == [left]
    for one in found:
        assert (one.gold, one.weight, one.relation.connective) == ((CONTRAST,), 0.3, "")
        assert one.previous is not None
        assert one.following is not None


@pytest.mark.parametrize(("arg2", "connective"), [((4, 5), (4,)), ((6, 7), ())])
def test_a_relation_that_is_no_weak_instance(arg2: Iterable[int], connective: Iterable[int]) -> None:
    explicit = stated(2, RelationKind.EXPLICIT, CONTRAST, arg2=arg2, connective=connective)
    assert weak(IMPLICIT, explicit) == []


def test_what_was_removed_is_no_distance_between_the_arguments() -> None:
    explicit = stated(2, RelationKind.EXPLICIT, CONTRAST, arg1=(6, 7), arg2=range(9, 12), connective=(8,))
    for one in (explicit, weak(IMPLICIT, explicit)[0].relation):
        assert "arguments adjacent" in layout_features(Instance(one, stated_document("a")))


def test_only_the_training_part_the_kinds_asked_for_and_known_labels_count() -> None:
    relations = [IMPLICIT, stated(2, RelationKind.IMPLICIT, CAUSE)]
    for name in ("a", "b", "c"):
        relations += [
            stated(3, RelationKind.EXPLICIT, f"{CAUSE}.Reason", name=name),
            stated(4, RelationKind.ALTLEX, CONTRAST, name=name),
            stated(5, RelationKind.ALTLEXC, CONTRAST, name=name),
            stated(6, RelationKind.EXPLICIT, "Temporal.Synchronous", name=name),
            stated(7, RelationKind.EXPLICIT, "Temporal.Synchronous", CONTRAST, name=name),
            stated(8, RelationKind.ENTREL, name=name),
            stated(9, RelationKind.EXPLICIT, name=name),
        ]
    found = {one.relation.id: one.gold for one in weak(*relations, level=2)}
    assert found == {"a:3": (CAUSE,), "a:4": (CONTRAST,), "a:7": (CONTRAST,)}
    assert [one.relation.id for one in weak(*relations, kinds=[RelationKind.ALTLEXC])] == ["a:5"]
    # One class against the rest: labels of any class count, EntRel is no weak instance.
    binary = {one.relation.id: one.gold[0] for one in weak(*relations, versus="Comparison")}
    assert binary == {"a:3": "Other", "a:4": "Comparison", "a:6": "Other", "a:7": "Comparison"}


def test_training_gets_weak_instances_apart_from_the_ordinary_ones(prepared: dict[str, Any]) -> None:
    relations = [IMPLICIT, *(stated(2, RelationKind.IMPLICIT, CAUSE, name=name) for name in ("a", "b"))]
    relations += [stated(3, RelationKind.EXPLICIT, CAUSE, name=name) for name in ("a", "b", "c")]
    prepare_training(*divided_stated(*relations))
    assert prepared["further"] == ()
    found = prepare_training(*divided_stated(*relations, weak_weight=0.5, whole_sentences=True))
    assert [(one.relation.id, one.weight) for one in prepared["further"]] == [("a:3", 0.5)]
    assert len(prepared["training"]) == 2 * found.training_relations
    with pytest.raises(CorpusError, match="No AltLex relation"):
        prepare_training(*divided_stated(*relations, weak_weight=0.5, weak_kinds=("AltLex",)))
