"""Labelled instances -> a trained model: preparation, parameters of all members, temperature.

Preparation (some instances held out, classes balanced, features selected, everything encoded) is half of the
work of a training and does not depend on its rates, so several trainings may share it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.data import Instance
from disco2.data.batch import Example, Floats
from disco2.errors import InputError
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.model import AnyModel, ModelSettings, Parameters, RelationModel, initial_parameters
from disco2.model.parameters import MOST_MEMBERS, folded, stacked
from disco2.model.relation_model import BATCH_SIZE
from disco2.training.loop import (
    LOSSES,
    Development,
    Epoch,
    History,
    Progress,
    TrainingSettings,
    in_batches,
    train,
)
from disco2.vectors import VectorSettings, WordVectors, load_vectors

COLDEST, HOTTEST = 0.05, 20.0  # where a temperature is looked for
ENOUGH = 100  # relations; fewer may all be right, or wrong, by chance, so that a prior is used
_GOLDEN = (math.sqrt(5) - 1) / 2

Gold = Sequence[int] | NDArray[np.integer[Any]]


def fit_temperature(scores: Floats, gold: Gold) -> tuple[float, float]:
    """The temperature with the least mean -log p(gold), and that mean.

    For scores [n, Y] and the labels' numbers [n]. The mean is convex in 1 / T, so it has one valley in log T
    as well: golden-section search finds it. Fewer than ``ENOUGH`` relations are taken with a prior on log T
    around 0, the broader the more there are: a few right answers are no reason to be certain ever after.
    """
    prior = max(0.0, 1 - len(gold) / ENOUGH) / (2 * math.log(2) ** 2 * len(gold))
    margins = scores.astype(np.float64)
    margins -= margins[np.arange(len(gold)), np.asarray(gold)][:, None]

    def loss(log_temperature: float) -> float:
        hot = margins / math.exp(log_temperature)
        top = hot.max(axis=1, keepdims=True)
        mean = float((np.log(np.exp(hot - top).sum(axis=1)) + top[:, 0]).mean())
        return mean + prior * log_temperature**2

    low, high = math.log(COLDEST), math.log(HOTTEST)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = loss(left), loss(right)
    for _ in range(60):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = loss(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = loss(right)
    best = (low + high) / 2
    return math.exp(best), loss(best)


def hold_out(
    instances: Sequence[Instance], *, share: float, seed: int
) -> tuple[list[Instance], list[Instance]]:
    """The instances, and a random share of them for development, both in their old order.

    Every label keeps an instance: one that nothing is learned about could never be the answer.
    """
    count = max(1, round(share * len(instances)))
    left = Counter(label for instance in instances for label in instance.gold)
    held: set[int] = set()
    for place in np.random.default_rng(seed).permutation(len(instances)).tolist():
        labels = instances[place].gold
        if len(held) < count and all(left[label] > 1 for label in labels):
            held.add(place)
            left.subtract(labels)
    if not held:
        raise InputError(
            f"{len(instances)} labelled relations are too few to hold one out for development: "
            "each label has one alone.",
            hint="Give more relations, or a development part of your own.",
        )
    kept = [instance for place, instance in enumerate(instances) if place not in held]
    return kept, [instance for place, instance in enumerate(instances) if place in held]


def expand_two_senses(instances: Iterable[Instance]) -> list[Instance]:
    """Instances with one label each: a relation with two becomes two, as in the paper."""
    return [replace(instance, gold=(label,)) for instance in instances for label in instance.gold]


def balance(instances: Sequence[Instance], *, seed: int) -> list[Instance]:
    """All instances, and random repetitions of the smaller classes until all are as frequent as the largest.

    The class is the first gold label: expand relations with two senses first.
    """
    classes: dict[str, list[Instance]] = {}
    for instance in instances:
        if instance.gold:
            classes.setdefault(instance.gold[0], []).append(instance)
    size = max((len(members) for members in classes.values()), default=0)
    random = np.random.default_rng(seed)
    balanced = [instance for instance in instances if instance.gold]
    for _, members in sorted(classes.items()):
        balanced += [members[place] for place in random.integers(len(members), size=size - len(members))]
    return balanced


@dataclass(frozen=True)
class Prepared:
    """What a training starts from. Of the model's settings, kind, features and K were looked at."""

    untrained: RelationModel  # without parameters
    examples: Sequence[Example]
    held_out: Development
    development: Sequence[Instance]  # the same, before they were encoded
    training_relations: int


