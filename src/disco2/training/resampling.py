"""From relations to training instances: one label each, classes balanced, some held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from disco2.data import Instance
from disco2.errors import InputError


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
