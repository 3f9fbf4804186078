"""The processes that live, as Linux lists them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class Living(NamedTuple):
    process: int
    parent: int
    group: int


def living() -> Iterator[Living]:
    """All that run or wait; those that have ended and whose parent has not noticed yet are none."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent, group, *_ = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
            if state not in "ZX":
                yield Living(int(stat.parent.name), int(parent), int(group))


def children(parent: int) -> list[int]:
    return [one.process for one in living() if one.parent == parent]


def of_group(group: int) -> list[int]:
    return [one.process for one in living() if one.group == group]


def any_lives(processes: list[int]) -> bool:
    return any(one.process in processes for one in living())
