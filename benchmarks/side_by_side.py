"""What several systems took and reached on the same relations, as rows of one table."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import mean
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from disco2.evaluation import paired_bootstrap

Result = TypeVar("Result")


@dataclass
class Row:
    """One system. Accuracies and passes by seed; seconds by training, of which a seed may have several.

    ``right`` says for each seed which relations of the judged part have a right answer.
    """

    processor_seconds: list[float] = field(default_factory=list)
    wall_seconds: list[float] = field(default_factory=list)
    pairs_a_second: float = 0.0
    pairs_a_second_from_text: float = 0.0
    dev: list[float] = field(default_factory=list)
    test: list[float] = field(default_factory=list)
    passes: list[list[dict[str, Any]]] = field(default_factory=list)
    right: list[NDArray[np.bool_]] = field(default_factory=list)

    def timed_training(self, work: Callable[[], Result]) -> Result:
        """What the work gives; its seconds are noted."""
        result, processor, wall = timed(work)
        self.processor_seconds.append(processor)
        self.wall_seconds.append(wall)
        return result

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "right"}


def timed(work: Callable[[], Result]) -> tuple[Result, float, float]:
    """What the work gives, its processor time (of all threads) and its time on the wall."""
    wall, processor = time.perf_counter(), time.process_time()
    result = work()
    return result, time.process_time() - processor, time.perf_counter() - wall


def ratios(row: Row, other: Row) -> dict[str, float]:
    """How many times this row's training cost the other's is, and how many times its pairs a second this has.

    From raw text both start with two strings, so that is what the other does in any case.
    """
    return {
        "training": mean(other.processor_seconds) / mean(row.processor_seconds),
        "pairs_a_second": row.pairs_a_second / other.pairs_a_second,
        "pairs_a_second_from_text": row.pairs_a_second_from_text / other.pairs_a_second_from_text,
    }


def table(rows: Mapping[str, Row], *, other: str, judged: str) -> list[str]:
    """The figures of all rows; then, for all but the ``other``, ratios and differences to it."""
    heads = ("train s", "wall s", "pairs/s", "from text", "dev", "test")
    lines = [f"{'system':28}" + "".join(f"{head:>10}" for head in heads)]
    for name, row in rows.items():
        figures = (
            f"{mean(row.processor_seconds):.2f}",
            f"{mean(row.wall_seconds):.2f}",
            f"{row.pairs_a_second:.0f}",
            f"{row.pairs_a_second_from_text:.0f}",
            f"{100 * mean(row.dev):.1f}",
            f"{100 * mean(row.test):.1f}" if row.test else "-",
        )
        lines.append(f"{name:28}" + "".join(f"{figure:>10}" for figure in figures))
    for name, row in rows.items():
        if name == other:
            continue
        found = ratios(row, rows[other])
        lines += [
            "",
            f"{name}, beside {other}:",
            f"  training: 1/{found['training']:.0f} of the cost",
            f"  pairs a second: {found['pairs_a_second']:.3g} times as many, "
            f"{found['pairs_a_second_from_text']:.3g} times from raw text",
        ]
        for seed, (ours, theirs) in enumerate(zip(row.right, rows[other].right, strict=True), start=1):
            test = paired_bootstrap(ours, theirs, seed=1)
            low, high = (100 * end for end in test.interval)
            lines.append(
                f"  accuracy on {judged}, seed {seed}: {100 * test.difference:+.1f} points, "
                f"95% interval {low:+.1f} to {high:+.1f}"
            )
    return lines
