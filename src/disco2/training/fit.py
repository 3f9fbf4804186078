"""Labelled instances -> a trained model: everything prepared, then parameters learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from disco2.data import Instance
from disco2.features import FeatureSettings
from disco2.model import AnyModel, ModelSettings, RelationModel
from disco2.training.checkpoint import Checkpoint
from disco2.training.history import History, Progress
from disco2.training.members import history_of_ensemble, train_members
from disco2.training.preparation import Prepared, check_instances, prepare
from disco2.training.settings import TrainingSettings
from disco2.vectors import VectorSettings, WordVectors


@dataclass(frozen=True)
class Fitted:
    """A model and how it came about."""

    model: AnyModel
    history: History  # of several members: all their passes, and the whole as the best; see ``members``
    training_relations: int
    development: Sequence[Instance] = ()  # what said when to stop
    members: tuple[History, ...] = ()  # the history of each member
    offsets: Mapping[str, float] = field(default_factory=dict)  # added to the bias after training


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
    further: Sequence[Instance] = (),
    sentences: Iterable[list[str]] = (),
    progress: Progress = lambda epoch: None,
    checkpoint: Checkpoint | None = None,
) -> Fitted:
    """Train on relations, stopping by the development part.

    A relation with two gold labels becomes two training instances; in development either is right. Without a
    development part, a random share of the training relations is held out, as in the paper. Where one class
    is told from the rest, ``positive`` names it: its F1 says when to stop. ``balanced`` repeats the smaller
    classes. ``further`` instances are trained on too, and nothing else: they select no features, are neither
    held out nor balanced, and don't count. ``sentences`` are what word2vec learns from, where that is asked
    for. Several ``model.members`` differ in their seeds. ``checkpoint`` is a place for the state of the
    training: called again with the same data and settings, an interrupted training goes on. It stays there
    until the caller removes it.
    """
    if model.kind == "majority":
        check_instances(training, [*development, *further], labels)
        return most_common(training, labels, model)
    prepared = prepare(
        training,
        development,
        labels=labels,
        model=model,
        features=features,
        vectors=vectors,
        seed=settings.seed,
        development_share=settings.development_share,
        positive=positive,
        balanced=balanced,
        further=further,
        sentences=sentences,
    )
    return learn(prepared, model, settings, progress=progress, checkpoint=checkpoint)


def learn(
    prepared: Prepared,
    model: ModelSettings,
    settings: TrainingSettings,
    *,
    progress: Progress = lambda epoch: None,
    checkpoint: Checkpoint | None = None,
) -> Fitted:
    """Parameters for what is prepared. ``model`` has the kind, features and K it was prepared for."""
    untrained = replace(prepared.untrained, settings=model)
    extractor = untrained.extractor
    parameters, histories = train_members(
        model,
        prepared.untrained.leaves,
        prepared.examples,
        prepared.held_out,
        settings,
        labels=len(untrained.labels),
        features=extractor.width if extractor else 0,
        progress=progress,
        checkpoint=checkpoint,
    )
    history = histories[0]
    if model.all_members > 1:
        leaves, held_out = prepared.untrained.leaves, prepared.held_out
        history = history_of_ensemble(model, parameters, leaves, held_out, settings, histories)
    return Fitted(
        replace(untrained, parameters=parameters),
        history,
        prepared.training_relations,
        prepared.development,
        tuple(histories),
    )


def most_common(training: Sequence[Instance], labels: Sequence[str], model: ModelSettings) -> Fitted:
    """The baseline that always answers the label with the most training relations.

    Nothing about it is random, so several members would be one.
    """
    counts = Counter(label for instance in training for label in instance.gold)
    bias = np.array([counts[label] for label in labels], dtype=np.float32)
    no_vectors = WordVectors((), np.zeros((0, model.K), dtype=np.float32))
    one = replace(model, members=1)
    return Fitted(RelationModel(one, tuple(labels), no_vectors, None, {"b": bias}), History(), len(training))
