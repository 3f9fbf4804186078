"""Mutual-information selection on as many relations as PDTB has, beside one sort of their word pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks import pdtb_sized
from benchmarks.speed.memory import resident_bytes
from benchmarks.speed.rows import Row, row
from benchmarks.speed.run import Run
from benchmarks.speed.timing import in_turns
from disco2.data import Instance
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.features.pairs_and_rules import pair_candidates

RELATIONS = 17_000
ALONE = f"""
from benchmarks.pdtb_sized import generate
from disco2.features import FeatureExtractor
FeatureExtractor.fit(generate({RELATIONS}))
"""


def measure_selection(run: Run) -> list[Row]:
    """Relations a second for all of ``FeatureExtractor.fit``; the peak is that of a whole process.

    To count pairs they must be brought together: the reference sorts the pairs of words (of any frequency)
    that the relations have, each already a number, and does nothing else.
    """
    instances = pdtb_sized.generate(RELATIONS)
    pairs = word_pairs(instances)
    seconds = in_turns(
        {
            "product": lambda: FeatureExtractor.fit(instances),
            "one sort of the word pairs": lambda: np.sort(pairs),
        },
        repeats=run.slow_repeats,
    )
    least = FeatureSettings().minimum_count
    facts = {
        "relations": RELATIONS,
        "word_pairs": len(pairs),
        "candidates": len(pair_candidates(instances, minimum_count=least)[0]),
        "seconds": seconds["product"],
    }
    return [
        row(
            f"feature selection, {facts['candidates']:,} word-pair candidates",
            "relations",
            count=RELATIONS,
            seconds=seconds,
            peak=resident_bytes(ALONE),
            facts=facts,
        )
    ]


def word_pairs(instances: Sequence[Instance]) -> NDArray[np.int64]:
    """Every pair of different words of every relation as one number, words numbered as they come."""
    numbers: dict[str, int] = {}
    found = []
    for instance in instances:
        first, second = (
            np.array(
                [
                    numbers.setdefault(word, len(numbers))
                    for word in sorted(set(instance.document.words(argument.tokens)))
                ]
            )
            for argument in (instance.relation.arg1, instance.relation.arg2)
        )
        found.append(np.add.outer(first << 32, second).ravel())
    return np.concatenate(found)
