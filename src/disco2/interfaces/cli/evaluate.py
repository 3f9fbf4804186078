"""disco2 evaluate, and disco2 experiment parser: how good a model or the whole pipeline is on a corpus."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.annotator import Annotators
from disco2.bundle import load_bundle
from disco2.corpora.catalogue import ALL
from disco2.corpora.protocols import document_parts
from disco2.corpora.writing import FORMS, NO_LABELS, export_predictions
from disco2.data import Corpus, Document, Instance
from disco2.data.senses import in_pdtb3
from disco2.errors import InputError, SettingsError
from disco2.evaluation.end_to_end import SpanRelation
from disco2.experiments.configuration import Configuration
from disco2.experiments.evaluating import (
    Labelled,
    ModelEvaluation,
    evaluate_model,
    label_relations,
    parts_to_evaluate,
)
from disco2.experiments.parser import System, as_spans, has_relations, parser_findings
from disco2.files import write_text
from disco2.inference.candidates import Candidate, find_span, predict_candidates
from disco2.inference.pipeline import Pipeline, load
from disco2.inference.prediction import RelationChoice
from disco2.interfaces.cli.corpus_options import CorpusOptions
from disco2.interfaces.cli.experiment import show_findings
from disco2.interfaces.cli.listing import (
    accuracy_line,
    messages,
    percent,
    print_json,
    print_note,
    print_table,
    results,
)
from disco2.interfaces.cli.options import AsJson, Model, Part, Protocol, choose, path_option
from disco2.reporting.findings import Findings
from disco2.reporting.page import write_findings
from disco2.shipped import find_model

JSONL = "jsonl"


def evaluate(
    model: Model = None,
    split: Part = "test",
    protocol: Protocol = "",
    predictions: Annotated[
        Path | None, path_option(help="Write the predictions to this file, in the form --form.")
    ] = None,
    form: Annotated[
        str,
        choose(
            "form",
            (JSONL, *FORMS),
            help="jsonl: a JSON line with all scores for each relation that is judged; conll16, disrpt: "
            "the shared tasks' own, with a label for every relation of the part, explicit ones too.",
        ),
    ] = JSONL,
    end_to_end: Annotated[
        bool,
        typer.Option(
            "--end-to-end",
            help="Score all relations found in raw text: connectives, arguments, senses. All layers are "
            "annotated, unless --automatic names others.",
        ),
    ] = False,
    as_json: AsJson = False,
    *,
    corpus: CorpusOptions,
) -> None:
    """Accuracy with its interval, F1 by sense, confusion, and pairs with and without shared entities."""
    if form != JSONL and predictions is None:
        raise SettingsError(f"There is no file for the form '{form}'.", hint="Add --predictions FILE.")
    if end_to_end:
        if predictions is not None:
            raise SettingsError("--end-to-end writes no predictions.", hint="Use disco2 predict --form.")
        show_findings([score_end_to_end(corpus, model, part=split, protocol=protocol)], as_json=as_json)
        return
    bundle = load_bundle(find_model(model))
    judged_here = partial(parts_to_evaluate, *bundle, part=split, protocol=protocol)
    # The shared tasks' own forms do without labels.
    found = corpus.read(check=judged_here) if form == JSONL else corpus.read()
    if predictions is not None and form != JSONL:
        without = NO_LABELS[form]
        labelled = label_relations(*bundle, found, part=split, protocol=protocol, without=without)
        _export(found, labelled, predictions, form)
        if not labelled.annotated:
            print_note(f"the relations of '{split}' have no labels of their own: there are no figures")
            if as_json:
                print_json({"split": split, "n": 0, "predictions": len(labelled.relations)})
            return
    judged = evaluate_model(*bundle, found, part=split, protocol=protocol)
    for warning in judged.warnings:
        messages.print(f"warning: {warning}")
    if predictions is not None and form == JSONL:
        write_text(
            predictions, (json.dumps(line, ensure_ascii=False) + "\n" for line in judged.answers.records())
        )
    if as_json:
        print_json(judged.to_json())
    else:
        _show(judged)


def _export(corpus: Corpus, labelled: Labelled, path: Path, form: str) -> None:
    exported = export_predictions(corpus, labelled.relations, labelled.labels, path, form)
    print_note(f"{exported.relations} predictions written as {form} to {path}")
    if labelled.beyond_task:
        counts = labelled.beyond_task.most_common()
        kinds = ", ".join(f"{kind} ({count})" for kind, count in counts)
        print_note(f"labelled like the others, though the model's task does not count them: {kinds}")
    for note in exported.notes:
        print_note(note)


def _show(judged: ModelEvaluation) -> None:
    figures, only = judged.evaluation, judged.senses_only
    results.print(
        f"accuracy {accuracy_line(figures.accuracy, figures.interval)}, "
        f"macro F1 {percent(figures.macro_f1)}, {figures.n} relations of '{judged.part}'"
    )
    if only is not None:
        results.print(
            "chosen among the senses, without EntRel and NoRel: "
            f"accuracy {accuracy_line(only.accuracy, only.interval)}, {only.n} relations"
        )
    for name, subset in (
        ("with shared entities", figures.shared_entities),
        ("without shared entities", figures.other_pairs),
    ):
        if subset.n:
            figure = f"accuracy {percent(subset.accuracy)}%, {subset.n} relations"
            results.print(f"{name}: {figure}")
    print_table(
        "\nBy sense",
        ["sense", "precision", "recall", "F1", "relations"],
        [
            [sense, percent(row.precision), percent(row.recall), percent(row.f1), row.support]
            for sense, row in figures.per_sense.items()
        ],
    )
    labels, counts = figures.confusion.labels, figures.confusion.counts
    print_table(
        "\nConfusion (rows: gold, columns: predicted)",
        ["", *map(str, range(1, len(labels) + 1))],
        [[f"{number} {label}", *counts[number - 1]] for number, label in enumerate(labels, 1)],
    )
    for reason, count in judged.dropped.most_common():
        results.print(f"left out: {count}, because {reason}")


def experiment_parser(
    model: Model = None,
    split: Part = "test",
    protocol: Protocol = "",
    output: Annotated[Path, path_option(help="Folder for tables.")] = Path("runs"),
    as_json: AsJson = False,
    *,
    corpus: CorpusOptions,
) -> None:
    """Connectives, arguments, senses and all relations from raw text, beside rules, and by genre.

    All layers are annotated, unless --automatic names others.
    """
    found = score_end_to_end(corpus, model, part=split, protocol=protocol)
    write_findings(found, output)
    show_findings([found], as_json=as_json)
    print_note(f"tables are in {output}")


def score_end_to_end(corpus: CorpusOptions, model: str | None, *, part: str, protocol: str = "") -> Findings:
    """The figures of a pipeline on a part, beside those of rules where there is a training part."""
    pipeline = load(model, annotators=Annotators([]))
    found = corpus.read(check=lambda own: _check_part(_with_parts(own, protocol), part), usual=ALL)
    system = pipeline_system(pipeline)
    return parser_findings(_with_parts(found, protocol), system, part=part, name=pipeline.info.name)


def _with_parts(corpus: Corpus, protocol: str) -> Corpus:
    """The corpus with the parts of a protocol, by default its own or those that are usual for it."""
    if corpus.parts and not protocol:
        return corpus
    name = protocol or Configuration().task.protocol_for(corpus.name)
    return replace(corpus, parts=document_parts(corpus, name, seed=1))


def pipeline_system(pipeline: Pipeline) -> System:
    """The pipeline as a system to be scored on documents that have their layers."""
    choice = RelationChoice()

    def parse(document: Document) -> list[SpanRelation]:
        return [
            SpanRelation(
                document.id,
                one.kind,
                frozenset(one.source.relation.arg1.tokens),
                frozenset(one.source.relation.arg2.tokens),
                (in_pdtb3(one.sense),),
                frozenset(one.source.relation.connective_tokens),
            )
            for one in pipeline.find(document, choice)
            if one.source is not None
        ]

    def parse_given(document: Document, connectives: list[tuple[int, ...]]) -> list[SpanRelation]:
        return as_spans(document, pipeline.parser.parse(document, connectives=connectives, implicit=False))

    def classify(instances: Sequence[Instance]) -> list[str]:
        pairs = [
            Candidate(
                one,
                find_span(one.document, one.relation.arg1.tokens),
                find_span(one.document, one.relation.arg2.tokens),
                senses_only=True,
            )
            for one in instances
        ]
        return [
            in_pdtb3(one.sense) for one in predict_candidates(pipeline.model, pipeline.calibration, pairs)
        ]

    return System(parse, parse_given, classify)


def _check_part(corpus: Corpus, part: str) -> None:
    if not has_relations(corpus, part):
        raise InputError(f"No document of the part '{part}' has an explicit relation.", hint="Use --split.")
