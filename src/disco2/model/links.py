"""The sum over aligned mention pairs, through sums of mention vectors.

All pairs of one chain share their matrix, so
``sum over (i, j) of d_i' B d_j = (sum over i of d_i)' B (sum over j of d_j)``:
a chain with 100 mentions on each side costs 200 additions, not 10,000 products.
"""

from __future__ import annotations

import numpy as np

from disco2.data.batch import Batch, MentionGroups
from disco2.model.arrays import Floats
from disco2.model.bilinear import Bilinear

LISTED = 10  # mentions on each side of a link, where it has more than LISTED x LISTED pairs


def sum_mentions(down: Floats, mentions: MentionGroups) -> Floats:
    """[links, K]: the sum of each link's mention vectors on one side."""
    return np.add.reduceat(down[mentions.rows], mentions.starts, axis=0)


def spread_to_mentions(d_sums: Floats, mentions: MentionGroups, d_down: Floats) -> None:
    """The way back: adds each link's gradient [links, K] to all its mentions' rows in ``d_down``."""
    d_down[mentions.distinct] += np.add.reduceat(d_sums[mentions.links_by_row], mentions.row_starts, axis=0)


def link_weights(batch: Batch, scaling: str, dtype: np.dtype[np.floating]) -> Floats:
    """[links, 1]: what a link's sum over pairs is multiplied by.

    "sum": 1, the paper's plain sum. "link-mean": one over the link's number of pairs. "mean": one over the
    number of pairs in the whole relation. "root": the root of that.
    """
    pairs = batch.pair_counts
    if scaling == "sum":
        weights = np.ones(len(pairs))
    elif scaling == "link-mean":
        weights = 1 / pairs
    else:
        in_relation = np.bincount(batch.link_examples, weights=pairs, minlength=batch.size)
        weights = 1 / in_relation[batch.link_examples]
        if scaling == "root":
            weights = np.sqrt(weights)
    return weights.astype(dtype)[:, None]


def link_terms(matrices: Bilinear, down: Floats, weights: Floats, batch: Batch) -> tuple[Floats, ...]:
    """For each link what its pairs add, [first mentions, second mentions, Y], weights included.

    Of a link with more than LISTED x LISTED pairs the first LISTED mentions on each side.
    """
    first, second = batch.first_mentions, batch.second_mentions
    most = np.where(batch.pair_counts > LISTED**2, LISTED, LISTED**2)
    return tuple(
        weight * matrices.all_pairs(down[rows[:listed]], down[others[:listed]])
        for rows, others, weight, listed in zip(
            np.split(first.rows, first.starts[1:]),
            np.split(second.rows, second.starts[1:]),
            weights,
            most,
            strict=True,
        )
    )
