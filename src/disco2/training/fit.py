"""Labelled instances -> a trained model: features selected, vectors chosen, parameters learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from disco2.errors import InputError
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.model import ModelSettings, RelationModel, initial_parameters
from disco2.model.vectors import VectorSettings, WordVectors, load_vectors
from disco2.records import Instance
from disco2.training.loop import Development, History, Progress, train
from disco2.training.settings import TrainingSettings


@dataclass(frozen=True)
class Fitted:
    """A model and how it came about."""

    model: RelationModel
    history: History
    training_relations: int
    development_relations: int


def fit(
    training: Sequence[Instance],
    development: Sequence[Instance],
    *,
    labels: Sequence[str],
    model: ModelSettings,
    features: FeatureSettings,
    vectors: VectorSettings,
    settings: TrainingSettings,
    sentences: Iterable[list[str]] = (),
    progress: Progress = lambda epoch: None,
) -> Fitted:
    """Train on instances with one gold label each, stopping by the development part.

    Without a development part, a random share of the training relations is held out, as in the paper.
    ``sentences`` are what word2vec learns from, where that is asked for.
    """
    if not training:
        raise InputError(
            "There is no labelled relation to train on.", hint="See what was read with: disco2 corpus stats"
        )
    if not development and model.kind != "majority":
        training, development = hold_out(training, settings)
    extractor = FeatureExtractor.fit(_distinct(training), settings=features) if model.uses_features else None
    word_vectors = _word_vectors((*training, *development), model, vectors, settings, sentences)
    parameters = initial_parameters(
        model, labels=len(labels), features=extractor.width if extractor else 0, seed=settings.seed
    )
    fitted = RelationModel(model, tuple(labels), word_vectors, extractor, parameters)
    history = History()
    if model.kind == "majority":
        counts = Counter(instance.gold[0] for instance in training)
        parameters["b"][:] = [counts[label] for label in labels]
    else:
        numbers = {label: number for number, label in enumerate(labels)}
        held_out = Development.of(
            fitted.encoder.encode(development),
            [frozenset(numbers[label] for label in instance.gold) for instance in development],
        )
        best, history = train(
            model,
            parameters,
            fitted.leaves,
            fitted.encoder.encode(training),
            held_out,
            settings,
            progress=progress,
        )
        parameters.update(best)
    return Fitted(fitted, history, _relations(training), _relations(development))


def hold_out(
    instances: Sequence[Instance], settings: TrainingSettings
) -> tuple[list[Instance], list[Instance]]:
    """A random share of the relations; both instances of a two-sense relation stay together."""
    relations = sorted({instance.relation.id for instance in instances})
    count = max(1, round(settings.development_share * len(relations)))
    shuffled = np.random.default_rng(settings.seed).permutation(len(relations))
    chosen = {relations[index] for index in shuffled[:count]}
    kept = [instance for instance in instances if instance.relation.id not in chosen]
    if not kept:
        raise InputError(
            f"{len(relations)} labelled relations are too few to hold {count} of them out for development.",
            hint="Give more relations, or a development part of your own.",
        )
    return kept, [instance for instance in instances if instance.relation.id in chosen]


def _distinct(instances: Sequence[Instance]) -> list[Instance]:
    """Every relation once, with all its labels: repetitions must not lift rare features over the minimum."""
    labels: dict[str, dict[str, None]] = {}
    first: dict[str, Instance] = {}
    for instance in instances:
        first.setdefault(instance.relation.id, instance)
        labels.setdefault(instance.relation.id, {}).update(dict.fromkeys(instance.gold))
    return [replace(instance, gold=tuple(labels[name])) for name, instance in first.items()]


def _word_vectors(
    instances: Iterable[Instance],
    model: ModelSettings,
    vectors: VectorSettings,
    settings: TrainingSettings,
    sentences: Iterable[list[str]],
) -> WordVectors:
    """Vectors for the words of the given instances and for the most frequent ones."""
    if not model.uses_vectors:
        return WordVectors((), np.zeros((0, model.K), dtype=np.float32))
    needed = {
        form
        for instance in instances
        for argument in (instance.relation.arg1, instance.relation.arg2)
        for form in instance.document.words(argument.tokens)
    }
    return load_vectors(
        vectors.source,
        dimensions=model.K,
        words=needed,
        frequent=vectors.frequent,
        sentences=sentences,
        seed=settings.seed,
    )


def _relations(instances: Sequence[Instance]) -> int:
    return len({instance.relation.id for instance in instances})
