"""The kind and the senses of a Penn Discourse Treebank relation, or why it can't be used."""

from __future__ import annotations

from collections.abc import Sequence

from disco2.corpora.sense_column import kind_in_place_of_sense, read_kind, read_senses
from disco2.records import Dirt, RelationKind
from disco2.records.senses import SenseInventory


def kind_and_senses(
    kind: str, labels: Sequence[str], known: SenseInventory, *, where: str, dirt: Dirt
) -> tuple[RelationKind, tuple[str, ...]] | None:
    """The kind and the canonical senses; None, with a finding, where the kind is unknown or needs a sense."""
    found = read_kind(kind)
    if found is None:
        dirt.add("unknown kind of relation", where=where, detail=f"'{kind}'; the relation was skipped.")
        return None
    if kind_in_place_of_sense(found) is not None:
        return found, ()
    senses = read_senses(labels, known, where=where, dirt=dirt)
    if not senses:
        dirt.add(
            "relation without a sense",
            where=where,
            detail=f"{found} relations need one; the relation was skipped.",
        )
        return None
    return found, senses
