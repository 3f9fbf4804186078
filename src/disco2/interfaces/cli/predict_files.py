"""The part of disco2 predict that goes through a whole corpus, on as many workers as there are."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from disco2.bulk import FORMATS, BulkSettings, BulkSummary, predict_files
from disco2.bulk.folder import ERRORS
from disco2.bulk.job import Job
from disco2.bulk.settings import JSONL, MOST_BYTES, SHARD_DOCUMENTS
from disco2.engines.cores import available_cores
from disco2.errors import InputError
from disco2.inference.loading import model_digest
from disco2.inference.prediction import RelationChoice
from disco2.interfaces.cli.bulk_progress import BulkProgress
from disco2.interfaces.cli.console import messages, results, tell
from disco2.interfaces.cli.engine_options import EngineOptions
from disco2.interfaces.cli.grouped_options import takes
from disco2.interfaces.cli.offered_values import among
from disco2.interfaces.cli.pipeline_options import PipelineOptions
from disco2.shipped import absolute_model

SHOWN_ERRORS = 10


@dataclass(frozen=True)
class FilesOptions(EngineOptions):
    """Which files, who goes through them, and what is written. Every field is an option."""

    files: Annotated[
        list[str] | None,
        typer.Option(
            help="Files of texts, as a pattern in quotes such as 'corpus/**/*.txt'. May be repeated."
        ),
    ] = None
    workers: Annotated[
        int, typer.Option(help="With --files: how many work side by side. Default: one for each core.")
    ] = 0
    format: Annotated[
        str,
        typer.Option(
            help=f"With --files: {JSONL}, a line for each document; parquet or csv, a row for each relation.",
            autocompletion=among(FORMATS),
        ),
    ] = JSONL
    shard_documents: Annotated[
        int,
        typer.Option(
            help="With --files: how many documents are in a file of the output, if short; fewer where long."
        ),
    ] = SHARD_DOCUMENTS
    most_bytes: Annotated[
        int, typer.Option(help="With --files: a larger document is left out, and reported.")
    ] = MOST_BYTES

    @property
    def given(self) -> dict[str, bool]:
        """Options that have no effect without --files, and whether they were given."""
        return {
            f"--{option.name.replace('_', '-')}": getattr(self, option.name) != option.default
            for option in fields(self)
            if option.name != "files"
        }


takes_files = takes(FilesOptions, "bulk")


def predict_into_folder(
    pipeline: PipelineOptions,
    bulk: FilesOptions,
    output: Path | None,
    *,
    choice: RelationChoice,
    restart: bool,
    paragraphs: str,
    explain: bool,
    encoding: str,
) -> None:
    """The relations of all files, in a folder; exit code 2 where some documents have none."""
    if output is None:
        raise InputError("There is no folder for the relations.", hint="Give one: --output DIR")
    settings = BulkSettings(
        format=bulk.format,
        paragraphs=paragraphs,
        kinds=choice.kinds,
        between_only=choice.between_only,
        explain=explain,
        encoding=encoding,
        shard_documents=bulk.shard_documents,
        most_bytes=bulk.most_bytes,
    )
    pipeline = _with_whole_paths(pipeline)
    engine = bulk.open(_workers(bulk))
    with pipeline.open(on_demand=True) as annotators:
        job = Job.of(
            settings, model=model_digest(pipeline.model), annotators=annotators, prior=pipeline.shares
        )
    with BulkProgress() as progress:
        try:
            summary = predict_files(
                bulk.files or [],
                output,
                job=job,
                opened=pipeline.loaded,
                engine=engine,
                restart=restart,
                report=progress.report,
                notice=tell,
            )
        except KeyboardInterrupt:
            messages.print(
                f"interrupted: {progress.documents:,} documents are done and kept in {output}; "
                "give the same command again to go on",
                markup=False,
            )
            raise
    _conclude(output, summary)


def _workers(bulk: FilesOptions) -> int:
    if bulk.workers < 0:
        raise InputError(f"There can't be {bulk.workers} workers.", hint="Give --workers 1 or more.")
    if bulk.workers and bulk.elsewhere:
        raise InputError("--workers has no effect here.", hint="A cluster has as many as it has.")
    return bulk.workers or available_cores()


def _with_whole_paths(pipeline: PipelineOptions) -> PipelineOptions:
    """Workers may have been started in another folder."""
    return replace(
        pipeline,
        model=absolute_model(pipeline.model),
        stanza_folder=pipeline.stanza_folder and pipeline.stanza_folder.absolute(),
        stanford_home=pipeline.stanford_home and pipeline.stanford_home.absolute(),
        spacy=str(Path(pipeline.spacy).absolute()) if os.sep in pipeline.spacy else pipeline.spacy,
    )


def _conclude(output: Path, summary: BulkSummary) -> None:
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
        hint="It says why, a line for each.",
    )
