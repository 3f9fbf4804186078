"""disco2 predict: text, a document or pairs -> relations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.document_json import parse_document
from disco2.errors import InputError
from disco2.inference.candidates import PARAGRAPH_BREAKS
from disco2.inference.json_form import text_result
from disco2.interfaces.cli.console import print_json
from disco2.interfaces.cli.input_text import Encoding, document_name, read_bytes, read_input
from disco2.interfaces.cli.options import AsJson, path_option
from disco2.interfaces.cli.pipeline_options import PipelineOptions, takes_pipeline
from disco2.interfaces.cli.predict_listing import print_relations
from disco2.interfaces.cli.predict_pairs import check_pairs, predict_pairs


@takes_pipeline
def predict(
    pipeline: PipelineOptions,
    text: Annotated[str | None, typer.Argument(help="The text itself.")] = None,
    file: Annotated[Path | None, path_option(help="File of a text; - for standard input.")] = None,
    document: Annotated[Path | None, path_option(help="A document that disco2 annotate wrote.")] = None,
    pairs: Annotated[
        Path | None,
        path_option(help='JSON lines such as {"arg1": "...", "arg2": "..."}; - for standard input.'),
    ] = None,
    output: Annotated[
        Path | None, path_option(help="With --pairs: file of the answers; an interrupted run goes on.")
    ] = None,
    batch_size: Annotated[int, typer.Option(help="With --pairs: how many are done at a time.")] = 64,
    restart: Annotated[
        bool, typer.Option("--restart", help="With --pairs: drop what an earlier run has left.")
    ] = False,
    paragraphs: Annotated[
        str, typer.Option(help=f"What ends a paragraph: {', '.join(PARAGRAPH_BREAKS)}.")
    ] = "blank",
    explain: Annotated[bool, typer.Option("--explain", help="Split each score into its terms.")] = False,
    encoding: Encoding = "utf-8",
    as_json: AsJson = False,
) -> None:
    """The relation of every pair of neighbouring sentences in a paragraph, or of pairs that are given."""
    _check_inputs(text, file, document, pairs)
    if paragraphs not in PARAGRAPH_BREAKS:
        raise InputError(
            f"There are no paragraphs '{paragraphs}'.", hint=f"Use one of: {', '.join(PARAGRAPH_BREAKS)}."
        )
    if pairs is not None:
        check_pairs(pairs, output, batch_size)
        with pipeline.loaded() as nlp:
            predict_pairs(nlp, pairs, output, batch_size=batch_size, restart=restart, explain=explain)
        return
    if output is not None or restart:
        raise InputError("--output and --restart belong to --pairs.", hint="For one text, use: --json > FILE")
    # Input is read before models are, so that a wrong path is told at once.
    known = parse_document(read_bytes(document), where=str(document)) if document is not None else None
    read = read_input(file, encoding=encoding) if file is not None else text or ""
    name = document_name(file) if file is not None else "text"
    with pipeline.loaded() as nlp:
        annotated = known if known is not None else nlp.annotate(read, document_id=name)
        found = nlp.relations(annotated, paragraphs=paragraphs)
        explanations = list(nlp.explain_many(found)) if explain else None
        if as_json:
            print_json(text_result(nlp, annotated, found, explanations))
        else:
            print_relations(found, explanations)


def _check_inputs(*given: str | Path | None) -> None:
    count = sum(one is not None for one in given)
    if count != 1:
        raise InputError(
            "There is nothing to predict for." if not count else "There is more than one input.",
            hint="Give one of: a text in quotes, --file, --document, --pairs.",
        )
