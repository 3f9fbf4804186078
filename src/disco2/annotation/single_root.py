"""One root for the dependencies of a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from disco2.records import Dependencies

ROOT = "root"  # as Universal Dependencies name it
SECOND_ROOT = "parataxis"


def single_rooted(heads: Sequence[int], labels: Sequence[str]) -> Dependencies:
    """The dependencies with one root: of several words without a head (-1), all others hang on the first."""
    if heads.count(-1) < 2:
        return Dependencies(tuple(heads), tuple(labels))
    root = heads.index(-1)
    further = [head < 0 and place != root for place, head in enumerate(heads)]
    return Dependencies(
        tuple([root if hangs else head for hangs, head in zip(further, heads, strict=True)]),
        tuple([SECOND_ROOT if hangs else label for hangs, label in zip(further, labels, strict=True)]),
    )
