"""disco2 predict: text, a document, pairs or a whole corpus -> relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.document_json import parse_annotated
from disco2.errors import InputError
from disco2.inference.finding import has_trees
from disco2.inference.json_form import text_result
from disco2.inference.prediction import KINDS, RelationChoice
from disco2.interfaces.cli.console import print_json, tell
from disco2.interfaces.cli.grouped_options import takes
from disco2.interfaces.cli.input_text import Encoding, document_name, read_bytes, read_input
from disco2.interfaces.cli.offered_values import among, several_of
from disco2.interfaces.cli.options import AsJson, path_option
from disco2.interfaces.cli.paragraph_option import Paragraphs, check_paragraphs
from disco2.interfaces.cli.pipeline_options import PipelineOptions, takes_pipeline
from disco2.interfaces.cli.predict_files import FilesOptions, predict_into_folder, takes_files
from disco2.interfaces.cli.predict_listing import print_relations
from disco2.interfaces.cli.predict_pairs import check_pairs, predict_pairs
from disco2.interfaces.exports import FORMS, check_form, write_relations

BATCH_SIZE, BLANK, UTF_8 = 64, "blank", "utf-8"  # what holds where nothing is said


@dataclass(frozen=True)
class ChoiceOptions:
    """Every field is an option."""

    kinds: Annotated[
        str | None,
        typer.Option(
            help=f"Give these kinds alone, separated by commas: {', '.join(KINDS)}.",
            autocompletion=several_of(KINDS),
        ),
    ] = None
    between_only: Annotated[
        bool,
        typer.Option(
            "--between-only",
            help="Judge neighbouring sentences alone: no search for connectives and clauses.",
        ),
    ] = False
    norel: Annotated[
        bool, typer.Option("--norel", help="Give neighbouring sentences without a relation too.")
    ] = False

    @property
    def choice(self) -> RelationChoice:
        """What they say; InputError where a kind is unknown."""
        return RelationChoice.of(self.kinds, between_only=self.between_only, norel=self.norel)

    @property
    def given(self) -> dict[str, bool]:
        """The options by name, and whether they were given."""
        return {
            f"--{option.name.replace('_', '-')}": getattr(self, option.name) != option.default
            for option in fields(self)
        }


takes_choice = takes(ChoiceOptions, "asked")


@takes_files
@takes_choice
@takes_pipeline
def predict(
    pipeline: PipelineOptions,
    asked: ChoiceOptions,
    bulk: FilesOptions,
    text: Annotated[str | None, typer.Argument(help="The text itself.")] = None,
    file: Annotated[Path | None, path_option(help="File of a text; - for standard input.")] = None,
    document: Annotated[Path | None, path_option(help="A document that disco2 annotate wrote.")] = None,
    pairs: Annotated[
        Path | None,
        path_option(help='JSON lines such as {"arg1": "...", "arg2": "..."}; - for standard input.'),
    ] = None,
    output: Annotated[
        Path | None,
        path_option(
            help="With --pairs a file, with --files a folder; an interrupted run resumes there. With --form "
            "a new folder."
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            help=f"Write the relations of one text into the folder --output, as {', '.join(FORMS)}.",
            autocompletion=among(FORMS),
        ),
    ] = "",
    batch_size: Annotated[int, typer.Option(help="With --pairs: how many are done at a time.")] = BATCH_SIZE,
    restart: Annotated[
        bool, typer.Option("--restart", help="With --pairs, --files: drop what an earlier run has left.")
    ] = False,
    paragraphs: Paragraphs = BLANK,
    explain: Annotated[bool, typer.Option("--explain", help="Split each score into its terms.")] = False,
    encoding: Encoding = UTF_8,
    as_json: AsJson = False,
) -> None:
    """All relations of a text: stated by connectives, inside sentences, between them; or those of pairs."""
    many = bool(bulk.files)
    _check_inputs(text, file, document, pairs, many or None)
    _check_text(text)
    check_paragraphs(paragraphs)
    _check_use(
        {"--output": output is not None},
        unless=pairs is not None or many or bool(form),
        belong_to="--pairs, --files and --form; for one text, use: --json > FILE",
    )
    _check_use({"--restart": restart}, unless=pairs is not None or many, belong_to="--pairs and --files")
    _check_use({"--form": bool(form)}, unless=pairs is None and not many, belong_to="one text")
    _check_form(form, output, other=as_json or explain)
    _check_use({"--batch-size": batch_size != BATCH_SIZE}, unless=pairs is not None, belong_to="--pairs")
    _check_use(bulk.given, unless=many, belong_to="--files")
    _check_use(
        {"--encoding": encoding != UTF_8}, unless=file is not None or many, belong_to="--file and --files"
    )
    _check_use(
        {"--paragraphs": paragraphs != BLANK, "--json": as_json, **asked.given},
        unless=pairs is None,
        belong_to="texts; answers to pairs are always JSON lines",
    )
    _check_use({"--json": as_json}, unless=not many, belong_to="one text; for many files, there is --format")
    _check_use({"An annotator": pipeline.chosen}, unless=document is None, belong_to="texts without layers")
    choice = asked.choice
    if many:
        predict_into_folder(
            pipeline,
            bulk,
            output,
            choice=choice,
            restart=restart,
            paragraphs=paragraphs,
            explain=explain,
            encoding=encoding,
        )
        return
    if pairs is not None:
        check_pairs(pairs, output, batch_size)
        with pipeline.loaded() as nlp:
            predict_pairs(nlp, pairs, output, batch_size=batch_size, restart=restart, explain=explain)
        return
    # Input is read before models are, so that a wrong path is told at once.
    known, makers = None, None
    if document is not None:
        known, makers = parse_annotated(read_bytes(document), where=str(document))
    read = read_input(file, encoding=encoding) if file is not None else text or ""
    name = document_name(file) if file is not None else "text"
    with pipeline.loaded(annotators=known is None) as nlp:
        if known is None:
            known = nlp.annotate(read, document_id=name, paragraphs=paragraphs)
        elif not has_trees(known) and not choice.between_only:
            tell("the document has no trees: only its neighbouring sentences are judged")
        found = nlp.find(known, choice, paragraphs=paragraphs)
        if form and output is not None:
            for note in write_relations([(known, found)], output, form):
                tell(note)
            tell(f"{len(found)} relations written as {form} to {output}")
            return
        explanations = list(nlp.explain_many(found)) if explain else None
        if as_json:
            print_json(text_result(nlp, known, found, explanations, annotators=makers))
        else:
            print_relations(found, explanations)


def _check_form(form: str, output: Path | None, *, other: bool) -> None:
    """Whether there is such a form, and a folder for it."""
    if not form:
        return
    check_form(form)
    if output is None:
        raise InputError(f"There is no folder for the form '{form}'.", hint="Give one: --output DIR")
    if other:
        raise InputError("--form goes neither with --json nor with --explain.", hint="Choose one of them.")


def _check_inputs(*given: object) -> None:
    count = sum(one is not None for one in given)
    if count != 1:
        raise InputError(
            "There is nothing to predict for." if not count else "There is more than one input.",
            hint="Give one of: a text in quotes, --file, --files (with its pattern in quotes), --document, "
            "--pairs.",
        )


def _check_text(text: str | None) -> None:
    """A text that names a file is most likely meant as the file."""
    if text and len(text) < 256 and len(text.split()) == 1 and Path(text).is_file():
        raise InputError("This is the name of a file, not a text.", where=text, hint=f"Use: --file {text}")


def _check_use(options: Mapping[str, bool], *, unless: bool, belong_to: str) -> None:
    """Refuse options that would have no effect."""
    for name, given in options.items():
        if given and not unless:
            raise InputError(f"{name} has no effect here.", hint=f"It belongs to {belong_to}.")
