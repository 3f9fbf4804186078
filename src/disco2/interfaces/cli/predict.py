"""disco2 predict, predict-pairs and bulk: the relations of a text, of given pairs, of many files."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.cache import parse_annotated
from disco2.bulk.job import FORMATS, JSONL, MOST_BYTES, MOST_SECONDS, SHARD_DOCUMENTS, BulkSettings, Job
from disco2.bulk.output import ERRORS
from disco2.bulk.run import BulkProgress, predict_files
from disco2.errors import InputError
from disco2.inference.candidates import has_trees
from disco2.inference.exports import FORMS, write_relations
from disco2.inference.pairs import PairLine, ResumableLines, answer_lines, places, read_pair_lines
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
from disco2.interfaces.cli import options
from disco2.interfaces.cli.listing import (
    ProgressLine,
    messages,
    print_json,
    print_note,
    print_relations,
    progress_bar,
    results,
    standing_line,
)
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

    kinds: Annotated[
        str | None, options.suggest(KINDS, help="Only these kinds, separated by commas: {}.")
    ] = None
    between_only: Annotated[
        bool,
        typer.Option(
            "--between-only", help="Only neighbouring sentences: no search for connectives and clauses."
        ),
    ] = False
    norel: Annotated[
        bool, typer.Option("--norel", help="Include neighbouring sentences without a relation.")
    ] = False
    min_probability: MinProbability = 0.0

    @property
    def choice(self) -> RelationChoice:
        """The same as one value; InputError for an unknown kind or a probability above 1."""
        return RelationChoice.of(
            self.kinds,
            between_only=self.between_only,
            norel=self.norel,
            min_probability=self.min_probability,
        )


def predict(
    text: options.TextArgument = None,
    file: options.TextFile = None,
    document: Annotated[
        Path | None, options.path_option(help="A document that disco2 annotate wrote.")
    ] = None,
    output: Annotated[
        Path | None, options.path_option(help="With --form: a new folder for the relations.")
    ] = None,
    form: Annotated[
        str | None,
        options.choose("form", FORMS, help="Write the relations into the folder --output, as {}."),
    ] = None,
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
        raise InputError(
            "--form and --output belong together.", hint="Use --form conll16 --output DIR, or --json > FILE."
        )
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
            print_note("the document has no trees: only neighbouring sentences are classified")
        for warning in text_warnings(known.text):
            print_note(warning)
        found = nlp.find(known, choice, paragraphs=paragraphs)
        if form is not None and output is not None:
            for note in write_relations([(known, found)], output, form):
                print_note(note)
            print_note(f"{len(found)} relations written as {form} to {output}")
            return
        explanations = list(nlp.explain_many(found)) if explain else None
        if as_json:
            print_json(text_result(nlp, known, found, explanations, annotators=makers))
        else:
            print_relations(found, explanations)


def predict_pairs(
    file: Annotated[
        Path,
        typer.Argument(
            help='JSON Lines such as {"arg1": "...", "arg2": "..."}, or CSV; - for standard input.',
            parser=options.expand_path,
            metavar="FILE",
        ),
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
            raise InputError(
                "Only a run on a file of pairs can resume, not one on standard input, a pipe or a folder.",
                hint="Give a file of pairs, or leave out --output.",
            )
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
            "model": nlp.info.digest,
            "annotator": nlp.annotators.name,
            "version of the program": f"{VERSION}, schema {SCHEMA}",
            "choice of --explain": str(explain),
            "--min-probability": str(min_probability),
            "prior": json.dumps(prior.given, sort_keys=True) if prior else "",
        }
        _write_answers(answers, file, output, run, restart=restart)
    with output.open("rb") as stream:
        _check_answers(map(json.loads, stream), file, output)


def _printed(batches: Iterator[list[Json]]) -> Iterator[Json]:
    for batch in batches:
        sys.stdout.writelines(f"{json.dumps(record)}\n" for record in batch)
        sys.stdout.flush()
        yield from batch


def _write_answers(
    answers: Callable[[Iterator[PairLine]], Iterator[list[Json]]],
    pairs: Path,
    output: Path,
    run: Mapping[str, str],
    *,
    restart: bool,
) -> None:
    """Answer the pairs that have no answer yet in the output of an interrupted run."""
    digest, total = hashlib.sha256(), 0
    with options.open_input(pairs) as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
            total += piece.count(b"\n")
    run = {"input": digest.hexdigest(), **run}
    with ResumableLines(output, run, restart=restart) as lines, progress_bar() as bar:
        with options.open_input(pairs) as stream:
            numbers = (line.number for line in read_pair_lines(stream, pairs))
            done = lines.keep(numbers, batch_size=BATCH_SIZE)
        if done:
            print_note(f"resuming after {done} pairs")
        task = bar.add_task("pairs", total=total, completed=done)
        try:
            with options.open_input(pairs) as stream:
                for batch in answers(islice(read_pair_lines(stream, pairs), done, None)):
                    lines.append(json.dumps(record, ensure_ascii=False) for record in batch)
                    done += len(batch)
                    bar.advance(task, len(batch))
        except KeyboardInterrupt:
            messages.print(
                f"interrupted: {done} pairs are kept in {lines.part}; run the same command to resume"
            )
            raise
        lines.finish()


def _check_answers(records: Iterable[Json], pairs: Path, output: Path | None = None) -> None:
    """Count the records; print the first errors and raise InputError if there are any."""
    count, errors = 0, 0
    for record in records:
        count += 1
        if "error" in record:
            errors += 1
            if errors <= SHOWN_ERRORS:
                messages.print(f"{pairs}: line {record['line']}: {record['error']}")
    if output is not None:
        results.print(f"{output}: {count - errors} pairs")
    if errors:
        raise InputError(
            f"{errors} of {count} lines have no answer; the others are done.",
            where=str(pairs),
            hint="Their records give the reason under 'error'.",
        )


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
    shard_documents: Annotated[
        int, typer.Option(help="Short documents per output file; fewer if they are long.")
    ] = SHARD_DOCUMENTS,
    most_bytes: Annotated[int, typer.Option(help="Skip and report larger documents.")] = MOST_BYTES,
    most_seconds: Annotated[
        float, typer.Option(help="Skip and report documents that take longer.")
    ] = MOST_SECONDS,
    most_memory: Annotated[
        int, typer.Option(help="Skip and report documents that need more megabytes. 0: no limit.")
    ] = 0,
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
    pipeline = _with_absolute_paths(pipeline)
    with pipeline.open(on_demand=True) as annotators:
        job = Job.of(
            settings, model=model_digest(pipeline.model), annotators=annotators, prior=pipeline.prior
        )
    done = 0
    with ProgressLine("looking for files") as progress:

        def report(standing: BulkProgress) -> None:
            nonlocal done
            done = standing.documents
            progress.show(standing_line(standing), done=standing.bytes, total=standing.all_bytes)

        try:
            summary = predict_files(
                patterns,
                output,
                job=job,
                opened=pipeline.loaded,
                engine=opened_engine,
                restart=restart,
                report=report,
                notice=print_note,
            )
        except KeyboardInterrupt:
            messages.print(
                f"interrupted: {done:,} documents are kept in {output}; run the same command to resume"
            )
            raise
    _print_summary(output, summary)


def _with_absolute_paths(pipeline: options.PipelineOptions) -> options.PipelineOptions:
    """The same for workers that were started in another folder."""
    return replace(
        pipeline,
        model=absolute_model(pipeline.model),
        spacy=str(Path(pipeline.spacy).absolute()) if os.sep in pipeline.spacy else pipeline.spacy,
    )


def _print_summary(output: Path, summary: BulkProgress) -> None:
    results.print(
        f"{output}: {summary.documents:,} documents, {summary.sentences:,} sentences, "
        f"{summary.relations:,} relations in {summary.shards:,} shard{'s' * (summary.shards != 1)}"
    )
    if not summary.errors:
        return
    with (output / ERRORS).open(encoding="utf-8") as stream:
        for line in islice(stream, SHOWN_ERRORS):
            refused = json.loads(line)
            messages.print(f"{refused['document']}: {refused['what']}")
    raise InputError(
        f"{summary.errors:,} of {summary.documents:,} documents have no relations; the others are done.",
        where=str(output / ERRORS),
        hint="It gives the reason for each.",
    )
