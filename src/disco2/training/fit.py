"""Labelled instances -> a trained model: features selected, vectors chosen, parameters learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from disco2.errors import InputError
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.model import ModelSettings, RelationModel, initial_parameters
from disco2.records import Instance
from disco2.training.development import Development
from disco2.training.loop import History, Progress, train
from disco2.training.resampling import balance, expand_two_senses, hold_out
from disco2.training.settings import TrainingSettings
from disco2.vectors import VectorSettings, WordVectors, load_vectors


@dataclass(frozen=True)
class Fitted:
    """A model and how it came about."""

    model: RelationModel
    history: History
    training_relations: int
    development: Sequence[Instance] = ()  # what said when to stop


def fit(
    training: Sequence[Instance],
    development: Sequence[Instance],
    *,
    labels: Sequence[str],
    model: ModelSettings,
    features: FeatureSettings,
    vectors: VectorSettings,
    settings: TrainingSettings,
    positive: str = "",
    balanced: bool = False,
    sentences: Iterable[list[str]] = (),
    progress: Progress = lambda epoch: None,
) -> Fitted:
    """Train on relations, stopping by the development part.

    A relation with two gold labels becomes two training instances; in development either is right. Without a
    development part, a random share of the training relations is held out, as in the paper. Where one class
    is told from the rest, ``positive`` names it: its F1 says when to stop. ``balanced`` repeats the smaller
    classes. ``sentences`` are what word2vec learns from, where that is asked for.
    """
    _check(training, development, labels)
    if model.kind == "majority":
        return _most_common(training, labels, model)
    if not development:
        training, development = hold_out(training, share=settings.development_share, seed=settings.seed)

    # Features and vectors see every training relation once, and nothing of the development part.
    extractor = FeatureExtractor.fit(training, settings=features) if model.uses_features else None
    word_vectors = _word_vectors(training, model, vectors, settings, sentences)
    width = extractor.width if extractor else 0
    parameters = initial_parameters(model, labels=len(labels), features=width, seed=settings.seed)
    untrained = RelationModel(model, tuple(labels), word_vectors, extractor, parameters)

    examples = expand_two_senses(training)
    if balanced:
        examples = balance(examples, seed=settings.seed)
    numbers = {label: number for number, label in enumerate(labels)}
    held_out = Development.of(
        untrained.encoder.encode(development),
        [frozenset(numbers[label] for label in instance.gold) for instance in development],
        positive=numbers[positive] if positive else None,
    )
    best, history = train(
        model,
        parameters,
        untrained.leaves,
        untrained.encoder.encode(examples),
        held_out,
        settings,
        progress=progress,
    )
    return Fitted(replace(untrained, parameters=best), history, len(training), development)


def _most_common(training: Sequence[Instance], labels: Sequence[str], model: ModelSettings) -> Fitted:
    """The baseline that always answers the label with the most training relations."""
    counts = Counter(label for instance in training for label in instance.gold)
    bias = np.array([counts[label] for label in labels], dtype=np.float32)
    no_vectors = WordVectors((), np.zeros((0, model.K), dtype=np.float32))
    return Fitted(
        RelationModel(model, tuple(labels), no_vectors, None, {"b": bias}), History(), len(training)
    )


def _check(training: Sequence[Instance], development: Sequence[Instance], labels: Sequence[str]) -> None:
    if not training:
        raise InputError(
            "There is no labelled relation to train on.", hint="See what was read with: disco2 corpus stats"
        )
    known = set(labels)
    for instance in (*training, *development):
        if not instance.gold or not known.issuperset(instance.gold):
            raise InputError(
                f"Relation {instance.relation.id} has labels that are not known: {instance.gold or 'none'}.",
                where=instance.relation.where,
                hint=f"Known labels: {', '.join(labels)}.",
            )


def _word_vectors(
    training: Sequence[Instance],
    model: ModelSettings,
    vectors: VectorSettings,
    settings: TrainingSettings,
    sentences: Iterable[list[str]],
) -> WordVectors:
    """Vectors for the words of the training relations and for the most frequent ones."""
    if not model.uses_vectors:
        return WordVectors((), np.zeros((0, model.K), dtype=np.float32))
    needed = {
        form
        for instance in training
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
