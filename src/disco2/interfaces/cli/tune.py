"""disco2 tune: a corpus -> the settings that do best on its development relations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID

from disco2.errors import SettingsError
from disco2.experiments.configuration import Configuration, of_one_corpus, read_configuration
from disco2.experiments.division import divide
from disco2.experiments.train_run import check_learnable
from disco2.experiments.tuning.best_file import write_best
from disco2.experiments.tuning.question import DEVELOPMENTS
from disco2.experiments.tuning.space import GRIDS, SAMPLERS, choose_space
from disco2.experiments.tuning.standing import Standing
from disco2.experiments.tuning.trials import COMPLETE, PRUNED
from disco2.experiments.tuning.tune import Tuned, check_storage, tune
from disco2.files import check_file_place, check_writable
from disco2.interfaces.cli.console import percent, print_json, print_table, progress_bar, results, tell
from disco2.interfaces.cli.corpus_options import CorpusChoice, takes_corpus
from disco2.interfaces.cli.offered_values import among
from disco2.interfaces.cli.options import AsJson, Assignments, ConfigFile, Protocol, path_option
from disco2.interfaces.cli.training_workers import TrainingWorkers, takes_workers
from disco2.model.settings import KINDS

SHOWN = 10  # trials


@takes_corpus
@takes_workers
def tune_settings(
    corpus: CorpusChoice,
    workers: TrainingWorkers,
    output: Annotated[Path | None, path_option(help="File to write the best settings to, as TOML.")] = None,
    grid: Annotated[
        str,
        typer.Option(
            help=f"What is tried: {', '.join(GRIDS)}. quick: rates and regularisers from a third to three "
            "times the configured ones, which come first. paper: K, lambda and eta from the paper's lists, "
            "the last two apart for each group of parameters.",
            autocompletion=among(GRIDS),
        ),
    ] = GRIDS[0],
    sampler: Annotated[
        str,
        typer.Option(
            help=f"Who chooses: {', '.join(SAMPLERS)}. tpe: learns from the trials so far. grid, for the "
            "paper's lists: every point, with one lambda and one eta for all groups.",
            autocompletion=among(SAMPLERS),
        ),
    ] = SAMPLERS[0],
    storage: Annotated[
        str,
        typer.Option(
            help="Where the study is kept: sqlite:///FILE, or postgresql://USER@HOST/DATABASE, which several "
            "machines can share. Default: a SQLite file beside --output."
        ),
    ] = "",
    trials: Annotated[
        int | None,
        typer.Option(help="Finished trials in the end, those of earlier calls among them.", min=1),
    ] = None,
    seeds: Annotated[int, typer.Option(help="Trainings in a trial; their mean score counts.", min=1)] = 2,
    development: Annotated[
        str,
        typer.Option(
            help=f"What trials are judged on: {', '.join(DEVELOPMENTS)}. dev: the corpus's dev part. random: "
            "as in the paper, a random fifth (training.development_share) of the training relations.",
            autocompletion=among(DEVELOPMENTS),
        ),
    ] = DEVELOPMENTS[0],
    pruning: Annotated[bool, typer.Option(help="Give up trials that do worse than most.")] = True,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds after which no further trial begins.", min=0)
    ] = None,
    study: Annotated[str, typer.Option(help="Name of the study. Default: follows from what is asked.")] = "",
    config: ConfigFile = None,
    kind: Annotated[
        str, typer.Option(help=f"Kind of model: {', '.join(KINDS)}.", autocompletion=among(KINDS))
    ] = "",
    assignments: Assignments = None,
    protocol: Protocol = "",
    as_json: AsJson = False,
) -> None:
    """Find settings that do well on the development relations; the test part is not touched.

    Called again with the same storage, it goes on where it was; a trial that was cut short is done again.
    Binary classifiers, such as --set task.versus=Comparison, are tuned for F1, others for accuracy.
    """
    configuration = _configured(config, assignments or [], kind, protocol)
    engine = workers.opened()
    space = choose_space(configuration, grid=grid, sampler=sampler)
    if output is None:
        raise SettingsError("No --output file was given.", hint="Add, for example: --output best.toml")
    check_file_place(output)
    check_writable(output)
    storage = storage or f"sqlite:///{output.with_name(f'{output.stem}-study.db')}"
    check_storage(storage)
    workers.check_storage(storage)
    found = corpus.read(check=lambda own: check_learnable(own, divide(own, configuration)))
    with progress_bar() as bar:
        task = bar.add_task("preparing", total=None)
        tuned = tune(
            found,
            configuration,
            space=space,
            storage=storage,
            trials=trials or 0,
            engine=engine,
            seeds=seeds,
            development=development,
            pruning=pruning,
            timeout=timeout,
            study=study,
            report=ShownStanding(bar, task),
        )
    write_best(tuned, output)
    if as_json:
        print_json({"output": str(output), **tuned.to_json()})
    else:
        _print(tuned, output)


def _configured(config: Path | None, assignments: list[str], kind: str, protocol: str) -> Configuration:
    named = {"model.kind": kind, "task.protocol": protocol}
    configuration = of_one_corpus(read_configuration(config, assignments))
    return configuration.changed({name: value for name, value in named.items() if value})


class ShownStanding:
    """Shows the standing as a bar, and notes above it."""

    def __init__(self, bar: Progress, task: TaskID, *, name: str = "") -> None:
        self._bar = bar
        self._task = task
        self._name = f"{name}: " if name else ""

    def __call__(self, standing: Standing) -> None:
        if standing.finished is None:
            tell(standing.note)
            return
        text = f"{self._name}{standing.finished} of {standing.wanted} trials, best {percent(standing.best)}%"
        if standing.note:
            text = f"{text}, {standing.note}"
        self._bar.update(self._task, total=standing.wanted, completed=standing.finished, description=text)


def _print(tuned: Tuned, output: Path) -> None:
    names = [dimension.name for dimension in tuned.space.dimensions]
    print_table(
        f"{tuned.corpus}, {tuned.count(COMPLETE, PRUNED)} trials, {tuned.count(PRUNED)} of them pruned: the "
        f"best by development {tuned.score_name}, mean of the seeds {tuned.seeds[0]} to {tuned.seeds[-1]}",
        ["trial", tuned.score_name, "loss", *names],
        [
            [
                str(trial.number),
                percent(trial.score),
                _number(trial.loss),
                *(_number(trial.values.get(name)) for name in names),
            ]
            for trial in tuned.ranking[:SHOWN]
        ],
    )
    results.print(
        f"{output}: the settings of trial {tuned.best.number}. Use them as: --config {output}", markup=False
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"  # noqa: RUF001  an en dash
