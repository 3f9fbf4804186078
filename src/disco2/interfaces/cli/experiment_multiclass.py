"""disco2 experiment multiclass: the paper's ladder of models on a corpus."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from disco2.experiments.configuration import read_configuration
from disco2.experiments.division import divide
from disco2.experiments.multiclass import LADDER, comparisons, multiclass
from disco2.interfaces.cli.console import percent, print_json, print_table, progress_bar
from disco2.interfaces.cli.corpus_options import CorpusChoice, takes_corpus
from disco2.interfaces.cli.options import AsJson, Assignments, ConfigFile


@takes_corpus
def experiment_multiclass(
    corpus: CorpusChoice,
    seeds: Annotated[int, typer.Option(help="Train each model with the seeds 1 to this.", min=1)] = 5,
    config: ConfigFile = None,
    assignments: Assignments = None,
    as_json: AsJson = False,
) -> None:
    """Accuracy of every model of the paper's table, as mean and spread over seeds."""
    configuration = read_configuration(config, assignments or [])
    found = corpus.read()
    parts = divide(found, configuration)
    with progress_bar() as bar:
        task = bar.add_task("preparing", total=seeds * len(LADDER))

        def show(name: str, seed: int) -> None:
            bar.update(task, advance=1, description=f"{name}, seed {seed}")

        ladder = multiclass(found, parts, configuration, seeds=range(1, seeds + 1), progress=show)
    rows = [rung.to_json() for rung in ladder]
    compared = comparisons(ladder)
    if as_json:
        print_json(
            {
                "corpus": found.name,
                "protocol": parts.protocol,
                "seeds": seeds,
                "rows": rows,
                "comparisons": compared,
            }
        )
        return
    print_table(
        f"{found.name}, {len(parts.labels)} labels: accuracy, mean ± deviation over seeds 1 to {seeds}",
        ["model", "dev", "test", "95% interval", "test, shared entities"],
        [
            [
                row["model"],
                _mean(row["dev"]),
                _mean(row["test"]),
                " to ".join(percent(bound) for bound in row["test"]["interval"]),
                _mean(row["test_shared_entities"]),
            ]
            for row in rows
        ],
    )

    print_table(
        "\nDifferences on test (points), with 95% intervals of a paired bootstrap over relations",
        ["first − second", "relations", "difference", "95% interval", "p"],  # noqa: RUF001  a minus sign
        [
            [
                f"{row['first']} − {row['second']}",  # noqa: RUF001
                row["relations"],
                percent(row["difference"]),
                " to ".join(percent(bound) for bound in row["interval"]),
                f"{row['p']:.3f}",
            ]
            for row in compared
        ],
    )


def _mean(figures: dict[str, Any]) -> str:
    if not figures["n"]:
        return percent(None)
    return f"{percent(figures['mean'])} ± {percent(figures['deviation'])}"
