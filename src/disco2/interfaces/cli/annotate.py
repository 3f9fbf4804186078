"""disco2 annotate, and disco2 annotator: train and evaluate the built-in annotator."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from disco2.annotation.document_json import document_to_json
from disco2.annotation.english.annotators import COMPONENTS
from disco2.corpora.catalogue import read_corpus
from disco2.errors import SettingsError
from disco2.files import check_file_place, write_text
from disco2.inference.pipeline import annotate_texts
from disco2.interfaces.cli import options
from disco2.interfaces.cli.listing import messages, percent, print_json, print_table, results


def annotate(
    text: options.TextArgument = None,
    file: options.TextFile = None,
    paragraphs: options.Paragraphs = "blank",
    encoding: options.Encoding = "utf-8",
    output: Annotated[
        Path | None, options.path_option(help="JSON file to write. Default: standard output.")
    ] = None,
    *,
    annotators: options.AnnotatorOptions,
) -> None:
    """Write tokens, tags, trees, dependencies, mentions and chains of a text as JSON."""
    options.check_source(text, file, hint="Give either a text in quotes or --file.")
    if output is not None:
        options.check_not_input(output, file)
        check_file_place(output)
    content = text or "" if file is None else options.read_input(file, encoding=encoding)
    with annotators.open() as makers:
        document = annotate_texts(makers, [(options.document_name(file), content)], paragraphs=paragraphs)[0]
        record = document_to_json(document, annotators=makers.name)
    if output is None:
        sys.stdout.write(json.dumps(record) + "\n")
        return
    write_text(output, [json.dumps(record, ensure_ascii=False), "\n"])
    chains = len({mention.chain for mention in document.mentions or ()})
    results.print(
        f"{output}: {len(document.sentences)} sentences, {len(document.tokens)} tokens, {chains} chains. "
        f"Use it as: disco2 predict --document {output}"
    )


def annotator_train(
    gum: Annotated[Path, options.path_option(help="Folder of a checkout of GUM.")],
    output: Annotated[Path, options.path_option(help="Folder to write the annotator to.")],
    only: Annotated[
        str,
        options.suggest(
            COMPONENTS, help="Some of: syntax, constituents, coreference; the others must be there."
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Fixes everything random.")] = 1,
    force: options.Force = False,
) -> None:
    """Train tokens, tags, dependencies, constituents and coreference on GUM's training part."""
    from disco2.experiments.annotators import train_annotators

    asked = [name.strip() for name in only.split(",") if name.strip()]
    if unknown := [name for name in asked if name not in COMPONENTS]:
        raise SettingsError(
            f"Unknown component '{unknown[0]}'.", hint=f"Choose from: {', '.join(COMPONENTS)}."
        )
    chosen = tuple(name for name in COMPONENTS if not asked or name in asked)
    train_annotators(
        read_corpus("gum", gum), output, components=chosen, seed=seed, progress=messages.print, force=force
    )
    results.print(f"{output}: {', '.join(chosen)} trained with seed {seed}")


def annotator_evaluate(
    gum: Annotated[Path, options.path_option(help="Folder of a checkout of GUM.")],
    part: options.Part = "dev",
    as_json: options.AsJson = False,
    *,
    annotators: options.AnnotatorOptions,
) -> None:
    """Score each layer of an annotator: tokens, sentences, tags, dependencies, trees and chains."""
    from disco2.experiments.annotators import annotator_quality

    corpus = read_corpus("gum", gum)
    with annotators.open() as chosen, messages.status(f"annotating {part} twice"):
        found = annotator_quality(corpus, chosen, part=part)
    if as_json:
        print_json(found)
    else:
        print_table("Shares are in per cent", ["figure", part], _figures(found))


def _figures(found: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    """The figures by name, such as ``raw_text.syntax.tags``; shares in per cent."""
    for name, value in found.items():
        if isinstance(value, Mapping):
            yield from _figures(value, f"{before}{name}.")
        else:
            yield before + name, percent(value) if isinstance(value, float | None) else value
