"""disco2 annotator evaluate: annotators against the gold layers of GUM."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from disco2.corpora.catalogue import read_corpus
from disco2.interfaces.cli.annotator_options import AnnotatorOptions, takes_annotators
from disco2.interfaces.cli.console import messages, percent, print_json, print_table
from disco2.interfaces.cli.offered_values import PARTS, among
from disco2.interfaces.cli.options import AsJson, path_option


@takes_annotators
def annotator_evaluate(
    annotators: AnnotatorOptions,
    gum: Annotated[Path, path_option(help="Folder of a checkout of GUM.")],
    part: Annotated[
        str, typer.Option(help="The part to evaluate on: train, dev or test.", autocompletion=among(PARTS))
    ] = "dev",
    as_json: AsJson = False,
) -> None:
    """Tokens, sentences, tags, dependencies, trees and chains: how well each layer is made."""
    from disco2.experiments.annotators import annotator_quality

    corpus = read_corpus("gum", gum)
    with annotators.open() as chosen, messages.status(f"annotating {part} twice"):
        found = annotator_quality(corpus, chosen, part=part)
    if as_json:
        print_json(found)
    else:
        _show(found)


def _show(found: dict[str, Any]) -> None:
    raw, gold = found["raw_text"], found["gold_tokens"]
    names = {
        "tokens": "tokens",
        "sentences": "sentences",
        "tags": "tags",
        "unlabelled": "heads (UAS)",
        "labelled": "heads and labels (LAS)",
    }
    print_table(
        f"{found['part']}, {found['documents']} documents: F1",
        ["layer", "from raw text", "on gold tokens"],
        [[name, percent(raw["syntax"][key]), percent(gold["syntax"][key])] for key, name in names.items()]
        + [_chain_row(key, raw, gold) for key in ("mentions", "muc", "b_cubed", "ceaf")]
        + [
            [
                "mean of the last three",
                *(percent(one["coreference"]["chains"]["mean"]) for one in (raw, gold)),
            ]
        ],
    )
    print_table(
        "\nTrees on gold tokens: brackets",
        ["sentences", "labelled F1", "unlabelled F1", "number"],
        [
            [name, percent(trees["labelled_f1"]), percent(trees["unlabelled_f1"]), str(trees["sentences"])]
            for name, trees in (
                ("all", gold["trees"]["all"]),
                ("first of at most 60 words", gold["trees"]["sample"]),
            )
        ],
    )
    rows = []
    for name, one in (("from raw text", raw), ("on gold tokens", gold)):
        pairs, shared = one["coreference"]["aligned_pairs"]["heads"], one["coreference"]["shared_entities"]
        figures = (pairs["precision"], pairs["recall"], pairs["f1"], shared["gold"], shared["automatic"])
        rows.append([name, *map(percent, figures)])
    print_table(
        f"\nMentions aligned between the arguments of {raw['coreference']['relations']} implicit relations, "
        "and the share of relations that have some",
        ["", "precision", "recall", "F1", "share, gold", "share, automatic"],
        rows,
    )


def _chain_row(key: str, *columns: dict[str, Any]) -> list[str]:
    name = {"mentions": "mentions", "muc": "MUC", "b_cubed": "B3", "ceaf": "CEAFe"}[key]
    return [name, *(percent(one["coreference"]["chains"][key]["f1"]) for one in columns)]
