"""Several models with seeds of their own, scored together.

    psi(y) = 1/S sum over members s of psi_s(y)

The mean is the sum but for the factor 1/S: it ranks the labels as the sum does and has the scale of one
model's scores. Parameters are stacked: U is [S, K, 2K], beta [S, Y, F], and so on. What the members have in
common is done once: trees, features, word vectors, the order of rows. The terms with beta and b are linear
in them, so the mean of beta and that of b give them exactly; a level of all trees is a batched product.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disco2.data.batch import Batch, Ints, MentionGroups
from disco2.model.arrays import Floats
from disco2.model.bilinear import Bilinear
from disco2.model.composer import Composer
from disco2.model.links import link_weights
from disco2.model.network import dense_features, forward
from disco2.model.parameters import Parameters, argument_matrices, entity_matrices
from disco2.model.settings import ModelSettings
from disco2.model.shared_rows import SharedRows, shared_rows

ROWS_AT_A_TIME = 8192  # of as many members as that allows: a few megabytes, so that they stay in the cache


def stacked(members: Sequence[Parameters]) -> Parameters:
    """The parameters of single models, each as one array with a leading axis."""
    return {name: np.stack([member[name] for member in members]) for name in members[0]}


def members_of(settings: ModelSettings, parameters: Parameters) -> list[Parameters]:
    """The parameters of each single model."""
    if settings.members == 1:
        return [parameters]
    return [{name: value[s] for name, value in parameters.items()} for s in range(settings.members)]


def batch_scores(
    settings: ModelSettings,
    parameters: Parameters,
    vectors: Floats,
    batch: Batch,
    *,
    composer: Composer | None = None,
) -> Floats:
    """Scores of all labels, [n, Y], of one model or of several. ``vectors``: as for ``forward``.

    A ``composer`` is for one model alone.
    """
    if settings.members == 1:
        return forward(settings, parameters, vectors, batch, composer=composer).scores
    members = settings.members
    scores: Floats = np.tile(parameters["b"].mean(axis=0), (batch.size, 1))
    if settings.uses_features:
        beta = parameters["beta"].mean(axis=0)
        scores += dense_features(batch, beta) @ beta.T
    if settings.composes:
        rows = shared_rows(batch)
        at_a_time = max(1, ROWS_AT_A_TIME // (len(rows.words) + batch.inner_nodes + 1))
        for begin in range(0, members, at_a_time):
            some = {name: value[begin : begin + at_a_time] for name, value in parameters.items()}
            scores += _composed(settings, some, vectors, batch, rows) / members
    elif settings.kind == "additive":
        sums = np.add.reduceat(vectors[batch.words], batch.leaf_starts, axis=0)[None]
        scores += _sum_of_scores(argument_matrices(parameters), sums[:, 0::2], sums[:, 1::2]) / members
    return scores


def _composed(
    settings: ModelSettings, parameters: Parameters, vectors: Floats, batch: Batch, rows: SharedRows
) -> Floats:
    """The terms with A and B, summed over some members: [n, Y]."""
    inner = _upward(parameters["U"], vectors[rows.words], rows)

    def upward_rows(chosen: Ints) -> Floats:
        """[members, chosen, K]: the vectors of leaves, which are the same for all, and of inner nodes."""
        leaves = len(batch.words)
        if not inner.shape[1]:
            return np.broadcast_to(vectors[batch.words[chosen]], (len(inner), len(chosen), inner.shape[2]))
        found = inner.take(rows.places[np.maximum(chosen - leaves, 0)], axis=1)
        are_leaves = np.flatnonzero(chosen < leaves)
        found[:, are_leaves] = vectors[batch.words[chosen[are_leaves]]]
        return found

    scores = _sum_of_scores(
        argument_matrices(parameters), upward_rows(batch.first_roots), upward_rows(batch.second_roots)
    )
    if settings.kind == "entities" and len(batch.link_examples):
        down = _downward(
            parameters["V"], upward_rows(batch.down_roots), upward_rows(batch.down_siblings), batch
        )
        first, second = _sum_mentions(down, batch.first_mentions), _sum_mentions(down, batch.second_mentions)
        by_link = _sum_of_scores(entity_matrices(parameters), first, second)
        np.add.at(scores, batch.link_examples, link_weights(batch, settings.pairs, down.dtype) * by_link)
    return scores


def _upward(U: Floats, words: Floats, rows: SharedRows) -> Floats:
    """``compose_upward`` for some members: U [S, K, 2K], words [d, K] -> [S, inner, K], ordered as ``rows``.

    u_i = tanh(U_left u_left + U_right u_right), where each half product is made right after its vector.
    """
    members, K = U.shape[:2]
    left, right = _transposed(U[:, :, :K]), _transposed(U[:, :, K:])
    count, inner = len(words), len(rows.left)
    halves = np.empty((members, count + inner, K), dtype=U.dtype)
    up = np.empty((members, inner, K), dtype=U.dtype)
    np.matmul(words[: rows.left_words], left, out=halves[:, : rows.left_words])
    np.matmul(words[rows.left_words :], right, out=halves[:, rows.left_words : count])
    for begin, middle, roots, end in rows.levels:
        level = halves.take(rows.left[begin:end], axis=1)
        level += halves.take(rows.right[begin:end], axis=1)
        np.tanh(level, out=up[:, begin:end])
        np.matmul(up[:, begin:middle], left, out=halves[:, count + begin : count + middle])
        np.matmul(up[:, middle:roots], right, out=halves[:, count + middle : count + roots])
    return up


def _downward(V: Floats, roots: Floats, siblings: Floats, batch: Batch) -> Floats:
    """``compose_downward`` for some members: roots and siblings [S, ., K] -> [S, roots + down, K]."""
    members, count, K = roots.shape
    to_parents, to_siblings = _transposed(V[:, :, :K]), _transposed(V[:, :, K:])
    down = np.empty((members, count + len(batch.down_parents), K), dtype=V.dtype)
    down[:, :count] = roots
    given = siblings @ to_siblings
    for begin, _, end in batch.down_levels.tolist():
        level = down.take(batch.down_parents[begin:end], axis=1) @ to_parents
        level += given[:, begin:end]
        np.tanh(level, out=down[:, count + begin : count + end])
    return down


def _sum_mentions(down: Floats, mentions: MentionGroups) -> Floats:
    """[S, links, K]: the sum of each link's mention vectors on one side."""
    return np.add.reduceat(down.take(mentions.rows, axis=1), mentions.starts, axis=1)


def _sum_of_scores(matrices: Bilinear, p: Floats, q: Floats) -> Floats:
    """sum over s of p_s' A_sy q_s: matrices with a leading axis, p and q [S, n, K] or [1, n, K] -> [n, Y]."""
    members, labels, rank, K = matrices.first.shape
    left = p @ _transposed(matrices.first.reshape(members, labels * rank, K))
    right = q @ _transposed(matrices.second.reshape(members, labels * rank, K))
    scores: Floats = (left * right).sum(axis=0).reshape(p.shape[1], labels, rank).sum(axis=2)
    scores += ((p * q) @ _transposed(matrices.diagonal)).sum(axis=0)
    return scores


def _transposed(matrices: Floats) -> Floats:
    """[S, m, n] -> [S, n, m], laid out anew: products with few rows are faster so."""
    return np.ascontiguousarray(matrices.swapaxes(1, 2))
