"""disco2 annotate: a text -> a document with all its layers, to be used again."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.document_json import document_to_json
from disco2.errors import InputError
from disco2.files import check_file_place, write_text
from disco2.inference.annotating import annotate_texts
from disco2.interfaces.cli.annotator_options import AnnotatorOptions, takes_annotators
from disco2.interfaces.cli.console import results
from disco2.interfaces.cli.input_text import Encoding, document_name, read_input
from disco2.interfaces.cli.options import path_option
from disco2.interfaces.cli.paragraph_option import Paragraphs, check_paragraphs


@takes_annotators
def annotate(
    annotators: AnnotatorOptions,
    text: Annotated[str | None, typer.Argument(help="The text itself.")] = None,
    file: Annotated[Path | None, path_option(help="File of the text; - for standard input.")] = None,
    paragraphs: Paragraphs = "blank",
    encoding: Encoding = "utf-8",
    output: Annotated[Path | None, path_option(help="JSON file to write. Default: standard output.")] = None,
) -> None:
    """Tokens, tags, trees, dependencies, mentions and chains of a text, as JSON."""
    if (text is None) == (file is None):
        raise InputError(
            "Nothing to annotate." if text is None else "There are two texts.",
            hint="Give either a text in quotes or --file.",
        )
    check_paragraphs(paragraphs)
    if output is not None:
        _check_output(output, file)
    name = "text"
    if file is not None:
        name, text = document_name(file), read_input(file, encoding=encoding)
    with annotators.open() as makers:
        document = annotate_texts(makers, [(name, text or "")], paragraphs=paragraphs)[0]
        content = document_to_json(document, annotators=makers.name)
    if output is None:
        sys.stdout.write(json.dumps(content) + "\n")
        return
    write_text(output, [json.dumps(content, ensure_ascii=False), "\n"])
    chains = len({mention.chain for mention in document.mentions or ()})
    results.print(
        f"{output}: {len(document.sentences)} sentences, {len(document.tokens)} tokens, {chains} chains. "
        f"Use it as: disco2 predict --document {output}",
        markup=False,
    )


def _check_output(output: Path, file: Path | None) -> None:
    """Refuse what would be lost or can't be written, before any model is loaded."""
    if file is not None and os.path.realpath(output) == os.path.realpath(file):
        raise InputError(
            "The output would overwrite its input.", where=str(output), hint="Choose another --output."
        )
    check_file_place(output)
