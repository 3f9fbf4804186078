"""disco2 experiment ...: the paper's tables and figures, one command each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.annotator import Annotators, Layer
from disco2.corpora.catalogue import ALL as EVERY_LAYER
from disco2.corpora.catalogue import NONE, document_parts
from disco2.data import Corpus, Document, Instance
from disco2.data.senses import in_pdtb3
from disco2.errors import InputError, SettingsError
from disco2.evaluation.end_to_end import SpanRelation
from disco2.experiments.bench import AUTOMATIC, Bench, Experiment, carry_out
from disco2.experiments.configuration import Configuration, of_one_corpus
from disco2.experiments.coreference import (
    RUNNING_TEXT,
    compare_layers,
    coreference_versions,
    layers_for_coreference,
)
from disco2.experiments.parser import System, as_spans, has_relations, parser_findings
from disco2.experiments.report import ALL, STUDIES, tune_systems, tuning_findings, write_report
from disco2.experiments.runs import OWN, RunPlan
from disco2.experiments.tuning import GRIDS, TuningProgress, check_storage
from disco2.inference.candidates import Candidate, find_span, predict_candidates
from disco2.inference.pipeline import Pipeline, load
from disco2.inference.prediction import RelationChoice
from disco2.interfaces.cli import listing
from disco2.interfaces.cli.corpus_options import CorpusOptions, SettingOptions
from disco2.interfaces.cli.options import AsJson, Model, Part, Protocol, choose, path_option
from disco2.interfaces.cli.train import Trials, show_trials
from disco2.reporting.findings import Findings, plain
from disco2.reporting.page import findings_content, write_findings

UNTUNED = "none"


@dataclass(frozen=True)
class ExperimentOptions(SettingOptions):
    """Where runs go, how many there are, and their settings. Every field is an option."""

    output: Annotated[Path, path_option(help="Folder for runs, tables and figures.")] = Path("runs")
    jobs: Annotated[int, typer.Option(help="Processes that train in parallel.", min=1)] = 1
    seeds: Annotated[int, typer.Option(help="Train every model with the seeds 1 to this.", min=1)] = 5
    as_json: AsJson = False


def show_findings(findings: Iterable[Findings], *, as_json: bool) -> None:
    """Tables on standard output, or everything as one JSON object."""
    found = list(findings)
    if as_json:
        listing.print_json({one.name: findings_content(one) for one in found})
        return
    for one in found:
        for words in one.words:
            listing.results.print(words)
        for table in one.tables:
            listing.results.print("")
            listing.print_table(table.title, *plain(table))
            for note in table.notes:
                listing.results.print(note, style="dim")
        listing.results.print("")


def paper_experiment(name: str) -> Callable[[CorpusOptions, ExperimentOptions], None]:
    """The command of one of the paper's experiments."""
    (experiment,) = (one for one in ALL if one.name == name)
    read = read_versions if name == "coreference" else _read_one

    def run(corpus: CorpusOptions, options: ExperimentOptions) -> None:
        bench = _bench(read(corpus), options)
        show_findings(run_with_progress([experiment], bench, options), as_json=options.as_json)

    return run


def _read_one(corpus: CorpusOptions) -> dict[str, Corpus]:
    """The corpus in one version, with the automatic layers of --automatic."""
    read = corpus.read()
    return {AUTOMATIC if read.automatic else OWN: read}


def read_versions(corpus: CorpusOptions) -> dict[str, Corpus]:
    """The corpus with its own coreference and with an annotator's."""
    own = corpus.read_own()
    layers = corpus.layers(usual=layers_for_coreference(own)) | {Layer.COREFERENCE}
    return coreference_versions(own, corpus.annotated(own, layers))


def _bench(versions: dict[str, Corpus], options: ExperimentOptions) -> Bench:
    return Bench(versions, of_one_corpus(options.configuration()), tuple(range(1, options.seeds + 1)))


def run_with_progress(
    experiments: Sequence[Experiment], bench: Bench, options: ExperimentOptions
) -> list[Findings]:
    """Run experiments under a progress bar."""
    with listing.resumable(), listing.progress_bar() as bar:
        task = bar.add_task("preparing", total=None)

        def show(plan: RunPlan, done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, description=f"{plan.model}, seed {plan.seed}")

        found = carry_out(
            experiments, bench, options.output, jobs=options.jobs, progress=show, notice=listing.print_note
        )
    listing.print_note(f"tables and figures are in {options.output}")
    return found


