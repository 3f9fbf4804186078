"""The three features of a rule: it is in the first argument, in the second, in both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from disco2.features.selection import Presence
from disco2.records import Argument, Document, Instance

SIDES = ("arg1", "arg2", "both")

SidedRule = tuple[str, str]  # one of SIDES, rule
RulesOf = Callable[[Document, Argument], set[str]]


def sided(instance: Instance, rules_of: RulesOf) -> list[SidedRule]:
    """All features of the rules in a relation's arguments. A rule in both arguments has all three."""
    first = rules_of(instance.document, instance.relation.arg1)
    second = rules_of(instance.document, instance.relation.arg2)
    found = zip(SIDES, (first, second, first & second), strict=True)
    return [(side, rule) for side, rules in found for rule in rules]


def rule_candidates(instances: Iterable[Instance], rules_of: RulesOf) -> tuple[Sequence[SidedRule], Presence]:
    """Every sided rule of some relations, numbered, and the relations each is in."""
    numbers: dict[SidedRule, int] = {}
    candidates: list[int] = []
    lengths: list[int] = []
    for instance in instances:
        found = sided(instance, rules_of)
        candidates.extend([numbers.setdefault(feature, len(numbers)) for feature in found])
        lengths.append(len(found))
    relations = np.repeat(np.arange(len(lengths)), lengths)
    return tuple(numbers), Presence(np.array(candidates, dtype=np.int64), relations, len(numbers))
