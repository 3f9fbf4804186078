"""disco2 predict, predict-pairs and bulk: the relations of a text, of given pairs, of many files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.cache import parse_annotated
from disco2.bulk.job import FORMATS, JSONL, MOST_BYTES, MOST_SECONDS, SHARD_DOCUMENTS, BulkSettings, Job
from disco2.bulk.output import ERRORS
from disco2.bulk.run import predict_files
from disco2.errors import InputError
from disco2.files import hash_file
from disco2.inference.candidates import has_trees
from disco2.inference.exports import FORMS, write_relations
from disco2.inference.pairs import ResumableLines, answer_lines, places, read_pair_lines
from disco2.inference.pipeline import model_digest
from disco2.inference.plain_text import text_warnings
from disco2.inference.prediction import (
    KINDS,
    SCHEMA,
    Json,
    RelationChoice,
    check_min_probability,
    text_result,
)
from disco2.interfaces.cli import listing, options
from disco2.shipped import absolute_model
from disco2.threads import available_cores
from disco2.version import VERSION

BATCH_SIZE, UTF_8 = 64, "utf-8"
SHOWN_ERRORS = 10

MinProbability = Annotated[
    float,
    typer.Option("--min-probability", help="Mark answers with a lower probability as unsure.", metavar="P"),
]


@dataclass(frozen=True)
class RelationOptions:
    """Which relations of a text are returned. Every field is an option."""

    kinds: Annotated[str | None, options.suggest(KINDS, help="Only these kinds, with commas: {}.")] = None
    between_only: Annotated[bool, typer.Option("--between-only", help="Only neighbouring sentences.")] = False
    norel: Annotated[bool, typer.Option("--norel", help="Include neighbours without a relation.")] = False
    min_probability: MinProbability = 0.0

    @property
    def choice(self) -> RelationChoice:
        """The same as one value; InputError for an unknown kind or a probability above 1."""
        return RelationChoice.of(
            self.kinds, between_only=self.between_only, norel=self.norel, min_probability=self.min_probability
        )


def predict(
    text: options.TextArgument = None,
    file: options.TextFile = None,
    document: Annotated[Path | None, options.path_option(help="File that disco2 annotate wrote.")] = None,
    form: Annotated[str | None, options.choose("form", FORMS, help="Write files into --output: {}.")] = None,
    output: Annotated[Path | None, options.path_option(help="With --form: a new folder.")] = None,
    paragraphs: options.Paragraphs = options.BLANK,
    explain: options.Explain = False,
    encoding: options.Encoding = UTF_8,
    as_json: options.AsJson = False,
    *,
    pipeline: options.PipelineOptions,
    relations: RelationOptions,
) -> None:
    """Find the relations of a text: stated by connectives, inside sentences, and between them."""
    others = "For many files use disco2 bulk, for pairs disco2 predict-pairs."
    options.check_source(text, file, document, hint=f"Give a text in quotes, --file or --document. {others}")
    if text and len(text) < 256 and len(text.split()) == 1 and Path(text).is_file():
        raise InputError("This is the name of a file, not a text.", where=text, hint=f"Use: --file {text}")
    if (form is None) != (output is None):
        raise InputError("--form and --output belong together.", hint="Or use --json > FILE.")
    choice = relations.choice
    # Input is read before models are loaded, so that a wrong path is reported at once.
    known, makers, content = None, None, text or ""
    if document is not None:
        known, makers = parse_annotated(options.read_bytes(document), where=str(document))
    elif file is not None:
        content = options.read_input(file, encoding=encoding)
    with pipeline.loaded(annotators=known is None) as nlp:
        if known is None:
            known = nlp.annotate(content, document_id=options.document_name(file), paragraphs=paragraphs)
        elif not has_trees(known) and not choice.between_only:
            listing.print_note("the document has no trees: only neighbouring sentences are classified")
        for warning in text_warnings(known.text):
            listing.print_note(warning)
        found = nlp.find(known, choice, paragraphs=paragraphs)
        if form is not None and output is not None:
            for note in write_relations([(known, found)], output, form):
                listing.print_note(note)
            listing.print_note(f"{len(found)} relations written as {form} to {output}")
            return
        explanations = list(nlp.explain_many(found)) if explain else None
        if as_json:
            listing.print_json(text_result(nlp, known, found, explanations, annotators=makers))
        else:
            listing.print_relations(found, explanations)


def predict_pairs(
    file: Annotated[
        Path, options.file_argument('JSON Lines of {"arg1": ..., "arg2": ...}, or CSV; - for standard input.')
    ],
    output: Annotated[
        Path | None,
        options.path_option(help="File to write; an interrupted run resumes. Default: standard output."),
    ] = None,
    restart: options.Restart = False,
    explain: options.Explain = False,
    min_probability: MinProbability = 0.0,
    *,
    pipeline: options.PipelineOptions,
) -> None:
    """Predict the relation of each pair of arguments in a file of JSON Lines or CSV.

    A line that is not a pair gets an error record, and the exit code is 2.
    """
    check_min_probability(min_probability)
    if file != options.STANDARD_INPUT and (file.is_dir() or not file.exists()):
        options.open_input(file)  # raises, before a model is loaded
    if output is not None:
        if not file.is_file():
            what = "Only a run on a file of pairs can resume, not one on standard input, a pipe or a folder."
            raise InputError(what, hint="Give a file of pairs, or leave out --output.")
        options.check_not_input(file, *places(output))
    with pipeline.loaded() as nlp:
        answers = partial(
            answer_lines, nlp, batch_size=BATCH_SIZE, explain=explain, min_probability=min_probability
        )
        if output is None:
            with options.open_input(file) as stream:
                _check_answers(_printed(answers(read_pair_lines(stream, file))), file)
            return
        prior = nlp.calibration.prior
        run = {
            "input": hash_file(file),
            "model": nlp.info.digest,
            "annotator": nlp.annotators.name,
            "version of the program": f"{VERSION}, schema {SCHEMA}",
            "choice of --explain": str(explain),
            "--min-probability": str(min_probability),
            "prior": json.dumps(prior.given, sort_keys=True) if prior else "",
        }
        with (
            ResumableLines(output, run, restart=restart) as lines,
            file.open("rb") as once,
            file.open("rb") as again,
            listing.progress_line("0 pairs") as show,
        ):
            numbers = (line.number for line in read_pair_lines(once, file))
            if done := lines.keep(numbers, batch_size=BATCH_SIZE):
                listing.print_note(f"resuming after {done} pairs")
            for batch in answers(islice(read_pair_lines(again, file), done, None)):
                lines.append(json.dumps(record, ensure_ascii=False) for record in batch)
                done += len(batch)
                show(f"{done:,} pairs")
            lines.finish()
    with output.open("rb") as stream:
        _check_answers(map(json.loads, stream), file, output)


def _printed(batches: Iterator[list[Json]]) -> Iterator[Json]:
    for batch in batches:
        sys.stdout.writelines(f"{json.dumps(record)}\n" for record in batch)
        sys.stdout.flush()
        yield from batch


def _check_answers(records: Iterable[Json], pairs: Path, output: Path | None = None) -> None:
    """Count the records; print the first errors and raise InputError if there are any."""
    count, errors = 0, 0
    for count, record in enumerate(records, 1):  # noqa: B007
        if "error" in record:
            errors += 1
            if errors <= SHOWN_ERRORS:
                listing.messages.print(f"{pairs}: line {record['line']}: {record['error']}")
    if output is not None:
        listing.results.print(f"{output}: {count - errors} pairs")
    if errors:
        what = f"{errors} of {count} lines have no answer; the others are done."
        raise InputError(what, where=str(pairs), hint="Their records give the reason under 'error'.")


def bulk(
    patterns: Annotated[
        list[str],
        typer.Argument(
            help="Text files, as a pattern in quotes such as 'corpus/**/*.txt'.", metavar="PATTERN..."
        ),
    ],
    output: Annotated[Path, options.path_option(help="Folder to write; an interrupted run resumes.")],
    workers: Annotated[int, typer.Option(help="Worker processes. Default: one per core.", min=0)] = 0,
    format: Annotated[
        str,
        options.choose(
            "format",
            FORMATS,
            help=f"{JSONL}: a line per document; parquet or csv: a row per relation; conll16, disrpt or "
            "brat: zip files.",
        ),
    ] = JSONL,
    shard_documents: Annotated[int, typer.Option(help="Short documents per file.")] = SHARD_DOCUMENTS,
    most_bytes: Annotated[int, typer.Option(help="Skip and report larger documents.")] = MOST_BYTES,
    most_seconds: Annotated[float, typer.Option(help="Skip and report slower documents.")] = MOST_SECONDS,
    most_memory: Annotated[int, typer.Option(help="The same for megabytes of memory; 0: no limit.")] = 0,
    restart: options.Restart = False,
    paragraphs: options.Paragraphs = options.BLANK,
    explain: options.Explain = False,
    encoding: options.Encoding = UTF_8,
    *,
    pipeline: options.PipelineOptions,
    relations: RelationOptions,
    engine: options.EngineOptions,
) -> None:
    """Find the relations of many files, on several cores or a cluster, into a folder.

    The exit code is 2 if some documents could not be read.
    """
    choice = relations.choice
    settings = BulkSettings(
        format=format,
        paragraphs=paragraphs,
        kinds=choice.kinds,
        between_only=choice.between_only,
        min_probability=choice.min_probability,
        explain=explain,
        encoding=encoding,
        shard_documents=shard_documents,
        most_bytes=most_bytes,
        most_seconds=most_seconds,
        most_memory=most_memory,
    )
    opened_engine = engine.open(workers or available_cores())
    spacy = str(Path(pipeline.spacy).absolute()) if os.sep in pipeline.spacy else pipeline.spacy
    pipeline = replace(pipeline, model=absolute_model(pipeline.model), spacy=spacy)  # for other folders
    with pipeline.open(on_demand=True) as annotators:
        job = Job.of(
            settings, model=model_digest(pipeline.model), annotators=annotators, prior=pipeline.prior
        )
    with listing.progress_line("looking for files") as show:
        summary = predict_files(
            patterns,
            output,
            job=job,
            opened=pipeline.loaded,
            engine=opened_engine,
            restart=restart,
            report=lambda now: show(listing.standing_line(now), now.bytes, now.all_bytes),
            notice=listing.print_note,
        )
    listing.results.print(
        f"{output}: {summary.documents:,} documents, {summary.sentences:,} sentences, "
        f"{summary.relations:,} relations in {summary.shards:,} shard{'s' * (summary.shards != 1)}"
    )
    if not summary.errors:
        return
    with (output / ERRORS).open(encoding="utf-8") as stream:
        for line in islice(stream, SHOWN_ERRORS):
            refused = json.loads(line)
            listing.messages.print(f"{refused['document']}: {refused['what']}")
    what = f"{summary.errors:,} of {summary.documents:,} documents have no relations; the others are done."
    raise InputError(what, where=str(output / ERRORS), hint="It gives the reason for each.")
