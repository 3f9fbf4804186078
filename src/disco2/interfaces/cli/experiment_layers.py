"""disco2 experiment layers: what automatic layers cost."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from disco2.errors import SettingsError
from disco2.experiments.configuration import read_configuration
from disco2.experiments.layers import PARTS, RUNNING_TEXT, compare_layers
from disco2.interfaces.cli.console import percent, print_json, print_table, progress_bar
from disco2.interfaces.cli.corpus_options import CorpusChoice, takes_corpus
from disco2.interfaces.cli.options import AsJson, Assignments, ConfigFile

MEASURES = {
    "senses": "given arguments",
    "across": "those across sentences",
    "running_text": "running text, all outcomes",
}


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
    if not corpus.automatic:
        raise SettingsError("No layer is to be made anew.", hint="Add, for example: --automatic all")
    given = [*RUNNING_TEXT, *(assignments or [])]
    configuration = read_configuration(config, given)
    own = corpus.read_own()
    versions = {"the corpus's own": own, f"automatic: {corpus.automatic}": corpus.read_automatic(own)}
    with progress_bar() as bar:
        task = bar.add_task("preparing", total=seeds * len(versions))

        def show(layers: str, seed: int) -> None:
            bar.update(task, advance=1, description=f"{layers}, seed {seed}")

        found = compare_layers(versions, configuration, seeds=range(1, seeds + 1), progress=show)
    rows = [one.to_json() for one in found]
    if as_json:
        print_json({"corpus": own.name, "seeds": seeds, "rows": rows})
        return
    print_table(
        f"{own.name}: accuracy, mean ± deviation over seeds 1 to {seeds}, with 95% intervals over relations",
        ["layers", "part", *MEASURES.values()],
        [
            [row["layers"], part, *(_cell(row[f"{part}_{measure}"]) for measure in MEASURES)]
            for row in rows
            for part in PARTS
        ],
    )


def _cell(figures: dict[str, Any]) -> str:
    if not figures["n"]:
        return percent(None)
    low, high = figures["interval"]
    mean, deviation = percent(figures["mean"]), percent(figures["deviation"])
    return f"{mean} ± {deviation} ({percent(low)} to {percent(high)})"
