"""disco2 experiment layers: what automatic layers cost."""

from __future__ import annotations

from typing import Annotated

import typer

from disco2.corpora.catalogue import NONE
from disco2.errors import SettingsError
from disco2.experiments.configuration import of_one_corpus, read_configuration
from disco2.experiments.coreference import RUNNING_TEXT, compare_layers, layers_findings
from disco2.interfaces.cli.console import progress_bar
from disco2.interfaces.cli.corpus_options import CorpusChoice, takes_corpus
from disco2.interfaces.cli.experiment_options import show_findings
from disco2.interfaces.cli.options import AsJson, Assignments, ConfigFile


@takes_corpus
def experiment_layers(
    corpus: CorpusChoice,
    seeds: Annotated[int, typer.Option(help="Train with the seeds 1 to this.", min=1)] = 5,
    config: ConfigFile = None,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """The same model trained and tested on the corpus's own layers, and with those of --automatic made anew.

    EntRel and NoRel are outcomes too: the answers for running text, where whole neighbouring sentences are
    the arguments. Between given arguments a sense is chosen. How neighbouring relations touch is no feature
    here: automatic input does not know it.
    """
    layers = corpus.layers(usual=NONE)
    if not layers:
        raise SettingsError("No layer is to be made anew.", hint="Add, for example: --automatic all")
    given = [*RUNNING_TEXT, *(assignments or [])]
    configuration = of_one_corpus(read_configuration(config, given))
    own = corpus.read_own()
    versions = {"the corpus's own": own, f"automatic: {corpus.automatic}": corpus.annotated(own, layers)}
    with progress_bar() as bar:
        task = bar.add_task("preparing", total=seeds * len(versions))

        def show(layers: str, seed: int) -> None:
            bar.update(task, advance=1, description=f"{layers}, seed {seed}")

        found = compare_layers(versions, configuration, seeds=range(1, seeds + 1), progress=show)
    show_findings([layers_findings(own, found, seeds=seeds)], as_json=as_json)
