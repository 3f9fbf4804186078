"""Prepared examples -> a trained model: the parameters of all members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from disco2.data import Instance
from disco2.model import AnyModel, ModelSettings, Parameters, RelationModel, initial_parameters
from disco2.model.parameters import folded, stacked
from disco2.model.settings import MOST_MEMBERS
from disco2.training.loop import Epoch, History, Progress, train
from disco2.training.optimiser import LOSSES
from disco2.training.preparation import Prepared
from disco2.training.settings import TrainingSettings
from disco2.vectors import WordVectors


def member_seeds(seed: int, members: int) -> list[int]:
    """A model alone has the seed itself; ensembles with different seeds share no seed of a member."""
    return [seed] if members == 1 else [seed * MOST_MEMBERS + member for member in range(members)]


@dataclass(frozen=True)
class Fitted:
    """A model and how it came about."""

    model: AnyModel
    history: History  # of several members: all their passes, and the whole as the best; see ``members``
    training_relations: int
    development: Sequence[Instance] = ()  # what said when to stop
    members: tuple[History, ...] = ()  # the history of each member
    offsets: Mapping[str, float] = field(default_factory=dict)  # added to the bias after training


def learn(
    prepared: Prepared,
    model: ModelSettings,
    settings: TrainingSettings,
    *,
    progress: Progress = lambda epoch: None,
) -> Fitted:
    """Train all members on what is prepared. ``model`` has the kind, features and K it was prepared for.

    Surface members have a history too, but their parameters are folded into those of the others.
    """
    untrained = replace(prepared.untrained, settings=model)
    leaves = prepared.untrained.leaves
    width = untrained.extractor.width if untrained.extractor else 0
    alone = replace(model, members=1, surface_members=0)
    trained: list[Parameters] = []
    histories: list[History] = []
    for member, seed in enumerate(member_seeds(settings.seed, model.all_members)):
        one, how = alone, replace(settings, seed=seed)
        if member >= model.members:
            one, how = replace(alone, kind="surface"), replace(how, rate_features=settings.rate_surface)
        start = initial_parameters(one, labels=len(untrained.labels), features=width, seed=seed)
        parameters, history = train(
            one, start, leaves, prepared.examples, prepared.held_out, how, progress=progress
        )
        trained.append(parameters)
        histories.append(history)
    members, surface = trained[: model.members], trained[model.members :]
    if surface:
        members = folded(members, surface)
    parameters = members[0] if model.members == 1 else stacked(members)
    history = histories[0]
    if model.all_members > 1:
        score, loss = prepared.held_out.judge(model, parameters, leaves, LOSSES[settings.loss])
        history = _history_of_ensemble(histories, score=score, loss=loss)
    fitted = replace(untrained, parameters=parameters)
    counted = prepared.training_relations
    return Fitted(fitted, history, counted, prepared.development, tuple(histories))


def _history_of_ensemble(histories: Sequence[History], *, score: float, loss: float) -> History:
    """The passes of all members, and as the best one the ensemble itself on the development part.

    Its number is the latest pass that a member kept, its training loss the mean of the members'.
    """
    kept = [history.best for history in histories if history.best]
    latest = max((epoch.number for epoch in kept), default=0)
    best = Epoch(latest, sum(epoch.loss for epoch in kept) / max(len(kept), 1), loss, score)
    epochs = [epoch for history in histories for epoch in history.epochs]
    return History(epochs, best, sum(history.seconds for history in histories))


def most_common(training: Sequence[Instance], labels: Sequence[str], model: ModelSettings) -> Fitted:
    """The baseline that always answers the label with the most training relations.

    Nothing about it is random, so several members would be one.
    """
    counts = Counter(label for instance in training for label in instance.gold)
    bias = np.array([counts[label] for label in labels], dtype=np.float32)
    no_vectors = WordVectors((), np.zeros((0, model.K), dtype=np.float32))
    one = replace(model, members=1)
    return Fitted(RelationModel(one, tuple(labels), no_vectors, None, {"b": bias}), History(), len(training))
