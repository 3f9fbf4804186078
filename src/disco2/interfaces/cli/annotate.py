"""disco2 annotate."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

from disco2.annotation.cache import document_to_json
from disco2.files import check_file_place, write_text
from disco2.inference.pipeline import annotate_texts
from disco2.interfaces.cli import options
from disco2.interfaces.cli.listing import results


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