def prepare(
    training: Sequence[Instance],
    development: Sequence[Instance],
    *,
    labels: Sequence[str],
    model: ModelSettings,
    features: FeatureSettings,
    vectors: VectorSettings,
    seed: int,
    development_share: float,
    positive: str = "",
    balanced: bool = False,
    further: Sequence[Instance] = (),
    sentences: Iterable[list[str]] = (),
) -> Prepared:
    """Make everything ready.

    A relation with two gold labels becomes two training instances; in development either is right. Without a
    development part, a random share of the training relations is held out, as in the paper. For one class
    against the rest, ``positive`` names it: its F1 says when to stop. ``balanced`` repeats the smaller
    classes. ``further`` instances are trained on and nothing else: they select no features, are neither held
    out nor balanced, and don't count. ``sentences`` are what word2vec learns from. The ``seed`` only matters
    where relations are held out or repeated, and for word2vec.
    """
    check_instances(training, [*development, *further], labels)
    if not development:
        training, development = hold_out(training, share=development_share, seed=seed)
    # Features and vectors see every training relation once, and nothing of the development part.
    extractor = FeatureExtractor.fit(training, settings=features) if model.uses_features else None
    word_vectors = no_vectors(model.K)
    if model.uses_vectors:
        learnt_from = [*training, *further]
        word_vectors = word_vectors_for(learnt_from, vectors, model.K, seed=seed, sentences=sentences)
    untrained = RelationModel(model, tuple(labels), word_vectors, extractor, {})
    examples = expand_two_senses(training)
    if balanced:
        examples = balance(examples, seed=seed)
    examples += expand_two_senses(further)
    numbers = {label: number for number, label in enumerate(labels)}
    held_out = Development(
        in_batches(untrained.example_encoder.encode(development), BATCH_SIZE),
        [frozenset(numbers[label] for label in instance.gold) for instance in development],
        positive=numbers[positive] if positive else None,
    )
    encoded = untrained.example_encoder.encode(examples)
    return Prepared(untrained, encoded, held_out, development, len(training))


def no_vectors(K: int) -> WordVectors:
    return WordVectors((), np.zeros((0, K), dtype=np.float32))


def check_instances(
    training: Sequence[Instance], development: Sequence[Instance], labels: Sequence[str]
) -> None:
    """Raise InputError where there is nothing to train on, or a label that is not known."""
    if not training:
        raise InputError(
            "There is no labelled relation to train on.", hint="See what was read with: disco2 corpus stats"
        )
    for instance in (*training, *development):
        if not instance.gold or not set(labels).issuperset(instance.gold):
            raise InputError(
                f"Relation {instance.relation.id} has labels that are not known: {instance.gold or 'none'}.",
                where=instance.relation.where,
                hint=f"Known labels: {', '.join(labels)}.",
            )


def word_vectors_for(
    training: Sequence[Instance],
    vectors: VectorSettings,
    K: int,
    *,
    seed: int,
    sentences: Iterable[list[str]],
) -> WordVectors:
    """Vectors for the words of the training relations and for the most frequent ones.

    ``seed`` and ``sentences`` are for word2vec.
    """
    needed = {
        form
        for instance in training
        for argument in (instance.relation.arg1, instance.relation.arg2)
        for form in instance.document.words(argument.tokens)
    }
    return load_vectors(
        vectors.source, dimensions=K, words=needed, frequent=vectors.frequent, sentences=sentences, seed=seed
    )


def member_seeds(seed: int, members: int) -> list[int]:
    """A model alone has the seed itself; ensembles with different seeds share no seed of a member."""
    return [seed] if members == 1 else [seed * MOST_MEMBERS + member for member in range(members)]


@dataclass(frozen=True)
class Fitted:
    """A model and how it came about."""

    model: AnyModel
    # Of several members: all their passes, and as the best one the ensemble itself on the development part,
    # with the number of the latest pass that a member kept and the mean of the members' training losses.
    history: History
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
    untrained, leaves = prepared.untrained, prepared.untrained.leaves
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
        kept = [one.best for one in histories if one.best]
        latest = max((epoch.number for epoch in kept), default=0)
        best = Epoch(latest, sum(epoch.loss for epoch in kept) / max(len(kept), 1), loss, score)
        epochs = [epoch for one in histories for epoch in one.epochs]
        history = History(epochs, best, sum(one.seconds for one in histories))
    fitted = replace(untrained, settings=model, parameters=parameters)
    return Fitted(fitted, history, prepared.training_relations, prepared.development, tuple(histories))


def most_common(training: Sequence[Instance], labels: Sequence[str], model: ModelSettings) -> Fitted:
    """The baseline that always answers the label with the most training relations.

    Nothing about it is random, so several members would be one.
    """
    counts = Counter(label for instance in training for label in instance.gold)
    bias = np.array([counts[label] for label in labels], dtype=np.float32)
    untrained = RelationModel(
        replace(model, members=1), tuple(labels), no_vectors(model.K), None, {"b": bias}
    )
    return Fitted(untrained, History(), len(training))
