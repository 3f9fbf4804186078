"""Which of the mined pairs are kept: no duplicates, and about as many of each sense.

Within a sense every connective gets a share in proportion to the square root of its number, so that "but"
does not crowd out "yet". Which of its pairs are kept follows from their hashes: the order does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

Record = Mapping[str, Any]
Kind = tuple[str, str]  # sense, connective


def pair_hash(record: Record) -> int:
    """A hash of the two arguments; case and spaces don't count."""
    text = "\n".join(" ".join(str(record[name]).lower().split()) for name in ("arg1", "arg2"))
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())


def select(records: Callable[[], Iterable[Record]], *, per_sense: int = 0) -> Iterator[Record]:
    """The records without duplicates, at most ``per_sense`` of each sense (0: all).

    ``records`` gives them in the same order each time it is called; they are read twice. Of a pair that
    occurs with two senses the first one counts. What is held in memory is a number for each pair.
    """
    limits: dict[Kind, int] = {}
    if per_sense:
        hashes: dict[Kind, list[int]] = defaultdict(list)
        for kind, number, _ in _unique(records()):
            hashes[kind].append(number)
        for kind, quota in quotas({kind: len(found) for kind, found in hashes.items()}, per_sense).items():
            limits[kind] = sorted(hashes[kind])[quota - 1] if quota else -1
    for kind, number, record in _unique(records()):
        if not per_sense or number <= limits[kind]:
            yield record


def quotas(counts: Mapping[Kind, int], per_sense: int) -> dict[Kind, int]:
    """How many of each connective: shares by square roots, none above what there is; at least one each."""
    found: dict[Kind, int] = {}
    of_sense: dict[str, list[Kind]] = defaultdict(list)
    for kind in counts:
        of_sense[kind[0]].append(kind)
    for kinds in of_sense.values():
        left = per_sense
        # The rarest first: what they can't fill goes to the others.
        rarest_first = sorted(kinds, key=lambda kind: (counts[kind], kind))
        for place, kind in enumerate(rarest_first):
            share = counts[kind] ** 0.5 / sum(counts[other] ** 0.5 for other in rarest_first[place:])
            found[kind] = min(counts[kind], left, max(1, round(left * share)))
            left -= found[kind]
    return found


def _unique(records: Iterable[Record]) -> Iterator[tuple[Kind, int, Record]]:
    seen: set[int] = set()
    for record in records:
        number = pair_hash(record)
        if number not in seen:
            seen.add(number)
            yield (str(record["label"]), str(record["connective"])), number, record
