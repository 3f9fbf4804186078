"""The families whose features are kept for being frequent, however little they tell about the classes.

A feature of these families is a text that says what holds for a relation, so it needs no other name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from disco2.features.attachment import attachment_features
from disco2.features.neighbouring_relations import neighbouring_features
from disco2.features.openings import opening_features
from disco2.features.predicates import predicate_features
from disco2.records import Instance

FeaturesOf = Callable[[Instance], set[str]]

# The name of each is that of its switch in the settings.
COUNTED_FAMILIES: dict[str, FeaturesOf] = {
    "predicates": predicate_features,
    "attachment": attachment_features,
    "openings": opening_features,
    "neighbouring_relations": neighbouring_features,
}


def frequent_features(
    instances: Sequence[Instance], features_of: FeaturesOf, *, minimum_count: int
) -> tuple[str, ...]:
    """The features that are in at least so many of the relations, sorted."""
    counts = Counter(feature for instance in instances for feature in features_of(instance))
    return tuple(sorted(feature for feature, count in counts.items() if count >= minimum_count))
