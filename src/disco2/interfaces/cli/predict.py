"""disco2 predict, predict-pairs and bulk: the relations of a text, of given pairs, of many files."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from disco2.annotation.document_json import parse_annotated
from disco2.bulk import (
    ERRORS,
    FORMATS,
    JSONL,
    MOST_BYTES,
    MOST_SECONDS,
    SHARD_DOCUMENTS,
    BulkProgress,
    BulkSettings,
    BulkSummary,
    Job,
    predict_files,
)
from disco2.errors import InputError
from disco2.inference.candidates import has_trees
from disco2.inference.exports import FORMS, check_form, write_relations
from disco2.inference.pairs import (
    PairLine,
    ResumableLines,
    answer_lines,
    places,
    read_pair_lines,
)
from disco2.inference.pipeline import check_batch_size, model_digest
from disco2.inference.plain_text import text_warnings
from disco2.inference.prediction import (
    KINDS,
    SCHEMA,
    Json,
    RelationChoice,
    check_min_probability,
    text_result,
)
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
from disco2.interfaces.cli.options import (
    BLANK,
    STANDARD_INPUT,
    AsJson,
    Encoding,
    EngineOptions,
    Explain,
    Paragraphs,
    PipelineOptions,
    Restart,
    TextFile,
    among,
    check_paragraphs,
    document_name,
    expand_path,
    path_option,
    read_bytes,
    read_input,
    several_of,
    standard_input,
)
from disco2.shipped import absolute_model
from disco2.threads import available_cores
from disco2.version import VERSION

BATCH_SIZE, UTF_8 = 64, "utf-8"
SHOWN_ERRORS = 10


@dataclass(frozen=True)
class RelationOptions:
    """Which relations of a text are returned. Every field is an option."""

    kinds: Annotated[
        str | None,
        typer.Option(
            help=f"Only these kinds, separated by commas: {', '.join(KINDS)}.",
            autocompletion=several_of(KINDS),
        ),
    ] = None
    between_only: Annotated[
        bool,
        typer.Option(
            "--between-only",
            help="Only neighbouring sentences: no search for connectives and clauses.",
        ),
    ] = False
    norel: Annotated[
        bool, typer.Option("--norel", help="Include neighbouring sentences without a relation.")
    ] = False

    @property
    def choice(self) -> RelationChoice:
        """The same as one value; InputError for an unknown kind."""
        return RelationChoice.of(self.kinds, between_only=self.between_only, norel=self.norel)


MinProbability = Annotated[
    float,
    typer.Option("--min-probability", help="Mark answers with a lower probability as unsure.", metavar="P"),
]


def predict(
    text: Annotated[str | None, typer.Argument(help="The text itself.")] = None,
    file: TextFile = None,
    document: Annotated[Path | None, path_option(help="A document that disco2 annotate wrote.")] = None,
    output: Annotated[Path | None, path_option(help="With --form: a new folder for the relations.")] = None,
    form: Annotated[
        str,
        typer.Option(
            help=f"Write the relations into the folder --output, as {', '.join(FORMS)}.",
            autocompletion=among(FORMS),
        ),
    ] = "",
    paragraphs: Paragraphs = BLANK,
    explain: Explain = False,
    min_probability: MinProbability = 0.0,
    encoding: Encoding = UTF_8,
    as_json: AsJson = False,
    *,
    pipeline: PipelineOptions,
    relations: RelationOptions,
) -> None:
    """Find the relations of a text: stated by connectives, inside sentences, and between them."""
    _check_source(text, file, document)
    check_paragraphs(paragraphs)
    _check_form(form, output, other=as_json or explain)
    if encoding != UTF_8 and file is None:
        raise InputError("--encoding has no effect without --file.", hint="Leave it out.")
    if pipeline.chosen and document is not None:
        raise InputError(
            "A document has its layers: an annotator has no effect.", hint="Leave it out, or use --file."
        )
    choice = replace(relations.choice, min_probability=min_probability)
    # Input is read before models are loaded, so that a wrong path is reported at once.
    known, makers, content = None, None, text or ""
    if document is not None:
        known, makers = parse_annotated(read_bytes(document), where=str(document))
    elif file is not None:
        content = read_input(file, encoding=encoding)
    with pipeline.loaded(annotators=known is None) as nlp:
        if known is None:
            known = nlp.annotate(content, document_id=document_name(file), paragraphs=paragraphs)
        elif not has_trees(known) and not choice.between_only:
            print_note("the document has no trees: only neighbouring sentences are classified")
        for warning in text_warnings(known.text):
            print_note(warning)
        found = nlp.find(known, choice, paragraphs=paragraphs)
        if form and output is not None:
            for note in write_relations([(known, found)], output, form):
                print_note(note)
            print_note(f"{len(found)} relations written as {form} to {output}")
            return
        explanations = list(nlp.explain_many(found)) if explain else None
        if as_json:
            print_json(text_result(nlp, known, found, explanations, annotators=makers))
        else:
            print_relations(found, explanations)


def _check_source(text: str | None, file: Path | None, document: Path | None) -> None:
    count = sum(one is not None for one in (text, file, document))
    if count != 1:
        raise InputError(
            "No text was given." if not count else "There is more than one input.",
            hint="Give a text in quotes, --file or --document. For many files use disco2 bulk, for pairs "
            "disco2 predict-pairs.",
        )
    if text and len(text) < 256 and len(text.split()) == 1 and Path(text).is_file():
        raise InputError("This is the name of a file, not a text.", where=text, hint=f"Use: --file {text}")


def _check_form(form: str, output: Path | None, *, other: bool) -> None:
    if not form:
        if output is not None:
            raise InputError(
                "--output has no effect without --form.",
                hint="Use --form conll16 --output DIR, or --json > FILE.",
            )
        return
    check_form(form)
    if output is None:
        raise InputError(f"There is no folder for the form '{form}'.", hint="Give one: --output DIR")
    if other:
        raise InputError("--form can't be combined with --json or --explain.", hint="Choose one of them.")


def predict_pairs(
    file: Annotated[
        Path,
        typer.Argument(
            help='JSON Lines such as {"arg1": "...", "arg2": "..."}, or CSV; - for standard input.',
            parser=expand_path,
            metavar="FILE",
        ),
    ],
    output: Annotated[
        Path | None,
        path_option(help="File to write; an interrupted run resumes. Default: standard output."),
    ] = None,
    batch_size: Annotated[int, typer.Option(help="Pairs per batch.")] = BATCH_SIZE,
    restart: Restart = False,
    explain: Explain = False,
    min_probability: MinProbability = 0.0,
    *,
    pipeline: PipelineOptions,
) -> None:
    """Predict the relation of each pair of arguments in a file of JSON Lines or CSV.

    A line that is not a pair gets an error record, and the exit code is 2.
    """
    _check_pairs(file, output, batch_size)
    check_min_probability(min_probability)
    tally = _Tally()
    with pipeline.loaded() as nlp:
        answers = partial(
            answer_lines, nlp, batch_size=batch_size, explain=explain, min_probability=min_probability
        )
        if output is None:
            with _open_pairs(file) as stream:
                for batch in answers(read_pair_lines(stream, file)):
                    sys.stdout.writelines(f"{json.dumps(record)}\n" for record in batch)
                    sys.stdout.flush()
                    tally.add(batch)
        else:
            digest, total = _digest(file)
            prior = nlp.calibration.prior
            run = {
                "input": digest,
                "model": nlp.info.digest,
                "annotator": nlp.annotators.name,
                "version of the program": f"{VERSION}, schema {SCHEMA}",
                "choice of --explain": str(explain),
                "--min-probability": str(min_probability),
                "prior": json.dumps(prior.given, sort_keys=True) if prior else "",
            }
            with ResumableLines(output, run, restart=restart) as lines:
                _write_answers(lines, answers, file, tally, batch_size=batch_size, total=total)
            results.print(f"{output}: {tally.done} pairs", markup=False)
    tally.check(file)


def _check_pairs(pairs: Path, output: Path | None, batch_size: int) -> None:
    """Check the arguments before any model is loaded."""
    check_batch_size(batch_size, of="pairs", hint="Give a --batch-size of 1 or more.")
    if pairs != STANDARD_INPUT:
        if not pairs.exists():
            raise InputError("There is no such file of pairs.", where=str(pairs), hint="Check the path.")
        if pairs.is_dir():
            raise InputError("This is a folder; a file of pairs is needed.", where=str(pairs))
    if output is None:
        return
    if not pairs.is_file():
        raise InputError(
            "A run on pairs from standard input or a pipe can't resume.",
            hint="Give a file of pairs, or leave out --output.",
        )
    if os.path.realpath(pairs) in map(os.path.realpath, places(output)):
        raise InputError(
            "The output would overwrite its input.", where=str(pairs), hint="Choose another --output."
        )


def _write_answers(
    lines: ResumableLines,
    answers: Callable[[Iterator[PairLine]], Iterator[list[Json]]],
    pairs: Path,
    tally: _Tally,
    *,
    batch_size: int,
    total: int,
) -> None:
    """Answer the pairs that have no answer yet."""
    with progress_bar() as bar:
        with _open_pairs(pairs) as stream:
            numbers = (line.number for line in read_pair_lines(stream, pairs))
            kept = lines.keep(numbers, batch_size=batch_size)
        tally.add_file(lines.part)
        if kept:
            print_note(f"resuming after {kept} pairs")
        task = bar.add_task("pairs", total=total, completed=kept)
        try:
            with _open_pairs(pairs) as stream:
                for batch in answers(islice(read_pair_lines(stream, pairs), kept, None)):
                    lines.append(json.dumps(record, ensure_ascii=False) for record in batch)
                    tally.add(batch)
                    bar.advance(task, len(batch))
        except KeyboardInterrupt:
            messages.print(
                f"interrupted: {tally.done + tally.broken} pairs are kept in {lines.part}; "
                "run the same command to resume",
                markup=False,
            )
            raise
        lines.finish()


class _Tally:
    """Counts answered and broken lines, and keeps the first errors."""

    def __init__(self) -> None:
        self.done = 0
        self.broken = 0
        self._errors: list[str] = []

    def add(self, records: list[Json]) -> None:
        for record in records:
            if "error" not in record:
                self.done += 1
                continue
            self.broken += 1
            if len(self._errors) < SHOWN_ERRORS:
                self._errors.append(f"line {record['line']}: {record['error']}")

    def add_file(self, part: Path) -> None:
        """Count the records of an earlier run."""
        with part.open("rb") as stream:
            for line in stream:
                self.add([json.loads(line)])

    def check(self, pairs: Path) -> None:
        """Print the first errors and raise InputError if there are any."""
        if not self.broken:
            return
        for error in self._errors:
            messages.print(f"{pairs}: {error}", markup=False)
        raise InputError(
            f"{self.broken} of {self.done + self.broken} lines have no answer; the others are done.",
            where=str(pairs),
            hint="Their records give the reason under 'error'.",
        )


def _open_pairs(pairs: Path) -> BinaryIO:
    try:
        return standard_input() if pairs == STANDARD_INPUT else pairs.open("rb")
    except OSError as error:
        raise InputError(f"It can't be read: {error.strerror}.", where=str(pairs)) from None


def _digest(pairs: Path) -> tuple[str, int]:
    """A hash of the whole input, and its number of lines."""
    found, lines = hashlib.sha256(), 0
    with _open_pairs(pairs) as stream:
        while piece := stream.read(1 << 20):
            found.update(piece)
            lines += piece.count(b"\n")
    return found.hexdigest(), lines


def bulk(
    patterns: Annotated[
        list[str],
        typer.Argument(
            help="Text files, as a pattern in quotes such as 'corpus/**/*.txt'.", metavar="PATTERN..."
        ),
    ],
    output: Annotated[Path, path_option(help="Folder to write; an interrupted run resumes.")],
    workers: Annotated[int, typer.Option(help="Worker processes. Default: one per core.")] = 0,
    format: Annotated[
        str,
        typer.Option(
            help=f"{JSONL}: a line per document; parquet or csv: a row per relation; conll16, disrpt or "
            "brat: zip files.",
            autocompletion=among(FORMATS),
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
        int,
        typer.Option(help="Skip and report documents that need more megabytes. 0: no limit."),
    ] = 0,
    restart: Restart = False,
    paragraphs: Paragraphs = BLANK,
    explain: Explain = False,
    encoding: Encoding = UTF_8,
    *,
    pipeline: PipelineOptions,
    relations: RelationOptions,
    engine: EngineOptions,
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
        explain=explain,
        encoding=encoding,
        shard_documents=shard_documents,
        most_bytes=most_bytes,
        most_seconds=most_seconds,
        most_memory=most_memory,
    )
    if workers < 0:
        raise InputError(f"There can't be {workers} workers.", hint="Give --workers 1 or more.")
    if workers and engine.scheduler:
        raise InputError("--workers has no effect with --scheduler.", hint="Leave it out.")
    opened_engine = engine.open(workers or available_cores())
    pipeline = _with_absolute_paths(pipeline)
    with pipeline.open(on_demand=True) as annotators:
        job = Job.of(
            settings, model=model_digest(pipeline.model), annotators=annotators, prior=pipeline.shares
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
                f"interrupted: {done:,} documents are kept in {output}; run the same command to resume",
                markup=False,
            )
            raise
    _print_summary(output, summary)


def _with_absolute_paths(pipeline: PipelineOptions) -> PipelineOptions:
    """The same for workers that were started in another folder."""
    return replace(
        pipeline,
        model=absolute_model(pipeline.model),
        stanza_folder=pipeline.stanza_folder and pipeline.stanza_folder.absolute(),
        stanford_home=pipeline.stanford_home and pipeline.stanford_home.absolute(),
        spacy=str(Path(pipeline.spacy).absolute()) if os.sep in pipeline.spacy else pipeline.spacy,
    )


def _print_summary(output: Path, summary: BulkSummary) -> None:
    results.print(
        f"{output}: {summary.documents:,} documents, {summary.sentences:,} sentences, "
        f"{summary.relations:,} relations in {summary.shards:,} shard{'s' * (summary.shards != 1)}",
        markup=False,
    )
    if not summary.errors:
        return
    with (output / ERRORS).open(encoding="utf-8") as stream:
        for line in islice(stream, SHOWN_ERRORS):
            refused = json.loads(line)
            messages.print(f"{refused['document']}: {refused['what']}", markup=False)
    raise InputError(
        f"{summary.errors:,} of {summary.documents:,} documents have no relations; the others are done.",
        where=str(output / ERRORS),
        hint="It gives the reason for each.",
    )
