"""The families whose features are texts that say what holds for a relation: they need no other names.

Of some families the frequent features that tell most about the classes are kept; the others have few
features, and all frequent ones are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from disco2.features.attachment import attachment_features
from disco2.features.layout import layout_features
from disco2.features.neighbouring_relations import neighbouring_features
from disco2.features.openings import opening_features
from disco2.features.overlap import overlap_features
from disco2.features.predicates import predicate_features
from disco2.features.selection import Presence, select
from disco2.records import Instance

FeaturesOf = Callable[[Instance], set[str]]

# The name of each is that of its setting: how many to keep, or whether.
INFORMATIVE_FAMILIES: dict[str, FeaturesOf] = {
    "predicates": predicate_features,
    "attachment": attachment_features,
    "openings": opening_features,
}
FREQUENT_FAMILIES: dict[str, FeaturesOf] = {
    "neighbouring_relations": neighbouring_features,
    "layout": layout_features,
    "overlap": overlap_features,
}
COUNTED_FAMILIES = INFORMATIVE_FAMILIES | FREQUENT_FAMILIES


def informative_features(
    instances: Sequence[Instance],
    membership: NDArray[np.bool_],
    features_of: FeaturesOf,
    *,
    limit: int,
    minimum_count: int,
) -> tuple[str, ...]:
    """Of the features that are frequent enough, those that tell most about the classes, best first.

    ``membership``: [classes, relations].
    """
    if limit == 0:
        return ()
    numbers: dict[str, int] = {}
    candidates: list[int] = []
    lengths: list[int] = []
    for instance in instances:
        found = features_of(instance)
        candidates.extend([numbers.setdefault(feature, len(numbers)) for feature in found])
        lengths.append(len(found))
    texts = tuple(numbers)
    relations = np.repeat(np.arange(len(lengths)), lengths)
    presence = Presence(np.array(candidates, dtype=np.int64), relations, len(texts))
    chosen = select(
        presence,
        membership,
        limit=limit,
        minimum_count=minimum_count,
        name=lambda number: (texts[number],),
    )
    return tuple(texts[number] for number in chosen)


def frequent_features(
    instances: Sequence[Instance], features_of: FeaturesOf, *, wanted: bool, minimum_count: int
) -> tuple[str, ...]:
    """The features that are in at least so many of the relations, sorted."""
    if not wanted:
        return ()
    counts = Counter(feature for instance in instances for feature in features_of(instance))
    return tuple(sorted(feature for feature, count in counts.items() if count >= minimum_count))