def experiment_all(
    grid: Annotated[str, choose("grid", (*GRIDS, UNTUNED), help="Tune every model first: {}.")] = GRIDS[0],
    trials: Trials = None,
    *,
    corpus: CorpusOptions,
    options: ExperimentOptions,
) -> None:
    """All experiments; an interrupted run resumes.

    The last file is OUTPUT/report.html, one page with all tables and figures.
    """
    for experiment in ALL:
        experiment.check()
    if grid != UNTUNED:
        check_storage(options.output / STUDIES)
    began = time.perf_counter()
    bench = _bench(read_versions(corpus), options)
    findings = []
    if grid != UNTUNED:
        with listing.resumable(), listing.progress_bar() as bar:

            def shown(system: str) -> TuningProgress:
                return show_trials(bar, bar.add_task(system, total=None), name=f"{system}: ")

            tuned = tune_systems(
                bench,
                options.output,
                grid=grid,
                trials=trials or 0,
                jobs=options.jobs,
                progress=shown,
                notice=listing.print_note,
            )
        bench = replace(bench, tuned={system: one.configuration for system, one in tuned.items()})
        findings.append(tuning_findings(bench, tuned, grid=grid))
        write_findings(findings[0], options.output)
    findings += run_with_progress(ALL, bench, options)
    page = write_report(
        bench,
        findings,
        options.output,
        {
            "settings": f"tuned, grid {grid}" if grid != UNTUNED else "as given",
            "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "seconds of this call": f"{time.perf_counter() - began:.0f}",
        },
    )
    show_findings(findings, as_json=options.as_json)
    listing.print_note(f"the report is {page}")


def experiment_layers(
    seeds: Annotated[int, typer.Option(help="Train with the seeds 1 to this.", min=1)] = 5,
    as_json: AsJson = False,
    *,
    corpus: CorpusOptions,
    settings: SettingOptions,
) -> None:
    """The same model on the corpus's own layers and on automatic ones, as named by --automatic.

    EntRel and NoRel are labels too: the task of running text, where the arguments are whole neighbouring
    sentences. For given arguments, a sense is chosen. Features of neighbouring relations are left out, as
    they are unknown for automatic input.
    """
    automatic = corpus.layers(usual=NONE)
    if not automatic:
        raise SettingsError("No automatic layer was named.", hint="Add, for example: --automatic all")
    configuration = of_one_corpus(settings.configuration(before=RUNNING_TEXT))
    own = corpus.read_own()
    versions = {"the corpus's own": own, f"automatic: {corpus.automatic}": corpus.annotated(own, automatic)}
    with listing.progress_bar() as bar:
        task = bar.add_task("preparing", total=seeds * len(versions))

        def show(version: str, seed: int) -> None:
            bar.update(task, advance=1, description=f"{version}, seed {seed}")

        found = compare_layers(versions, configuration, seeds=range(1, seeds + 1), progress=show)
    show_findings([found], as_json=as_json)


def experiment_parser(
    model: Model = None,
    split: Part = "test",
    protocol: Protocol = "",
    output: Annotated[Path, path_option(help="Folder for tables.")] = Path("runs"),
    as_json: AsJson = False,
    *,
    corpus: CorpusOptions,
) -> None:
    """Connectives, arguments, senses and all relations from raw text, beside rules, and by genre.

    All layers are annotated, unless --automatic names others.
    """
    found = score_end_to_end(corpus, model, part=split, protocol=protocol)
    write_findings(found, output)
    show_findings([found], as_json=as_json)
    listing.print_note(f"tables are in {output}")


def score_end_to_end(corpus: CorpusOptions, model: str | None, *, part: str, protocol: str) -> Findings:
    """The figures of a pipeline on a part, beside those of rules where there is a training part."""
    pipeline = load(model, annotators=Annotators([]))

    def check(own: Corpus) -> None:
        if not has_relations(_with_parts(own, protocol), part):
            raise InputError(
                f"No document of the part '{part}' has an explicit relation.", hint="Use --split."
            )

    layered = _with_parts(corpus.read(check=check, usual=EVERY_LAYER), protocol)
    return parser_findings(layered, pipeline_system(pipeline), part=part, name=pipeline.info.name)


def _with_parts(corpus: Corpus, protocol: str) -> Corpus:
    """The corpus with the parts of a protocol, by default its own or those that are usual for it."""
    if corpus.parts and not protocol:
        return corpus
    name = protocol or Configuration().task.protocol_for(corpus.name)
    return replace(corpus, parts=document_parts(corpus, name, seed=1))


def pipeline_system(pipeline: Pipeline) -> System:
    """The pipeline as a system to be scored on documents that have their layers."""
    choice = RelationChoice()

    def parse(document: Document) -> list[SpanRelation]:
        return [
            SpanRelation(
                document.id,
                one.kind,
                frozenset(one.source.relation.arg1.tokens),
                frozenset(one.source.relation.arg2.tokens),
                (in_pdtb3(one.sense),),
                frozenset(one.source.relation.connective_tokens),
            )
            for one in pipeline.find(document, choice)
            if one.source is not None
        ]

    def parse_given(document: Document, connectives: list[tuple[int, ...]]) -> list[SpanRelation]:
        return as_spans(document, pipeline.parser.parse(document, connectives=connectives, implicit=False))

    def classify(instances: Sequence[Instance]) -> list[str]:
        pairs = [
            Candidate(
                one,
                find_span(one.document, one.relation.arg1.tokens),
                find_span(one.document, one.relation.arg2.tokens),
                senses_only=True,
            )
            for one in instances
        ]
        return [
            in_pdtb3(one.sense) for one in predict_candidates(pipeline.model, pipeline.calibration, pairs)
        ]

    return System(parse, parse_given, classify)
