"""disco2 evaluate: how good a model is on a corpus."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from disco2.bundle import load_bundle
from disco2.corpora.writing import FORMS, NO_LABELS, export_predictions
from disco2.errors import SettingsError
from disco2.experiments.evaluating import ModelEvaluation, evaluate_model, label_relations, parts_to_evaluate
from disco2.files import write_text
from disco2.interfaces.cli import listing
from disco2.interfaces.cli.corpus_options import CorpusOptions
from disco2.interfaces.cli.experiment import score_end_to_end, show_findings
from disco2.interfaces.cli.options import AsJson, Model, Part, Protocol, choose, path_option
from disco2.shipped import find_model

JSONL = "jsonl"


def evaluate(
    model: Model = None,
    split: Part = "test",
    protocol: Protocol = "",
    predictions: Annotated[Path | None, path_option(help="Write predictions here, as --form says.")] = None,
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
        typer.Option("--end-to-end", help="Score all relations found in raw text, with automatic layers."),
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
        exported = export_predictions(found, labelled.relations, labelled.labels, predictions, form)
        listing.print_note(f"{exported.relations} predictions written as {form} to {predictions}")
        if kinds := ", ".join(f"{kind} ({count})" for kind, count in labelled.beyond_task.most_common()):
            what = "labelled like the others, though the model's task does not count them"
            listing.print_note(f"{what}: {kinds}")
        for note in exported.notes:
            listing.print_note(note)
        if not labelled.annotated:
            listing.print_note(
                f"the relations of '{split}' have no labels of their own: there are no figures"
            )
            if as_json:
                listing.print_json({"split": split, "n": 0, "predictions": len(labelled.relations)})
            return
    judged = evaluate_model(*bundle, found, part=split, protocol=protocol)
    for warning in judged.warnings:
        listing.messages.print(f"warning: {warning}")
    if predictions is not None and form == JSONL:
        write_text(
            predictions, (json.dumps(line, ensure_ascii=False) + "\n" for line in judged.answers.records())
        )
    if as_json:
        listing.print_json(judged.to_json())
    else:
        _show(judged)


def _show(judged: ModelEvaluation) -> None:
    figures, only = judged.evaluation, judged.senses_only
    listing.results.print(
        f"accuracy {listing.accuracy_line(figures.accuracy, figures.interval)}, "
        f"macro F1 {listing.percent(figures.macro_f1)}, {figures.n} relations of '{judged.part}'"
    )
    if only is not None:
        listing.results.print(
            "chosen among the senses, without EntRel and NoRel: "
            f"accuracy {listing.accuracy_line(only.accuracy, only.interval)}, {only.n} relations"
        )
    for name, subset in (("with", figures.shared_entities), ("without", figures.other_pairs)):
        if subset.n:
            listing.results.print(
                f"{name} shared entities: accuracy {listing.percent(subset.accuracy)}%, {subset.n} relations"
            )
    rows = [
        [sense, *map(listing.percent, (row.precision, row.recall, row.f1)), row.support]
        for sense, row in figures.per_sense.items()
    ]
    listing.results.print()
    listing.print_table("By sense", ["sense", "precision", "recall", "F1", "relations"], rows)
    labels, counts = figures.confusion.labels, figures.confusion.counts
    listing.results.print()
    listing.print_table(
        "Confusion (rows: gold, columns: predicted)",
        ["", *map(str, range(1, len(labels) + 1))],
        [[f"{number} {label}", *counts[number - 1]] for number, label in enumerate(labels, 1)],
    )
    for reason, count in judged.dropped.most_common():
        listing.results.print(f"left out: {count}, because {reason}")
