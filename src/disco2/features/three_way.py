"""The three features of a rule: it is in the first argument, in the second, in both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from disco2.features.selection import Presence
from disco2.records import Argument, Document, Instance

SIDES = ("arg1", "arg2", "both")

SidedRule = tuple[str, str]  # one of SIDES, rule
RulesOf = Callable[[Document, Argument], set[str]]


def rules_by_side(instance: Instance, rules_of: RulesOf) -> tuple[set[str], set[str], set[str]]:
    """The rules in the first argument, in the second and in both, as in ``SIDES``."""
    first = rules_of(instance.document, instance.relation.arg1)
    second = rules_of(instance.document, instance.relation.arg2)
    return first, second, first & second


def rule_candidates(instances: Iterable[Instance], rules_of: RulesOf) -> tuple[Sequence[SidedRule], Presence]:
    """The three features of every rule of some relations, numbered, and the relations each is in."""
    numbers: dict[str, int] = {}
    found: list[int] = []  # three times a rule's number, plus that of the side
    lengths: list[int] = []
    for instance in instances:
        before = len(found)
        for side, rules in enumerate(rules_by_side(instance, rules_of)):
            found.extend([3 * numbers.setdefault(rule, len(numbers)) + side for rule in rules])
        lengths.append(len(found) - before)
    relations = np.repeat(np.arange(len(lengths)), lengths)
    sided = [(side, rule) for rule in numbers for side in SIDES]
    return sided, Presence(np.array(found, dtype=np.int64), relations, len(sided))


def columns_by_side(rules: Sequence[SidedRule], *, start: int) -> list[dict[str, int]]:
    """For each of ``SIDES`` the columns of its rules; the rules have the columns from ``start`` on."""
    columns: dict[str, dict[str, int]] = {side: {} for side in SIDES}
    for column, (side, rule) in enumerate(rules, start):
        columns.setdefault(side, {})[rule] = column  # a damaged model may name another side: it never fires
    return [columns[side] for side in SIDES]
