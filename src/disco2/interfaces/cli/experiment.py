"""disco2 experiment ...: the paper's tables and figures, one command each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.annotator import Layer
from disco2.corpora.catalogue import NONE, read_layers
from disco2.data import Corpus
from disco2.errors import SettingsError
from disco2.experiments.bench import AUTOMATIC, Bench, Experiment, carry_out
from disco2.experiments.configuration import of_one_corpus
from disco2.experiments.coreference import (
    COREFERENCE,
    RUNNING_TEXT,
    compare_layers,
    coreference_versions,
    layers_for_coreference,
)
from disco2.experiments.embeddings import EMBEDDINGS
from disco2.experiments.paper import (
    BEYOND,
    BINARY_EXPERIMENT,
    CROSSVALIDATION,
    DIMENSION,
    INITIALISATION,
    MULTICLASS_EXPERIMENT,
)
from disco2.experiments.report import ALL, STUDIES, tune_systems, tuning_findings, write_report
from disco2.experiments.runs import OWN, RunPlan
from disco2.experiments.tuning import GRIDS, TuningProgress, check_storage
from disco2.interfaces.cli.corpus_options import CorpusOptions, SettingOptions
from disco2.interfaces.cli.listing import print_json, print_note, print_table, progress_bar, results
from disco2.interfaces.cli.options import AsJson, choose, path_option
from disco2.interfaces.cli.train import Trials, show_trials
from disco2.reporting.findings import Findings, plain
from disco2.reporting.page import findings_content, write_findings


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
        print_json({one.name: findings_content(one) for one in found})
        return
    for one in found:
        for words in one.words:
            results.print(words)
        for table in one.tables:
            results.print("")
            print_table(table.title, *plain(table))
            for note in table.notes:
                results.print(note, style="dim")
        results.print("")


Read = Callable[[CorpusOptions], dict[str, Corpus]]


def experiment_multiclass(corpus: CorpusOptions, options: ExperimentOptions) -> None:
    """Accuracy of every model of the paper's table, with tests of the differences."""
    _run(MULTICLASS_EXPERIMENT, _read_one, corpus, options)


def experiment_crossvalidation(corpus: CorpusOptions, options: ExperimentOptions) -> None:
    """With and without entities, with and without features, on all documents in five folds."""
    _run(CROSSVALIDATION, _read_one, corpus, options)


def experiment_dimension(corpus: CorpusOptions, options: ExperimentOptions) -> None:
    """Accuracy of the full model over the number of dimensions K."""
    _run(DIMENSION, _read_one, corpus, options)


def experiment_coreference(corpus: CorpusOptions, options: ExperimentOptions) -> None:
    """Relations with shared entities under the corpus's own and under automatic coreference.

    Also the accuracy on them with and without entities. --automatic names the layers to annotate; without
    it, coreference alone, on the corpus's own trees where it has any. All versions have the same trees.
    """
    _run(COREFERENCE, read_versions, corpus, options)


def experiment_binary(corpus: CorpusOptions, options: ExperimentOptions) -> None:
    """One class of level 1 against all others: F1 and accuracy of four classifiers."""
    _run(BINARY_EXPERIMENT, _read_one, corpus, options)


def experiment_embeddings(corpus: CorpusOptions, options: ExperimentOptions) -> None:
    """A map of the word vectors (t-SNE) with pronouns and other words of interest marked."""
    _run(EMBEDDINGS, _read_one, corpus, options)


def experiment_initialisation(corpus: CorpusOptions, options: ExperimentOptions) -> None:
    """What happens when the low-rank factors are initialised with zeros, as in the paper."""
    _run(INITIALISATION, _read_one, corpus, options)


def experiment_beyond(corpus: CorpusOptions, options: ExperimentOptions) -> None:
    """Beyond the paper: the steps from its model to the best one we know."""
    _run(BEYOND, _read_one, corpus, options)


def _read_one(corpus: CorpusOptions) -> dict[str, Corpus]:
    """The corpus in one version, with the automatic layers of --automatic."""
    read = corpus.read()
    return {AUTOMATIC if read.automatic else OWN: read}


def read_versions(corpus: CorpusOptions) -> dict[str, Corpus]:
    """The corpus with its own coreference and with an annotator's."""
    if corpus.automatic and Layer.COREFERENCE not in read_layers(corpus.automatic):
        raise SettingsError(
            "This experiment compares own and automatic coreference; --automatic does not name coreference.",
            hint=f"Use --automatic {corpus.automatic},coreference, or leave it out.",
        )
    own = corpus.read_own()
    layers = corpus.layers(usual=layers_for_coreference(own))
    return coreference_versions(own, corpus.annotated(own, layers))


def _bench(versions: dict[str, Corpus], options: ExperimentOptions) -> Bench:
    return Bench(versions, of_one_corpus(options.configuration()), tuple(range(1, options.seeds + 1)))


def _run(experiment: Experiment, read: Read, corpus: CorpusOptions, options: ExperimentOptions) -> None:
    bench = _bench(read(corpus), options)
    show_findings(run_with_progress([experiment], bench, options), as_json=options.as_json)


def run_with_progress(
    experiments: Sequence[Experiment], bench: Bench, options: ExperimentOptions
) -> list[Findings]:
    """Run experiments under a progress bar."""
    with progress_bar() as bar:
        task = bar.add_task("preparing", total=None)

        def show(plan: RunPlan, done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, description=f"{plan.model}, seed {plan.seed}")

        found = carry_out(
            experiments,
            bench,
            options.output,
            jobs=options.jobs,
            progress=show,
            notice=print_note,
        )
    print_note(f"tables and figures are in {options.output}")
    return found


UNTUNED = "none"


def experiment_all(
    grid: Annotated[
        str,
        choose(
            "grid",
            (*GRIDS, UNTUNED),
            help=f"Tune every model first: {', '.join(GRIDS)}; {UNTUNED}: settings as they are.",
        ),
    ] = GRIDS[0],
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
        with progress_bar() as bar:

            def shown(system: str) -> TuningProgress:
                return show_trials(bar, bar.add_task(system, total=None), name=f"{system}: ")

            tuned = tune_systems(
                bench,
                options.output,
                grid=grid,
                trials=trials or 0,
                jobs=options.jobs,
                progress=shown,
                notice=print_note,
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
    print_note(f"the report is {page}")


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
    with progress_bar() as bar:
        task = bar.add_task("preparing", total=seeds * len(versions))

        def show(version: str, seed: int) -> None:
            bar.update(task, advance=1, description=f"{version}, seed {seed}")

        found = compare_layers(versions, configuration, seeds=range(1, seeds + 1), progress=show)
    show_findings([found], as_json=as_json)
