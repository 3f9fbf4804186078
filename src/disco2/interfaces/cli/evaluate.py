"""disco2 evaluate: how good a model is on a part of a corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from disco2.bundle import load_bundle
from disco2.experiments.judging import Judged, judge
from disco2.files import write_text
from disco2.inference.loading import SHIPPED
from disco2.interfaces.cli.console import messages, percent, print_json, print_table, results
from disco2.interfaces.cli.corpus_options import CorpusChoice, takes_corpus
from disco2.interfaces.cli.options import AsJson, Protocol, path_option


@takes_corpus
def evaluate(
    corpus: CorpusChoice,
    model: Annotated[
        Path | None, path_option(help="Folder of a trained model. Default: the English one that ships.")
    ] = None,
    split: Annotated[str, typer.Option(help="The part to evaluate on: train, dev or test.")] = "test",
    protocol: Protocol = "",
    predictions: Annotated[
        Path | None, path_option(help="Write one JSON line a relation to this file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Accuracy with its interval, F1 by sense, confusion, and pairs with and without shared entities."""
    bundle = load_bundle(model or SHIPPED)
    found = corpus.read()
    judged = judge(*bundle, found, part=split, protocol=protocol)
    for warning in judged.warnings:
        messages.print(f"warning: {warning}", markup=False)
    if predictions is not None:
        write_text(
            predictions, (json.dumps(line, ensure_ascii=False) + "\n" for line in judged.predictions())
        )
    if as_json:
        print_json(judged.to_json())
    else:
        _show(judged)


def _show(judged: Judged) -> None:
    figures = judged.evaluation
    low, high = figures.interval
    results.print(
        f"accuracy {percent(figures.accuracy)}% (95% interval {percent(low)} to {percent(high)}), "
        f"macro F1 {percent(figures.macro_f1)}, {figures.n} relations of '{judged.part}'",
        markup=False,
    )
    if judged.senses_only is not None:
        only = judged.senses_only
        low, high = only.interval
        results.print(
            f"chosen among the senses, without EntRel and NoRel: accuracy {percent(only.accuracy)}% "
            f"(95% interval {percent(low)} to {percent(high)}), {only.n} relations",
            markup=False,
        )
    for name, subset in (
        ("with shared entities", figures.shared_entities),
        ("without shared entities", figures.other_pairs),
    ):
        if subset.n:
            figure = f"accuracy {percent(subset.accuracy)}%, {subset.n} relations"
            results.print(f"{name}: {figure}", markup=False)
    print_table(
        "\nBy sense",
        ["sense", "precision", "recall", "F1", "relations"],
        [
            [sense, percent(row.precision), percent(row.recall), percent(row.f1), str(row.support)]
            for sense, row in figures.per_sense.items()
        ],
    )
    labels, counts = figures.confusion.labels, figures.confusion.counts
    print_table(
        "\nConfusion (rows: gold, columns: predicted)",
        ["", *(str(number) for number, _ in enumerate(labels, 1))],
        [[f"{number} {label}", *map(str, counts[number - 1])] for number, label in enumerate(labels, 1)],
    )
    for reason, count in judged.dropped.most_common():
        results.print(f"left out: {count}, because {reason}", markup=False)
