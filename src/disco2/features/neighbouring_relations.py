"""Which arguments of the relations before and after share words with which of this one.

``context`` tells how they are nested; this tells how they overlap. No sense of a neighbour is looked at.
"""

from __future__ import annotations

from disco2.records import Instance, Relation


def neighbouring_features(instance: Instance) -> set[str]:
    """One feature for the relation before and one for the relation after."""
    return {
        f"previous relation: {_overlap(instance.previous, instance.relation)}",
        f"following relation: {_overlap(instance.following, instance.relation)}",
    }


def _overlap(neighbour: Relation | None, relation: Relation) -> str:
    if neighbour is None:
        return "none"
    shared = [
        f"its {its} overlaps {ours}"
        for its, theirs in (("arg1", neighbour.arg1), ("arg2", neighbour.arg2))
        for ours, argument in (("arg1", relation.arg1), ("arg2", relation.arg2))
        if not set(theirs.tokens).isdisjoint(argument.tokens)
    ]
    return ", ".join(shared) or "no overlap"
