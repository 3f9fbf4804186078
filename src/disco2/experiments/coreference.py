"""Versions of a corpus that differ in coreference or other layers, and what that does to accuracy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.annotator import Layer, is_present
from disco2.corpora.protocols import documents_with_coreference
from disco2.data import Corpus, Document, Instance, Relation, RelationKind
from disco2.data.tree import MentionIndexes, aligned_pairs, shared_entities
from disco2.errors import CorpusError
from disco2.evaluation.scores import hits
from disco2.experiments.bench import (
    AUTOMATIC,
    COMPARISON_COLUMNS,
    Bench,
    Experiment,
    GroupResults,
    Groups,
    accuracy,
    answers_of,
    compare_answers,
    is_covered,
    measure,
    stacked,
)
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import across_sentences, as_running_text, divide
from disco2.experiments.evaluating import Answers, Right
from disco2.experiments.multiclass import FULL, WITHOUT_ENTITIES
from disco2.experiments.published import (
    ENTITIES_ON_INTERSECTION,
    ENTITIES_ON_SHARED,
    SHARED_ENTITIES,
    SOURCE,
    is_papers_corpus,
    published,
)
from disco2.experiments.runs import OWN
from disco2.experiments.train_run import train_model
from disco2.model import AnyModel
from disco2.reporting.findings import Cell, Findings, Measure, Table, Turned

INTERSECTION = "intersection, "
UNDER_COREFERENCE = (Layer.TAGS, Layer.DEPENDENCIES, Layer.CONSTITUENTS)


def layers_for_coreference(corpus: Corpus) -> str:
    """The layers to be made by annotators: coreference, and those under it that some document lacks."""
    missing = [
        layer.value
        for layer in UNDER_COREFERENCE
        if not all(is_present(layer, document) for document in corpus.documents.values())
    ]
    return ",".join([*missing, Layer.COREFERENCE.value])


def coreference_versions(own: Corpus, automatic: Corpus) -> dict[str, Corpus]:
    """All versions whose coreference covers all their documents, by name."""
    automatic_only = {AUTOMATIC: automatic}
    if all(document.mentions is None for document in own.documents.values()):
        return automatic_only
    put_back = with_own_coreference(own, automatic)
    if is_covered(own):
        return {OWN: put_back} | automatic_only
    common = documents_with_coreference(put_back)
    return automatic_only | {
        INTERSECTION + OWN: common,
        INTERSECTION + AUTOMATIC: _only(automatic, common),
    }


def has_new_tokens(automatic: Corpus) -> bool:
    return Layer.TOKENS in automatic.automatic


def with_own_coreference(own: Corpus, automatic: Corpus) -> Corpus:
    """The automatic version with the corpus's own mentions: a corpus that lacks trees has the same ones.

    On new tokens the mentions would lie elsewhere: then the corpus is returned unchanged.
    """
    if has_new_tokens(automatic):
        return own
    layers = tuple(layer for layer in automatic.automatic if layer != Layer.COREFERENCE)
    return replace(
        automatic,
        documents={
            name: replace(document, mentions=own.documents[name].mentions)
            for name, document in automatic.documents.items()
        },
        automatic=layers,
        annotators=automatic.annotators if layers else own.annotators,
    )


def _only(corpus: Corpus, chosen: Corpus) -> Corpus:
    """The documents of one corpus that another one has."""
    return replace(
        corpus,
        documents={name: corpus.documents[name] for name in chosen.documents if name in corpus.documents},
        relations=tuple(one for one in corpus.relations if one.document in chosen.documents),
        parts=chosen.parts,
        notes=chosen.notes,
    )


# In the name of the built-in annotators: its weights are from GUM's training part.
BUILT_IN = "disco2 mention ranking"
SYSTEMS = (WITHOUT_ENTITIES, FULL)


def _groups(bench: Bench) -> Groups:
    """By version and system: without entities, then with them."""
    return {
        (layers, system.name): bench.plans(system, layers=layers)
        for layers in bench.corpora
        for system in SYSTEMS
    }


def _findings(bench: Bench, runs: GroupResults) -> Findings:
    rows: list[tuple[Cell, ...]] = []
    tests: list[tuple[Cell, ...]] = []
    beside = is_papers_corpus(bench, "lin")
    for layers in bench.corpora:
        without, with_entities = _test_answers(runs, layers)
        for subset, chosen in (("all", slice(None)), ("shared entities", without[0].shared)):
            measures = accuracy(without, chosen), accuracy(with_entities, chosen)
            theirs = PUBLISHED.get((layers, subset), (None, None)) if beside else ()
            rows.append((layers, subset, *measures, *map(_cell, theirs)))
            if found := compare_answers(with_entities, without, chosen):
                tests.append((layers, subset, *found))
    columns = ("coreference", "subset", "without entities", "with entities")
    shown = INTERSECTION + OWN if INTERSECTION + OWN in bench.corpora else bench.main
    return Findings(
        name="coreference",
        title="Coreference",
        words=(
            "Which relations have coreferent entities depends on who looks for them; entities can help where "
            f"there are some. Models: {WITHOUT_ENTITIES.name}, {FULL.name}; {len(bench.seeds)} seeds.",
            _on_automatic(bench),
        ),
        tables=(
            shares_table(bench, beside=beside),
            Table(
                name="coreference-accuracy",
                title="Test accuracy without and with entities",
                columns=(*columns, "without, published", "with, published") if beside else columns,
                rows=tuple(rows),
                notes=_accuracy_notes(bench, beside=beside),
            ),
            Table(
                name="coreference-tests",
                title="With entities minus without",
                columns=("coreference", "subset", *COMPARISON_COLUMNS),
                rows=tuple(tests),
            ),
        ),
        turned=tuple(turned_relations(bench.corpora[shown], *_test_answers(runs, shown))),
    )


def _on_automatic(bench: Bench) -> str:
    """Who made the automatic coreference, and what else the versions differ in."""
    automatic = bench.corpora[AUTOMATIC]
    said = [f"Automatic coreference is by {automatic.annotators}."]
    if automatic.name == "gum" and BUILT_IN in automatic.annotators:
        said.append(
            "This resolver was trained on GUM's training documents: on them its coreference is better than "
            "on the test part, and the models with entities learn from it."
        )
    if has_new_tokens(automatic):
        said.append("Automatic versions have tokens and trees of their own, too.")
    elif len(bench.corpora) > 1:
        said.append("The versions differ in coreference alone.")
    return " ".join(said)


def _accuracy_notes(bench: Bench, *, beside: bool) -> tuple[str, ...]:
    on_intersection = (
        "Ours on the intersection are by models that were trained on its documents alone.",
        "The paper evaluates on the intersection, and does not say that it was trained on it.",
    )
    if INTERSECTION + OWN not in bench.corpora:
        return (SOURCE,) if beside else ()
    return (SOURCE, " ".join(on_intersection)) if beside else on_intersection[:1]


def _test_answers(runs: GroupResults, layers: str) -> list[list[Answers]]:
    """Of the model without and of the one with entities, for every seed."""
    return [answers_of(runs[layers, system.name]) for system in SYSTEMS]


# The paper's accuracies without and with entities, by version and subset.
PUBLISHED: dict[tuple[str, str], tuple[float | None, float | None]] = {
    (AUTOMATIC, "shared entities"): ENTITIES_ON_SHARED,
    (INTERSECTION + OWN, "all"): ENTITIES_ON_INTERSECTION,
}


def _cell(percent: float | None) -> Measure | None:
    return None if percent is None else published(percent)


def shares_table(bench: Bench, *, beside: bool) -> Table:
    """The share of implicit relations whose arguments share an entity, by part."""
    rows: list[tuple[Cell, ...]] = []
    parts_shown = ("train", "test")
    for layers, corpus in bench.corpora.items():
        parts = divide(corpus, bench.configuration)
        row: list[Cell] = [layers, len(corpus.documents)]
        for part in parts_shown:
            implicit = [
                one
                for one in parts.relations[part]
                if one.kind is RelationKind.IMPLICIT and one.arg1.tokens and one.arg2.tokens
            ]
            shared = shared_entities(corpus.documents, implicit)
            row.append(Measure(sum(shared) / len(shared), n=len(shared)) if shared else None)
        if beside:
            row += map(_cell, SHARED_ENTITIES.get(layers, (None, None)))
        rows.append(tuple(row))
    columns = ("coreference", "documents", *parts_shown)
    return Table(
        name="coreference",
        title="Implicit relations whose arguments share an entity",
        columns=(*columns, "train, published", "test, published") if beside else columns,
        rows=tuple(rows),
        notes=(SOURCE,) if beside else (),
    )


COREFERENCE = Experiment("coreference", _groups, _findings)


def turned_relations(
    corpus: Corpus, before: Sequence[Answers], after: Sequence[Answers], *, at_most: int = 20
) -> Iterator[Turned]:
    """Those with shared entities on which most seeds of the two systems disagree, clearest first.

    At most so many were turned right, and as many wrong. The answer of a system is the one that most of its
    seeds give; the ``seeds`` of a relation are those with which the first system is wrong and the second
    right, or the other way round. Both systems must have been trained with the same seeds, in one order.
    """
    seeds = len(after)
    right = stacked([*before, *after])
    was, is_now = right[:seeds], right[seeds:]
    turns = {1: (is_now & ~was).sum(axis=0), -1: (was & ~is_now).sum(axis=0)}
    relations = {(one.document, one.id): one for one in corpus.relations}
    mentions = MentionIndexes()
    shared = before[0].shared
    for sign in (1, -1):
        strength = turns[sign] - turns[-sign]
        clear = shared & (2 * strength > seeds)
        for number in [n for n in np.argsort(-strength, kind="stable") if clear[n]][:at_most]:
            relation = relations[before[0].documents[number], before[0].relations[number]]
            document = corpus.documents[relation.document]
            yield Turned(
                relation=relation.id,
                first=relation.arg1.text,
                second=relation.arg2.text,
                gold=before[0].gold[number],
                before=_usual_answer(before, number),
                after=_usual_answer(after, number),
                right=sign > 0,
                entities=_shared_mentions(document, relation, mentions),
                seeds=(int(turns[sign][number]), seeds),
            )


def _usual_answer(seeds: Sequence[Answers], number: int) -> str:
    given = [one.predicted[number] for one in seeds]
    return max(given, key=given.count)


def _shared_mentions(
    document: Document, relation: Relation, mentions: MentionIndexes
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The words of the aligned mentions, for each entity those in the first and in the second argument."""
    pairs = aligned_pairs(document, relation, mentions.of(document), whole=True)
    groups: list[tuple[set[tuple[int, int]], set[tuple[int, int]]]] = []
    for first, second in sorted(pairs):
        for left, right in groups:  # pairs of one entity are all with all: they share a side
            if first in left or second in right:
                left.add(first)
                right.add(second)
                break
        else:
            groups.append(({first}, {second}))
    return tuple(
        tuple(tuple(document.text[start:end] for start, end in sorted(side)) for side in group)  # type: ignore[misc]
        for group in groups
    )


