"""disco2 train and disco2 tune."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID

from disco2.annotation.annotator import Layer
from disco2.bundle import check_target
from disco2.corpora.catalogue import NONE, read_layers, usual_layers
from disco2.data import Corpus
from disco2.errors import InputError, SettingsError
from disco2.experiments.adapting import adapt_model, adaptable_instances, read_base, save_adapted
from disco2.experiments.configuration import Configuration, commented_toml, of_one_corpus, read_data
from disco2.experiments.division import Parts, divide
from disco2.experiments.train_run import check_learnable, save_model, train_model
from disco2.experiments.tuning import (
    DEVELOPMENTS,
    GRIDS,
    TuningProgress,
    check_storage,
    choose_space,
    readable,
)
from disco2.experiments.tuning import tune as search_settings
from disco2.files import FileLock, check_file_place, write_text
from disco2.interfaces.cli import listing
from disco2.interfaces.cli.corpus_options import CorpusOptions, ModelOptions, read_corpora
from disco2.interfaces.cli.options import SHIPPED, AsJson, Force, choose, path_option, suggest
from disco2.shipped import find_model
from disco2.training.encoder import STAGES, encoder_folder, remove_stages
from disco2.training.fit import Fitted
from disco2.training.loop import Epoch

Trials = Annotated[
    int | None,
    typer.Option(
        help="Finished trials for each model, with those of earlier calls. Default: as the grid needs.",
        min=1,
    ),
]
LOCK = "training.lock"
SHOWN = 10  # trials in the table


@dataclass(frozen=True)
class TrainOptions(ModelOptions):
    """The settings of a training. Every field is an option."""

    features: Annotated[bool | None, typer.Option(help="With or without surface features.")] = None
    vectors: Annotated[str, suggest(("shipped", "word2vec"), help="Word vectors: {}, or a file.")] = ""
    seed: Annotated[int | None, typer.Option(help="Random seed.")] = None
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="A further corpus to train on: its kind, path and weight, such as discogem=data:0.5. May be "
            "repeated; without --corpus, the first one is the main corpus.",
            metavar="NAME=PATH[:WEIGHT]",
        ),
    ] = None

    def configuration(self, *, before: Sequence[str] = ()) -> Configuration:
        found = super().configuration(before=before)
        return replace(found, data=(*found.data, *map(read_data, self.data or ())))


@contextmanager
def kept_training(output: Path) -> Iterator[Path]:
    """The folder for the stages of an encoder's training, from which the same command resumes it.

    It is removed when the model is in place. One process at a time may train there.
    """
    target = Path(os.path.realpath(output))  # where a link leads to, as for the model itself
    folder = target.with_name(f"{target.name}.training")
    lock = FileLock(folder / LOCK)
    if not lock.take():
        hint = "Wait for it, or choose another --output folder."
        raise InputError("Another process is training this model.", where=str(output), hint=hint)
    try:
        yield folder
        remove_stages(folder)  # last: a process that is killed before need not train again
    except BaseException:
        if any((folder / STAGES).glob("*.safetensors")):
            listing.print_note(f"finished passes are kept in {folder}; run the same command to resume")
        raise
    finally:
        lock.give_up()


def train(
    output: Annotated[Path | None, path_option(help="Folder to write the model to.")] = None,
    from_model: Annotated[
        str | None,
        suggest(
            SHIPPED,
            help="Adapt this model to labelled pairs (--corpus pairs): its last layer alone, in seconds.",
            metavar="NAME|FOLDER",
            show_default=False,
        ),
    ] = None,
    print_config: Annotated[bool, typer.Option("--print-config", help="Print all settings.")] = False,
    force: Force = False,
    as_json: AsJson = False,
    *,
    corpus: CorpusOptions,
    settings: TrainOptions,
) -> None:
    """Train a model; the dev part decides when to stop, the test part is not used.

    Of several corpora, in tables [[data]] of the configuration or by --data, the main one has the labels, the
    dev and the test part; the others add training relations.
    """
    if from_model is not None and (print_config or settings != TrainOptions(seed=settings.seed)):
        raise SettingsError("With --from-model, --seed is the only setting.", hint="Leave out the others.")
    configuration = settings.configuration()
    if print_config:
        typer.echo(commented_toml(configuration), nl=False)
        return
    if output is None:
        raise SettingsError("No --output folder was given.", hint="Add, for example: --output my-model")
    check_target(output, force=force)
    if from_model is not None:
        _adapt(from_model, corpus, output, seed=configuration.training.seed, force=force, as_json=as_json)
        return
    if configuration.model.kind == "encoder":
        encoder_folder(configuration.encoder.folder)  # fail before an hour of annotation
    started = time.perf_counter()
    with kept_training(output) as state:
        found, parts, configuration = read_corpora(corpus, configuration)
        for note in _notes(found, parts, configuration):
            listing.print_note(note)
        fitted = _train(found, parts, configuration, state)
        save_model(fitted, parts, configuration, found, output, force=force)
    best = fitted.history.best
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
        listing.print_json(summary)
        return
    added = sum(len(one.chosen) for one in parts.further)
    listing.results.print(
        f"{output}: trained on {fitted.training_relations} relations"
        f"{f' and {added} of other corpora' * bool(added)} "
        f"with {len(parts.labels)} labels in {summary['seconds']} s"
    )
    if best:
        members = configuration.model.all_members
        when = f" with {members} members" if members > 1 else f" after pass {best.number}"
        if configuration.model.kind == "encoder":  # whose last weights are kept, whatever the pass
            when = ""
        listing.results.print(f"development {parts.score_name} {listing.percent(best.score)}%{when}")


def _adapt(
    from_model: str, corpus: CorpusOptions, output: Path, *, seed: int, force: bool, as_json: bool
) -> None:
    """Adapt a trained model to labelled pairs and print its accuracy before and after."""
    if corpus.corpus != "pairs" or corpus.path is None:
        raise SettingsError(
            "--from-model needs labelled pairs.", hint="Add, for example: --corpus pairs --path labels.csv"
        )
    folder = find_model(from_model)
    model, base = read_base(folder)
    found = corpus.read(check=lambda own: adaptable_instances(own, model.labels))
    started = time.perf_counter()
    with listing.messages.status("fitting"):
        name = str(base.data.get("name") or folder.resolve().name)
        adapted = adapt_model(found, model, base, name=name, seed=seed)
    save_adapted(adapted, output, source=corpus.path.name, force=force)
    seconds = round(time.perf_counter() - started, 2)
    if as_json:
        listing.print_json({"output": str(output), **adapted.to_json(), "seconds": seconds})
        return
    listing.results.print(
        f"{output}: '{name}' adapted on {adapted.pairs} pairs with {len(adapted.label_counts)} labels "
        f"in {seconds} s"
    )
    for when, (accuracy, interval) in adapted.accuracy.items():
        how = "" if when == "before" else ", by 5-fold cross-validation"
        listing.results.print(f"accuracy {when}{how}: {listing.accuracy_line(accuracy, interval)}")
    listing.results.print(adapted.verdict)


def _train(corpus: Corpus, parts: Parts, configuration: Configuration, state: Path) -> Fitted:
    """Train, or resume, with a progress bar; of an encoder without a terminal, with lines for a log."""
    with listing.progress_bar() as bar:
        members = configuration.model.all_members
        task = bar.add_task("preparing", total=None)
        logged = configuration.model.kind == "encoder" and not listing.messages.is_terminal
        member = 0

        def say(text: str) -> None:
            bar.update(task, description=text)
            if logged:
                listing.messages.print(text)

        def show(epoch: Epoch) -> None:
            nonlocal member
            member += epoch.number == 1
            whose = f"member {member} of {members}, " if members > 1 else ""
            score = f"dev {parts.score_name} {listing.percent(epoch.score)}%"
            say(f"{whose}pass {epoch.number}: loss {epoch.loss:.3f}, {score}")

        return train_model(
            corpus,
            parts,
            configuration,
            progress=show,
            report=say,
            state=state,
        )


def _notes(corpus: Corpus, parts: Parts, configuration: Configuration) -> Iterator[str]:
    """Notes that a user should see before the training starts."""
    if lacking := read_layers(usual_layers(corpus.name)).difference(corpus.automatic):
        layers = ", ".join(layer for layer in Layer if layer in lacking)
        yield f"no annotator made {layers}; predict and serve make them, so accuracy may be lower there"
    if dropped := parts.dropped["train"]:
        named = ", ".join(f"{reason} ({count})" for reason, count in dropped.most_common(3))
        total = len(parts.instances["train"]) + dropped.total()
        yield f"{dropped.total()} of {total} training relations are left out: {named}"
    yield from map(str, parts.further)
    if not parts.instances["dev"] and configuration.model.kind != "majority":
        share = configuration.training.development_share
        yield f"there is no dev part: {share:.0%} of the training relations are held out for early stopping"


def tune(
    output: Annotated[Path, path_option(help="File to write the best settings to, as TOML.")],
    grid: Annotated[
        str,
        choose(
            "grid",
            GRIDS,
            help="Search space: {}. quick: rates and regularisers from a third to three times the "
            "configured ones. paper: K, lambda and eta from the paper's lists.",
        ),
    ] = GRIDS[0],
    trials: Trials = None,
    seeds: Annotated[int, typer.Option(help="Trainings in a trial; their mean score counts.", min=1)] = 2,
    development: Annotated[
        str, choose("development relations", DEVELOPMENTS, help="What trials are scored on: {}.")
    ] = DEVELOPMENTS[0],
    jobs: Annotated[int, typer.Option(help="Processes that run trials in parallel.", min=1)] = 1,
    as_json: AsJson = False,
    *,
    corpus: CorpusOptions,
    settings: ModelOptions,
) -> None:
    """Search settings that do well on the development relations; the test part is not used.

    The study is kept in a file beside --output. Called again, it resumes; a trial that was interrupted is
    repeated.
    Binary classifiers, such as --set task.versus=Comparison, are tuned for F1, others for accuracy.
    """
    configuration = of_one_corpus(settings.configuration())
    space = choose_space(configuration, grid=grid)
    check_file_place(output)
    study = output.with_name(f"{output.stem}-study.db")
    check_storage(study)
    if configuration.model.kind == "encoder":
        encoder_folder(configuration.encoder.folder)  # fail before an hour of annotation
        if not configuration.model.features:  # it needs layers only for features
            corpus = replace(corpus, automatic=NONE)
    found = corpus.read(check=lambda own: check_learnable(own, divide(own, configuration)))
    with listing.resumable(), listing.progress_bar() as bar:
        task = bar.add_task("preparing", total=None)
        tuned = search_settings(
            found,
            configuration,
            space=space,
            file=study,
            trials=trials or 0,
            jobs=jobs,
            seeds=seeds,
            development=development,
            progress=show_trials(bar, task),
            notice=listing.print_note,
        )
    write_text(output, [tuned.to_toml()])
    if as_json:
        listing.print_json({"output": str(output), **tuned.to_json()})
        return
    names = list(tuned.problem.space.settings)
    rows = [
        [trial.number, listing.percent(trial.value), *map(readable(trial.params).get, names)]
        for trial in tuned.ranking[:SHOWN]
    ]
    listing.print_table("The best trials", ["trial", tuned.score_name, *names], rows)
    listing.results.print(
        f"{output}: the best of {len(tuned.ranking)} trials, development {tuned.score_name} "
        f"{listing.percent(tuned.best.value)}%. Use: --config {output}"
    )


def show_trials(bar: Progress, task: TaskID, *, name: str = "") -> TuningProgress:
    """Show how many trials are finished, and the best score so far."""

    def show(finished: int, wanted: int, best: float | None) -> None:
        text = f"{name}{finished} of {wanted} trials, best {listing.percent(best)}%"
        bar.update(task, total=wanted, completed=finished, description=text)

    return show
