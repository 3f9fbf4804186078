"""A divided corpus and a configuration -> a trained model, on disk if asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from disco2.bundle import save_bundle
from disco2.errors import CorpusError
from disco2.experiments.bundle_record import record_of
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts
from disco2.experiments.preparations import Preparations
from disco2.experiments.running_text import as_running_text
from disco2.experiments.weak_instances import weak_instances
from disco2.records import WITHOUT_SENSE, Corpus, Instance, RelationKind
from disco2.training.checkpoint import Checkpoint
from disco2.training.fit import Fitted, learn, most_common
from disco2.training.history import Progress
from disco2.training.preparation import Prepared, prepare
from disco2.training.resampling import hold_out


def train_model(
    corpus: Corpus,
    parts: Parts,
    configuration: Configuration,
    *,
    preparations: Preparations | None = None,
    progress: Progress = lambda epoch: None,
    checkpoint: Checkpoint | None = None,
) -> Fitted:
    """Train on the training part, stop by the dev part; no label of the test part is looked at.

    ``preparations`` are what earlier trainings on this corpus prepared, and may be used again. ``checkpoint``
    is a place from which an interrupted training goes on; it is the caller's to remove.
    """
    check_learnable(corpus, parts)
    model, settings = configuration.model, configuration.training
    if model.kind == "majority":
        return most_common(parts.instances["train"], parts.labels, model)
    make = partial(prepare_training, corpus, parts, configuration)
    prepared = preparations.of(parts, configuration, make) if preparations else make()
    return learn(prepared, model, settings, progress=progress, checkpoint=checkpoint)


def prepare_training(corpus: Corpus, parts: Parts, configuration: Configuration) -> Prepared:
    """Everything that a training needs.

    Explicit and AltLex relations, where they are asked for, are trained on and used for nothing else.
    Word2vec, where it is asked for, learns from the texts of all parts, as in the paper.
    """
    task, seed = configuration.task, configuration.training.seed
    training, development = parts.instances["train"], parts.instances["dev"]
    if not development:  # before a relation is repeated with whole sentences, or it would be on both sides
        share = configuration.training.development_share
        training, development = hold_out(training, share=share, seed=seed)
    # Running text has no arguments but whole sentences: a model for it should have seen some.
    widened = as_running_text(training) if task.whole_sentences else []
    prepared = prepare(
        [*training, *widened],
        development,
        labels=parts.labels,
        model=configuration.model,
        features=configuration.features,
        vectors=configuration.vectors,
        seed=seed,
        development_share=configuration.training.development_share,
        positive=parts.task.versus,
        balanced=bool(parts.task.versus) and task.balance,
        further=_weak_instances(corpus, parts, configuration) if task.weak_weight else (),
        sentences=corpus.sentences(),
    )
    return replace(prepared, training_relations=prepared.training_relations - len(widened))


def check_learnable(corpus: Corpus, parts: Parts) -> None:
    """CorpusError where there is nothing to learn."""
    training = parts.instances["train"]
    labels = {label for instance in training for label in instance.gold}
    if not labels and not any(relation.senses for relation in parts.relations["train"]):
        raise CorpusError(
            f"None of the {len(parts.relations['train'])} training relations has a label.",
            where=corpus.name,
            hint="In a file of pairs, labels stand in a column 'label'; see: disco2 corpus stats",
        )
    if len(labels) < 2:
        raise CorpusError(
            f"The {len(training)} training relations have {len(labels)} labels that count; two are needed.",
            where=corpus.name,
            hint="Lower task.minimum, or choose another level or split; see: disco2 corpus stats",
        )
    if WITHOUT_SENSE.issuperset(labels):
        raise CorpusError(
            "EntRel and NoRel are the only labels, and a model needs one that says more.",
            where=corpus.name,
            hint="Give them other names if they are labels like any other; these have their own meaning.",
        )


def _weak_instances(corpus: Corpus, parts: Parts, configuration: Configuration) -> list[Instance]:
    kinds = [RelationKind(kind) for kind in configuration.task.weak_kinds]
    found = weak_instances(corpus, parts, kinds=kinds, weight=configuration.task.weak_weight)
    if not found:
        raise CorpusError(
            f"No {' or '.join(kinds)} relation of the training part can serve as a further instance.",
            where=corpus.name,
            hint="Leave out task.weak_weight, or name other task.weak_kinds; see: disco2 corpus stats",
        )
    return found


def save_model(
    fitted: Fitted,
    parts: Parts,
    configuration: Configuration,
    corpus: Corpus,
    path: Path,
    *,
    figures: Mapping[str, Any] | None = None,
) -> None:
    """Write a bundle that says what it was trained on and how, with the temperatures of its probabilities.

    ``figures`` are recorded beside those of the development part.
    """
    record = record_of(fitted, parts, configuration, corpus, figures=figures)
    save_bundle(fitted.model, path, **vars(record))
