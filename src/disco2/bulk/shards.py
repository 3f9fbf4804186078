"""Documents in the order of their paths -> shards that hardly move when a document comes or goes.

Whether a shard ends behind a document is decided by that document's path and size alone, so that a document
more or less changes the shard it is in and no other. Shards differ in size for that; very large ones are cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from disco2.bulk.finding import Found

SHORT = 1_000  # bytes of a document: a shard has about as many bytes as that many short ones
LARGEST = 4  # times the average; one in fifty would be larger
_BITS = 64

Shard = tuple[bytes, ...]  # neighbouring documents, by their paths below the root


def shards_of(found: Iterable[Found], *, documents: int, most_bytes: int) -> Iterator[Shard]:
    """Shards of so many documents on average, or fewer where they are long.

    Documents of more than ``most_bytes`` won't be read, and count as nothing.
    """
    names: list[bytes] = []
    total = 0
    for one in found:
        size = one.size if one.size <= most_bytes else 0
        names.append(one.name)
        total += size
        full = len(names) >= LARGEST * documents or total >= LARGEST * documents * SHORT
        if full or _ends_behind(one.name, size, documents):
            yield tuple(names)
            names, total = [], 0
    if names:
        yield tuple(names)


def _ends_behind(name: bytes, size: int, documents: int) -> bool:
    """True with a chance of one in ``documents``, and as much again for every ``SHORT`` bytes."""
    number = int.from_bytes(blake2b(name, digest_size=_BITS // 8).digest())
    return number * documents * SHORT < (SHORT + size) << _BITS
