"""A divided corpus and a configuration -> a trained model, on disk if asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from disco2.bundle import save_bundle
from disco2.corpora.licences import licence_of, licences_of_texts
from disco2.errors import CorpusError
from disco2.experiments.calibrating import calibrated
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts
from disco2.experiments.preparations import Preparations
from disco2.experiments.running_text import as_running_text
from disco2.experiments.weak_instances import weak_instances
from disco2.records import Corpus, Instance, RelationKind
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
    checkpoint: Path | None = None,
) -> Fitted:
    """Train on the training part, stop by the dev part; no label of the test part is looked at.

    ``preparations`` are what earlier trainings on this corpus prepared, and may be used again. ``checkpoint``
    is a folder from which an interrupted training goes on; it is the caller's to remove.
    """
    _check_labels(corpus, parts)
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


def _check_labels(corpus: Corpus, parts: Parts) -> None:
    training = parts.instances["train"]
    labels = {label for instance in training for label in instance.gold}
    if len(labels) < 2:
        raise CorpusError(
            f"The {len(training)} training relations have {len(labels)} labels that count; two are needed.",
            where=corpus.name,
            hint="Lower task.minimum, or choose another level or split; see: disco2 corpus stats",
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
    calibration, errors = calibrated(fitted.model, fitted.development)
    save_bundle(
        fitted.model,
        path,
        configuration=configuration.to_json(),
        task=parts.task.to_json(),
        data={
            "corpus": corpus.name,
            "protocol": parts.protocol,
            "training_relations": fitted.training_relations,
            "development_relations": len(fitted.development),
            "vectors": configuration.vectors.source if configuration.model.uses_vectors else "none",
            "licence": licence_of(corpus.name),
            "licences_of_texts": list(licences_of_texts(corpus.name)),
            "notes": list(corpus.notes),
            "automatic_layers": list(corpus.automatic),
            "annotators": corpus.annotators,
        },
        figures=_development_figures(fitted, parts, errors) | dict(figures or {}),
        calibration={
            "temperature": calibration.temperature,
            "running_text": calibration.of_running_text,
        },
    )


def _development_figures(fitted: Fitted, parts: Parts, errors: Mapping[str, float]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if best := fitted.history.best:
        found |= {f"development_{parts.score_name}": best.score, "best_pass": best.number}
    found |= {f"development_calibration_error_of_{name}": value for name, value in errors.items()}
    return found
