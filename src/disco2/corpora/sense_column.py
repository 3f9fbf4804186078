"""What a corpus writes where the sense should stand -> canonical senses, with a finding for each oddity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from disco2.records import Dirt, RelationKind
from disco2.records.senses import SenseInventory, inventory

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
    for label in labels:
        if not label.strip() or (not known.is_free and kind_in_place_of_sense(label)):
            continue
        resolved = known.resolve(label)
        if resolved is None:
            dirt.add("unknown sense", where=where, detail=f"'{label}' is no sense of {known.name}; left out.")
            continue
        if resolved.repaired:
            dirt.add("misspelt sense", where=where, detail=f"'{label}' was taken for '{resolved.sense}'.")
        senses.append(resolved.sense)
    return tuple(dict.fromkeys(senses))


def fitting_inventory(labels: Iterable[str], *, names: Sequence[str]) -> SenseInventory:
    """Of the named inventories the one that knows the most labels, if it knows more than half of them.

    Of equals the first; kinds in the place of a sense don't count. Otherwise any label is taken as it is.
    """
    counts = Counter(label for label in labels if label.strip() and not kind_in_place_of_sense(label))
    known: Counter[str] = Counter()
    for name in names:
        for label, count in counts.items():
            resolved = inventory(name).resolve(label)
            if resolved is not None and not resolved.repaired:
                known[name] += count
    best = max(names, key=lambda name: known[name])
    return inventory(best if 2 * known[best] > counts.total() or not counts else "free")


def read_kind(label: str) -> RelationKind | None:
    """The kind of relation of that name, in any case; None where there is none."""
    return _KINDS.get(label.strip().lower())
