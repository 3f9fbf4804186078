"""disco2 experiment ...: the paper's tables and figures, one command each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from disco2.annotation.annotator import Layer
from disco2.corpora.catalogue import read_layers
from disco2.data import Corpus
from disco2.errors import SettingsError
from disco2.experiments.bench import AUTOMATIC, Bench, Experiment, carry_out
from disco2.experiments.coreference import COREFERENCE, coreference_versions, layers_for_coreference
from disco2.experiments.embeddings import EMBEDDINGS
from disco2.experiments.full_model import BINARY_EXPERIMENT, DIMENSION, INITIALISATION
from disco2.experiments.multiclass import BEYOND, CROSSVALIDATION, MULTICLASS_EXPERIMENT
from disco2.experiments.runs import OWN, RunPlan
from disco2.interfaces.cli.console import progress_bar, tell
from disco2.interfaces.cli.corpus_options import CorpusChoice, takes_corpus
from disco2.interfaces.cli.experiment_options import ExperimentOptions, show_findings, takes_experiment
from disco2.reporting.findings import Findings

Read = Callable[[CorpusChoice], dict[str, Corpus]]


@takes_experiment
@takes_corpus
def multiclass(corpus: CorpusChoice, options: ExperimentOptions) -> None:
    """Accuracy of every model of the paper's table, with tests of the differences."""
    _one(MULTICLASS_EXPERIMENT, _as_asked, corpus, options)


@takes_experiment
@takes_corpus
def crossvalidation(corpus: CorpusChoice, options: ExperimentOptions) -> None:
    """With and without entities, with and without features, on all documents in five folds."""
    _one(CROSSVALIDATION, _as_asked, corpus, options)


@takes_experiment
@takes_corpus
def dimension(corpus: CorpusChoice, options: ExperimentOptions) -> None:
    """Accuracy of the full model over the number of dimensions K."""
    _one(DIMENSION, _as_asked, corpus, options)


@takes_experiment
@takes_corpus
def coreference(corpus: CorpusChoice, options: ExperimentOptions) -> None:
    """Relations with shared entities under the corpus's own and under automatic coreference.

    Also the accuracy on them with and without entities. --automatic names the layers to make anew; without
    it, coreference alone, on the corpus's own trees where it has any. All versions have the same trees.
    """
    _one(COREFERENCE, read_versions, corpus, options)


@takes_experiment
@takes_corpus
def binary(corpus: CorpusChoice, options: ExperimentOptions) -> None:
    """One class of level 1 against all others: F1 and accuracy of four classifiers."""
    _one(BINARY_EXPERIMENT, _as_asked, corpus, options)


@takes_experiment
@takes_corpus
def embeddings(corpus: CorpusChoice, options: ExperimentOptions) -> None:
    """A map of the word vectors (t-SNE) with pronouns and other words of interest marked."""
    _one(EMBEDDINGS, _as_asked, corpus, options)


@takes_experiment
@takes_corpus
def initialisation(corpus: CorpusChoice, options: ExperimentOptions) -> None:
    """What happens when the low-rank factors start at zero, as the paper has it."""
    _one(INITIALISATION, _as_asked, corpus, options)


@takes_experiment
@takes_corpus
def beyond(corpus: CorpusChoice, options: ExperimentOptions) -> None:
    """What is not in the paper: the steps from its model to the best one we know."""
    _one(BEYOND, _as_asked, corpus, options)


def _as_asked(corpus: CorpusChoice) -> dict[str, Corpus]:
    """The corpus in one version, with just the automatic layers that are asked for."""
    read = corpus.read()
    return {AUTOMATIC if read.automatic else OWN: read}


def read_versions(corpus: CorpusChoice) -> dict[str, Corpus]:
    """The corpus with its own coreference and with an annotator's."""
    if corpus.automatic and Layer.COREFERENCE not in read_layers(corpus.automatic):
        raise SettingsError(
            "Own and automatic coreference are to be compared, and --automatic does not name coreference.",
            hint=f"Use --automatic {corpus.automatic},coreference, or leave it out.",
        )
    own = corpus.read_own()
    layers = corpus.layers(usual=layers_for_coreference(own))
    return coreference_versions(own, corpus.annotated(own, layers))


def _one(experiment: Experiment, read: Read, corpus: CorpusChoice, options: ExperimentOptions) -> None:
    options.opened()  # before anything is read: what was asked for may not be there
    bench = Bench(read(corpus), options.configuration(), options.seed_numbers)
    show_findings(watched([experiment], bench, options), as_json=options.as_json)


def watched(experiments: Sequence[Experiment], bench: Bench, options: ExperimentOptions) -> list[Findings]:
    """Carry experiments out under a progress bar."""
    with progress_bar() as bar:
        task = bar.add_task("preparing", total=None)

        def show(plan: RunPlan, done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, description=f"{plan.model}, seed {plan.seed}")

        found = carry_out(
            experiments,
            bench,
            options.output,
            engine=options.opened(),
            redo=options.redo,
            progress=show,
            notice=tell,
        )
    tell(f"tables and figures are in {options.output}")
    return found
