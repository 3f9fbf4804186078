"""All commands, gathered under one name."""

from __future__ import annotations

import typer

from disco2.interfaces.cli import (
    annotate,
    annotator_evaluate,
    annotator_train,
    corpus_convert,
    corpus_role_pairs,
    corpus_stats,
    evaluate,
    experiment,
    experiment_all,
    experiment_layers,
    predict,
    train,
    tune,
)
from disco2.version import VERSION

app = typer.Typer(
    name="disco2",
    help="Implicit discourse relations: predict, train, evaluate and look at corpora.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
corpus_app = typer.Typer(help="Look at corpora, make and convert them.", no_args_is_help=True)
corpus_app.command("stats")(corpus_stats.corpus_stats)
corpus_app.command("role-pairs")(corpus_role_pairs.role_pairs)
corpus_app.command("convert")(corpus_convert.corpus_convert)
app.add_typer(corpus_app, name="corpus")
experiment_app = typer.Typer(help="The paper's tables and figures.", no_args_is_help=True)
for command in (
    experiment.multiclass,
    experiment.crossvalidation,
    experiment.dimension,
    experiment.coreference,
    experiment.binary,
    experiment.embeddings,
    experiment.initialisation,
    experiment.beyond,
):
    experiment_app.command()(command)
experiment_app.command("all")(experiment_all.everything)
experiment_app.command("layers")(experiment_layers.experiment_layers)
app.add_typer(experiment_app, name="experiment")
annotator_app = typer.Typer(help="The built-in English annotator.", no_args_is_help=True)
annotator_app.command("train")(annotator_train.annotator_train)
annotator_app.command("evaluate")(annotator_evaluate.annotator_evaluate)
app.add_typer(annotator_app, name="annotator")
app.command("predict")(predict.predict)
app.command("annotate")(annotate.annotate)
app.command("train")(train.train)
app.command("tune")(tune.tune_settings)
app.command("evaluate")(evaluate.evaluate)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"disco2 {VERSION}")
        raise typer.Exit


@app.callback()
def disco2(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_print_version, is_eager=True
    ),
) -> None:
    """Implicit discourse relations: predict, train, evaluate and look at corpora."""
