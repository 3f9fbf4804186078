"""The statistics of examples that decide how much work they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disco2.data.batch import Example


def describe(examples: Sequence[Example], *, batch: int = 64) -> dict[str, float]:
    """The figures of ``gum_statistics``, by their lower-case names; levels over consecutive batches."""
    words = np.array([[len(one.first.words), len(one.second.words)] for one in examples])
    trees = [tree for one in examples for tree in (one.first, one.second)]
    inner = int((words - 1).sum())
    inner_children = sum(
        int((side >= len(tree.words)).sum()) for tree in trees for side in (tree.left, tree.right)
    )
    down = [tree.downward for tree in trees if tree.downward is not None]
    links = [link for one in examples for link in one.links]
    batches = [examples[begin : begin + batch] for begin in range(0, len(examples) - batch + 1, batch)]
    return {
        "words": float(words.mean()),
        "words_deviation": float(words.std()),
        "words_correlation": float(np.corrcoef(words.T)[0, 1]) if words.std() else 1.0,
        "nodes": float((2 * words - 1).sum() / len(examples)),
        "inner": inner / len(examples),
        "inner_children": inner_children / (2 * inner) if inner else 0.0,
        "down": sum(len(paths.nodes) for paths in down) / len(examples),
        "links": len(links) / len(examples),
        "mentions": float(
            np.mean([len(side) for link in links for side in (link.first, link.second)] or [0])
        ),
        "pairs": sum(len(link.first) * len(link.second) for link in links) / len(examples),
        "fired": float(np.mean([len(one.features) for one in examples])),
        "distinct_words": float(np.mean([_distinct_words(some) / batch for some in batches] or [0])),
        "up_levels": float(np.mean([_up_levels(some) for some in batches] or [0])),
        "down_levels": float(np.mean([_down_levels(some) for some in batches] or [0])),
    }


def _distinct_words(examples: Sequence[Example]) -> int:
    return len(
        np.unique(np.concatenate([side.words for one in examples for side in (one.first, one.second)]))
    )


def _up_levels(examples: Sequence[Example]) -> int:
    return max(int(side.heights.max(initial=0)) for one in examples for side in (one.first, one.second))


def _down_levels(examples: Sequence[Example]) -> int:
    return max(
        int(side.downward.orders.max(initial=0)) // 2 if side.downward is not None else 0
        for one in examples
        for side in (one.first, one.second)
    )
