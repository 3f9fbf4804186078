"""Labelled instances -> examples: some held out, classes balanced, features selected, everything encoded.

It is half of the work of a training and does not depend on its rates, so several trainings may share it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from disco2.data import Instance
from disco2.data.batch import Example
from disco2.errors import InputError
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.model import ModelSettings, RelationModel
from disco2.model.relation_model import BATCH_SIZE
from disco2.training.loop import Development, in_batches
from disco2.vectors import VectorSettings, WordVectors, load_vectors


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
    for label in sorted(classes):
        members = classes[label]
        balanced.extend(members[place] for place in random.integers(len(members), size=size - len(members)))
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
    if model.uses_vectors:
        word_vectors = word_vectors_for(
            [*training, *further], vectors, model.K, seed=seed, sentences=sentences
        )
    else:
        word_vectors = WordVectors((), np.zeros((0, model.K), dtype=np.float32))
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


def check_instances(
    training: Sequence[Instance], development: Sequence[Instance], labels: Sequence[str]
) -> None:
    """Raise InputError where there is nothing to train on, or a label that is not known."""
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
        vectors.source,
        dimensions=K,
        words=needed,
        frequent=vectors.frequent,
        sentences=sentences,
        seed=seed,
    )