PARTS = ("dev", "test")
# The settings of a model for running text and given arguments. It can't know relations around a pair.
RUNNING_TEXT = ("task.outcomes=running-text", "task.whole_sentences=true", "features.context=false")


MEASURES = {
    "senses": "given arguments",
    "across": "those across sentences",
    "running_text": "running text, all outcomes",
}


def compare_layers(
    corpora: Mapping[str, Corpus],
    configuration: Configuration,
    *,
    seeds: Sequence[int],
    progress: Callable[[str, int], None] = lambda layers, seed: None,
) -> Findings:
    """Train the configured model on each version of a corpus, with every seed: accuracy part by part."""
    rows: list[tuple[Cell, ...]] = []
    for name, corpus in corpora.items():
        parts = divide(corpus, configuration)
        if not parts.instances["test"]:
            raise CorpusError("There is no labelled relation to test on.", where=corpus.name)
        answers: dict[str, list[dict[str, Right]]] = {part: [] for part in PARTS}
        for seed in seeds:
            progress(name, seed)
            model = train_model(corpus, parts, configuration.changed({"training.seed": seed})).model
            for part in PARTS:
                answers[part].append(right_answers(model, parts.instances[part]))
        for part, by_seed in answers.items():
            measures = (measure(np.array([one[kind] for one in by_seed])) for kind in MEASURES)
            rows.append((name, part, *measures))
    names = ", ".join({corpus.name: None for corpus in corpora.values()})
    return Findings(
        name="layers",
        title="What automatic layers cost",
        words=(f"{names}: accuracy, mean and deviation over seeds 1 to {len(seeds)}, 95% intervals.",),
        tables=(Table("layers", "Accuracy by layers", ("layers", "part", *MEASURES.values()), tuple(rows)),),
    )


def right_answers(model: AnyModel, instances: Sequence[Instance]) -> dict[str, Right]:
    """Which answers of a model are right, by measure: a flag for each relation.

    ``senses``: arguments given, the label chosen among senses, on all relations that have one; ``across``:
    those of them whose arguments share no sentence, which are harder. ``running_text``: all outcomes, between
    two neighbouring sentences, which are the arguments as a whole.
    """
    with_sense = [one for one in instances if one.has_sense]
    senses = model.is_sense.nonzero()[0]

    def right(chosen: Sequence[Instance], allowed: NDArray[np.intp]) -> Right:
        best = model.scores(chosen)[:, allowed].argmax(axis=1)
        return hits([one.gold for one in chosen], [model.labels[number] for number in allowed[best]])

    return {
        "senses": right(with_sense, senses),
        "across": right(across_sentences(with_sense), senses),
        "running_text": right(as_running_text(instances), np.arange(len(model.labels))),
    }
