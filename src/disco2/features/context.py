"""How the neighbouring relations of the document touch this one."""

from __future__ import annotations

from disco2.records import Argument, Instance, Relation

CONTEXT_NAMES = (
    "previous embedded in arg1",
    "following embedded in arg2",
    "embedded in previous arg2",
    "embedded in following arg1",
    "previous arg2 equals arg1",
    "arg2 equals following arg1",
)


def context(instance: Instance) -> list[int]:
    """The places in ``CONTEXT_NAMES`` of what holds for this relation, ascending.

    A relation is embedded in an argument when every token of its two arguments is one of the argument's;
    arguments are equal when they have the same tokens.
    """
    this, previous, following = instance.relation, instance.previous, instance.following
    holds = (
        previous is not None and _embedded(previous, this.arg1),
        following is not None and _embedded(following, this.arg2),
        previous is not None and _embedded(this, previous.arg2),
        following is not None and _embedded(this, following.arg1),
        previous is not None and previous.arg2.tokens == this.arg1.tokens,
        following is not None and this.arg2.tokens == following.arg1.tokens,
    )
    return [place for place, held in enumerate(holds) if held]


def _embedded(relation: Relation, argument: Argument) -> bool:
    outer = set(argument.tokens)
    return outer.issuperset(relation.arg1.tokens) and outer.issuperset(relation.arg2.tokens)
