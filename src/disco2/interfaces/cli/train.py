"""disco2 train: a corpus -> a model on disk."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.annotator import Layer
from disco2.bundle import check_target
from disco2.corpora.catalogue import read_layers, usual_layers
from disco2.data import Corpus
from disco2.errors import SettingsError
from disco2.experiments.configuration import Configuration, commented_toml, read_configuration, read_data
from disco2.experiments.division import Parts
from disco2.experiments.train_run import save_model, train_model
from disco2.interfaces.cli.console import percent, print_json, progress_bar, results, tell
from disco2.interfaces.cli.corpus_options import CorpusChoice, takes_corpus
from disco2.interfaces.cli.data_options import Mixture
from disco2.interfaces.cli.kept_training import kept_training
from disco2.interfaces.cli.offered_values import among
from disco2.interfaces.cli.options import AsJson, Assignments, ConfigFile, Force, Protocol, path_option
from disco2.model.settings import KINDS
from disco2.training.checkpoint import Checkpoint
from disco2.training.encoder import encoder_folder
from disco2.training.fit import Fitted
from disco2.training.history import Epoch

MOST_REASONS = 3  # that are named


@takes_corpus
def train(
    corpus: CorpusChoice,
    output: Annotated[
        Path | None, path_option(help="Folder to write the model to; an interrupted training goes on.")
    ] = None,
    config: ConfigFile = None,
    kind: Annotated[
        str, typer.Option(help=f"Kind of model: {', '.join(KINDS)}.", autocompletion=among(KINDS))
    ] = "",
    features: Annotated[bool | None, typer.Option(help="With or without surface features.")] = None,
    vectors: Annotated[
        str,
        typer.Option(
            help="Word vectors: shipped, word2vec, or a file.", autocompletion=among(("shipped", "word2vec"))
        ),
    ] = "",
    seed: Annotated[int | None, typer.Option(help="Fixes everything random.")] = None,
    assignments: Assignments = None,
    protocol: Protocol = "",
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="A further corpus to train on: its kind, path and weight, such as discogem=data:0.5. May be "
            "repeated; without --corpus, the first one is the main corpus.",
            metavar="NAME=PATH[:WEIGHT]",
        ),
    ] = None,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print all settings and stop.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Train a model; the dev part says when to stop, the test part is not looked at.

    Of several corpora, in tables [[data]] of the configuration or by --data, the main one has the labels, the
    dev and the test part; the others add training relations.
    """
    configuration = _configured(config, assignments or [], kind, features, vectors, seed, protocol)
    entries = tuple(map(read_data, data or ()))
    configuration = replace(configuration, data=(*configuration.data, *entries))
    if print_config:
        typer.echo(commented_toml(configuration), nl=False)
        return
    if output is None:
        raise SettingsError("No --output folder was given.", hint="Add, for example: --output my-model")
    check_target(output, force=force)
    if configuration.model.kind == "encoder":
        encoder_folder(configuration.encoder.folder)  # now, not after an hour of annotation
    started = time.perf_counter()
    mixture = Mixture.of(corpus, configuration)
    configuration = mixture.configuration
    with kept_training(output) as state:
        found, parts = mixture.read()
        for note in _notes(found, parts, configuration):
            tell(note)
        fitted = _trained(found, parts, configuration, state)
        save_model(fitted, parts, configuration, found, output, force=force)
    best, members = fitted.history.best, configuration.model.all_members
    summary = {
        "output": str(output),
        "labels": list(parts.labels),
        "training_relations": fitted.training_relations,
        "development_relations": len(fitted.development),
        "passes": len(fitted.history.epochs),
        "best_passes": [history.best.number for history in fitted.members if history.best],
        f"development_{parts.score_name}": best.score if best else None,
        "seconds": round(time.perf_counter() - started, 2),
        **({"further": [one.to_json() for one in parts.further]} if parts.further else {}),
    }
    if as_json:
        print_json(summary)
        return
    added = sum(len(one.chosen) for one in parts.further)
    further = f" and {added} of other corpora" if added else ""
    results.print(
        f"{output}: trained on {fitted.training_relations} relations{further} "
        f"with {len(parts.labels)} labels in {summary['seconds']} s",
        markup=False,
    )
    if best:
        when = f"after pass {best.number}" if members == 1 else f"with {members} members"
        results.print(f"development {parts.score_name} {percent(best.score)}% {when}", markup=False)


def _trained(corpus: Corpus, parts: Parts, configuration: Configuration, state: Checkpoint) -> Fitted:
    """Train, or go on from the state, behind a progress bar."""
    with progress_bar() as bar:
        members = configuration.model.all_members
        passes = configuration.training.epochs
        if configuration.model.kind == "encoder":
            each = configuration.encoder.epochs
            passes = sum((one.epochs or each) * one.members for one in configuration.stages) or each
        task = bar.add_task("preparing", total=passes)
        member = 0

        def show(epoch: Epoch) -> None:
            nonlocal member
            member += epoch.number == 1
            whose = f"member {member} of {members}, " if members > 1 else ""
            score = f"dev {parts.score_name} {percent(epoch.score)}%"
            text = f"{whose}pass {epoch.number}: loss {epoch.loss:.3f}, {score}"
            bar.update(task, completed=epoch.number, description=text)

        def report(text: str) -> None:
            bar.update(task, description=text)

        return train_model(corpus, parts, configuration, progress=show, report=report, checkpoint=state)


def _notes(corpus: Corpus, parts: Parts, configuration: Configuration) -> Iterator[str]:
    """What a user should know before the training begins."""
    if lacking := read_layers(usual_layers(corpus.name)).difference(corpus.automatic):
        layers = ", ".join(layer for layer in Layer if layer in lacking)
        yield f"no annotator made {layers}; predict and serve will have them made, and may do worse for it"
    dropped, kept = parts.dropped["train"], len(parts.instances["train"])
    if dropped:
        named = ", ".join(f"{reason} ({count})" for reason, count in dropped.most_common(MOST_REASONS))
        more = ", ..." if len(dropped) > MOST_REASONS else ""
        yield f"{dropped.total()} of {kept + dropped.total()} training relations are left out: {named}{more}"
    yield from map(str, parts.further)
    if not parts.instances["dev"] and configuration.model.kind != "majority":
        share = configuration.training.development_share
        yield f"there is no dev part: {share:.0%} of the training relations are held out to say when to stop"


def _configured(
    config: Path | None,
    assignments: list[str],
    kind: str,
    features: bool | None,
    vectors: str,
    seed: int | None,
    protocol: str,
) -> Configuration:
    """The settings of file and --set, overruled by the options that have a name of their own."""
    named = {
        "model.kind": kind or None,
        "model.features": features,
        "vectors.source": vectors or None,
        "training.seed": seed,
        "task.protocol": protocol or None,
    }
    configuration = read_configuration(config, assignments)
    return configuration.changed({name: value for name, value in named.items() if value is not None})
