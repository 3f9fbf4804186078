"""A log-linear model over possible antecedents, after Durrett & Klein (2013), "Easy Victories".

    P(a | i) is proportional to exp(s(i, a)) over {new} and the earlier candidates a, with
    s(i, new) = sum_f N_f[f(i), group(i)]
    s(i, a)   = sum_f A_f[f(a), group(i)] + sum_g W_g[g(i, a), kind(i), kind(a)]

where f are features of one mention and g features of a pair. All features are small numbers, so that the
tables N, A and W are plain arrays and a score is a sum of look-ups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.english.coreference.attributes import Integers, Mentions
from disco2.annotation.english.coreference.kinds import GROUP_OF_KIND, GROUPS, KINDS

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Tables:
    """The weights. Rows of all features stand below each other; ``offsets`` say where each begins."""

    new: Floats  # N: (values of all mention features, GROUPS)
    antecedent: Floats  # A: (values of all mention features, GROUPS)
    pair: Floats  # W: (values of all pair features, KINDS * KINDS)


def offsets(sizes: Mapping[str, int]) -> Integers:
    """Where the rows of each feature begin."""
    return np.cumsum([0, *sizes.values()], dtype=np.int32)[:-1]


def new_scores(tables: Tables, rows: Integers, mentions: Mentions) -> Floats:
    """s(i, new) for all mentions; ``rows`` (mentions, features) are rows of the tables."""
    group = GROUP_OF_KIND[mentions.kind]
    found: Floats = tables.new[rows, group[:, None]].sum(axis=1)
    return found


def antecedent_scores(tables: Tables, rows: Integers) -> Floats:
    """(mentions, GROUPS): what each mention's own features say for it as an antecedent, by the group of i."""
    total = np.zeros((len(rows), GROUPS), dtype=np.float32)
    for column in rows.T:
        total += tables.antecedent[column]
    return total


def kind_pairs(mentions: Mentions, first: int, antecedents: Integers) -> Integers:
    """The column of W for each pair."""
    last = first + len(antecedents)
    return mentions.kind[first:last, None] * KINDS + mentions.kind[antecedents]


def pair_scores(
    tables: Tables,
    mentions: Mentions,
    first: int,
    antecedents: Integers,
    features: NDArray[np.uint8],
    starts: Integers,
    own: Floats,
) -> Floats:
    """s(i, a) for the mentions from ``first`` on; minus infinity where there is no antecedent.

    ``features`` as ``pair_features`` gives them, ``starts`` the offsets of the pair features, ``own`` the
    result of ``antecedent_scores``.
    """
    group = GROUP_OF_KIND[mentions.kind[first : first + len(antecedents)]]
    total: Floats = own[antecedents, group[:, None]]
    flat = tables.pair.reshape(-1)
    column = kind_pairs(mentions, first, antecedents)
    for index, start in enumerate(starts.tolist()):
        total += flat[(features[:, :, index].astype(np.int32) + start) * (KINDS * KINDS) + column]
    total[antecedents < 0] = -np.inf
    return total
