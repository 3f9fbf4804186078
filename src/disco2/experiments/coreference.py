"""Versions of a corpus that differ in coreference or other layers, and what that does to accuracy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.annotator import Layer, is_present
from disco2.corpora.catalogue import documents_with_coreference
from disco2.data import Corpus, Instance, RelationKind
from disco2.data.tree import shared_entities
from disco2.evaluation.scores import hits
from disco2.experiments.bench import (
    AUTOMATIC,
    COMPARISON_COLUMNS,
    PAPER,
    SOURCE,
    Bench,
    Experiment,
    GroupResults,
    Groups,
    accuracy,
    answers_of,
    compare_answers,
    is_covered,
    is_papers_corpus,
    measure,
    published,
)
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import across_sentences, as_running_text, divide
from disco2.experiments.evaluating import Right
from disco2.experiments.paper import FULL, WITHOUT_ENTITIES
from disco2.experiments.runs import OWN
from disco2.experiments.train_run import train_model
from disco2.model import AnyModel
from disco2.reporting.findings import Cell, Findings, Measure, Row, Table

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
    if all(document.mentions is None for document in own.documents.values()):
        return {AUTOMATIC: automatic}
    put_back = with_own_coreference(own, automatic)
    if is_covered(own):
        return {OWN: put_back, AUTOMATIC: automatic}
    common = documents_with_coreference(put_back)
    same_documents = replace(automatic.only(common.documents), parts=common.parts, notes=common.notes)
    return {AUTOMATIC: automatic, INTERSECTION + OWN: common, INTERSECTION + AUTOMATIC: same_documents}


def with_own_coreference(own: Corpus, automatic: Corpus) -> Corpus:
    """The automatic version with the corpus's own mentions: a corpus that lacks trees has the same ones.

    On new tokens the mentions would lie elsewhere: then the corpus is returned unchanged.
    """
    if Layer.TOKENS in automatic.automatic:
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


SYSTEMS = (WITHOUT_ENTITIES, FULL)


def _groups(bench: Bench) -> Groups:
    """By version and system: without entities, then with them."""
    return {
        (layers, system.name): bench.plans(system, layers=layers)
        for layers in bench.corpora
        for system in SYSTEMS
    }


def _findings(bench: Bench, runs: GroupResults) -> Findings:
    rows: list[Row] = []
    tests: list[Row] = []
    beside = is_papers_corpus(bench, "lin")
    for layers in bench.corpora:
        without, with_entities = (answers_of(runs[layers, system.name]) for system in SYSTEMS)
        for subset, chosen in (("all", slice(None)), ("shared entities", without[0].shared)):
            theirs = _published("entities", f"{layers}, {subset}") if beside else ()
            rows.append((layers, subset, accuracy(without, chosen), accuracy(with_entities, chosen), *theirs))
        tests += compare_answers(layers, with_entities, without)
    notes = [SOURCE] if beside else []
    if INTERSECTION + OWN in bench.corpora:
        notes.append("Ours on the intersection are by models that were trained on its documents alone.")
    columns = ("coreference", "subset", "without entities", "with entities")
    return Findings(
        name="coreference",
        title="Coreference",
        words=(
            "Which relations have coreferent entities depends on who looks for them; entities can help where "
            f"there are some. Models: {WITHOUT_ENTITIES.name}, {FULL.name}; {len(bench.seeds)} seeds.",
            f"Automatic coreference is by {bench.corpora[AUTOMATIC].annotators}.",
        ),
        tables=(
            shares_table(bench, beside=beside),
            Table(
                "coreference-accuracy",
                "Test accuracy without and with entities",
                (*columns, "without, published", "with, published") if beside else columns,
                tuple(rows),
                tuple(notes),
            ),
            Table(
                "coreference-tests",
                "With entities minus without",
                ("coreference", *COMPARISON_COLUMNS),
                tuple(tests),
            ),
        ),
    )


def _published(table: str, row: str) -> Row:
    """The paper's two figures."""
    percents = PAPER[table].get(row)
    return tuple(map(published, percents)) if percents else (None, None)


def shares_table(bench: Bench, *, beside: bool) -> Table:
    """The share of implicit relations whose arguments share an entity, by part."""
    rows: list[Row] = []
    for layers, corpus in bench.corpora.items():
        relations = divide(corpus, bench.configuration).relations
        row: list[Cell] = [layers, len(corpus.documents)]
        for part in ("train", "test"):
            implicit = [
                one
                for one in relations[part]
                if one.kind is RelationKind.IMPLICIT and one.arg1.tokens and one.arg2.tokens
            ]
            shared = shared_entities(corpus.documents, implicit)
            row.append(Measure(sum(shared) / len(shared), n=len(shared)) if shared else None)
        rows.append((*row, *(_published("shared-entities", layers) if beside else ())))
    columns: tuple[str, ...] = ("coreference", "documents", "train", "test")
    columns += ("train, published", "test, published") if beside else ()
    notes = (SOURCE,) if beside else ()
    title = "Implicit relations whose arguments share an entity"
    return Table("coreference", title, columns, tuple(rows), notes)


COREFERENCE = Experiment("coreference", _groups, _findings)

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
    rows: list[Row] = []
    for name, corpus in corpora.items():
        parts = divide(corpus, configuration)
        answers: dict[str, list[dict[str, Right]]] = {"dev": [], "test": []}
        for seed in seeds:
            progress(name, seed)
            model = train_model(corpus, parts, configuration.changed({"training.seed": seed})).model
            for part, found in answers.items():
                found.append(right_answers(model, parts.instances[part]))
        for part, found in answers.items():
            measures = (measure(np.array([one[kind] for one in found])) for kind in MEASURES)
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
    those of them whose arguments share no sentence. ``running_text``: all outcomes, between two neighbouring
    sentences, which are the arguments as a whole.
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
