"""Kinds and senses as corpora write them -> canonical ones, with a finding for each oddity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from disco2.data import WITHOUT_SENSE, Dirt, RelationKind
from disco2.data.senses import SenseInventory, inventory

LONGEST_LABEL = 1_000  # characters; nothing that is longer is meant for a sense of an inventory
MOST_SENSES = 20  # of one relation; annotators give it four at most
MOST_LABELS = 1_000  # that are looked at to tell which inventory fits; a corpus has some dozens

_KINDS = {kind.lower(): kind for kind in RelationKind}
_WITHOUT_SENSE = {
    kind.lower(): kind for kind in (RelationKind.ENTREL, RelationKind.NOREL, RelationKind.HYPOPHORA)
}


def kind_in_place_of_sense(label: str) -> RelationKind | None:
    """EntRel, NoRel and Hypophora have no sense; many corpora repeat the kind in the column of the sense."""
    return _WITHOUT_SENSE.get(label.strip().lower())


def read_senses(labels: Iterable[str], known: SenseInventory, *, where: str, dirt: Dirt) -> tuple[str, ...]:
    """The canonical senses, each once. Kinds are passed over; misspelt and unknown labels are findings."""
    senses: list[str] = []
    labels = list(labels)
    if len(labels) > MOST_SENSES and not known.is_free:
        detail = f"{len(labels)} senses; those behind the first {MOST_SENSES} were left out."
        dirt.add("too many senses", where=where, detail=detail)
        labels = labels[:MOST_SENSES]
    for label in labels:
        if not label.strip() or (not known.is_free and kind_in_place_of_sense(label)):
            continue
        if len(label) > LONGEST_LABEL and not known.is_free:
            dirt.add(
                "unknown sense",
                where=where,
                detail=f"'{label[:40]}...' is no sense of {known.name}; left out.",
            )
            continue
        resolved = known.resolve(label)
        if resolved is None:
            dirt.add("unknown sense", where=where, detail=f"'{label}' is no sense of {known.name}; left out.")
            continue
        if resolved.repaired:
            dirt.add("misspelt sense", where=where, detail=f"'{label}' was taken for '{resolved.sense}'.")
        senses.append(resolved.sense)
    return tuple(dict.fromkeys(senses))


def senses_of_kind(kind: RelationKind, senses: tuple[str, ...], *, where: str, dirt: Dirt) -> tuple[str, ...]:
    """The senses; none, with a finding, where the kind is one that has no sense."""
    if not senses or kind not in WITHOUT_SENSE:
        return senses
    dirt.add("sense of a kind without", where=where, detail=f"{kind} has no sense; {senses[0]} was left out.")
    return ()


def fitting_inventory(labels: Iterable[str], *, names: Sequence[str]) -> SenseInventory:
    """Of the named inventories the one that knows the most labels, if it knows more than half of them.

    Of equals the first; kinds in the place of a sense don't count. Otherwise any label is taken as it is.
    """
    counts = Counter(label for label in labels if label.strip() and not kind_in_place_of_sense(label))
    frequent = counts.most_common(MOST_LABELS)
    known: Counter[str] = Counter()
    for name in names:
        for label, count in frequent:
            resolved = inventory(name).resolve(label)
            if resolved is not None and not resolved.repaired:
                known[name] += count
    best = max(names, key=lambda name: known[name])
    return inventory(best if 2 * known[best] > sum(count for _, count in frequent) or not counts else "free")


def read_kind(label: str) -> RelationKind | None:
    """The kind of relation of that name, in any case; None where there is none."""
    return _KINDS.get(label.strip().lower())


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
