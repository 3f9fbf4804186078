"""The paper's network in NumPy: composition up and down the trees, bilinear scores, the decision function.

Composition works level by level, with hand-derived gradients.

Shapes: K dimensions; a batch has ``leaves`` + ``inner`` upward rows and ``roots`` + ``down`` downward rows,
in the order that ``data.batch`` describes.

The decision function of the paper (eq. 5):

    psi(y) = u_m' A_y u_n  +  sum over aligned (i, j) of d_i' B_y d_j  +  beta_y . phi  +  b_y

The baselines are the same function with terms left out: majority keeps b alone, surface beta and b, additive
puts sums of word vectors for u, and upward drops the sum over aligned mentions.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
from numpy.typing import DTypeLike

from disco2.data.batch import Batch, Floats, MentionGroups
from disco2.model.parameters import ModelSettings, Parameters, members_of


def compose_upward(batch: Batch, leaves: Floats, U: Floats) -> Floats:
    """u_i = tanh(U [u_left; u_right]) for every inner node (paper, eq. 1). U: [K, 2K].

    ``leaves``: [leaves, K]. Returns the upward vectors of all nodes, [leaves + inner, K].
    """
    count, K = leaves.shape
    up = np.empty((count + batch.inner_nodes, K), dtype=leaves.dtype)
    up[:count] = leaves
    for begin, end in pairwise(batch.levels.tolist()):
        children = np.concatenate([up[batch.left[begin:end]], up[batch.right[begin:end]]], axis=1)
        level = up[count + begin : count + end]
        np.tanh(np.matmul(children, U.T, out=level), out=level)
    return up


def upward_gradient(batch: Batch, up: Floats, d_up: Floats, U: Floats, *, leaves: bool = False) -> Floats:
    """dL/dU, [K, 2K], given dL/du at every node from outside the upward pass.

    ``d_up`` [leaves + inner, K] is overwritten: gradients that flow from parents to inner children are added
    to it, and to those of leaves only with ``leaves``.
    """
    count, K = len(up) - batch.inner_nodes, up.shape[1]
    for end, begin in pairwise(reversed(batch.levels.tolist())):
        rows = slice(count + begin, count + end)
        delta = d_up[rows]
        delta *= 1 - np.square(up[rows])
        for children, half in ((batch.left, U[:, :K]), (batch.right, U[:, K:])):
            nodes = children[begin:end]
            inner = np.arange(len(nodes)) if leaves else np.flatnonzero(nodes >= count)
            if len(inner):  # a child has one parent, so no row is hit twice
                d_up[nodes[inner]] += delta[inner] @ half
    delta = d_up[count:]
    return np.concatenate([delta.T @ up[batch.left], delta.T @ up[batch.right]], axis=1)


def compose_downward(batch: Batch, up: Floats, V: Floats) -> Floats:
    """d_root = u_root; d_i = tanh(V [d_parent; u_sibling]) on the way to mentions (eq. 2). V: [K, 2K].

    Returns [roots + down, K].
    """
    roots, K = len(batch.down_roots), up.shape[1]
    down = np.empty((roots + len(batch.down_parents), K), dtype=up.dtype)
    down[:roots] = up[batch.down_roots]
    # Siblings do not depend on the pass: their half is one product for all levels.
    siblings = up[batch.down_siblings] @ V[:, K:].T
    VT = V[:, :K].T
    for begin, _, end in batch.down_levels.tolist():
        level = down[roots + begin : roots + end]
        np.matmul(down[batch.down_parents[begin:end]], VT, out=level)
        level += siblings[begin:end]
        np.tanh(level, out=level)
    return down


def downward_gradient(
    batch: Batch, up: Floats, down: Floats, d_down: Floats, V: Floats, d_up: Floats
) -> Floats:
    """dL/dV, [K, 2K], given dL/dd at the mentions; adds what flows to siblings and roots to ``d_up``.

    ``d_down`` [roots + down, K] is overwritten. A node is the sibling of one node only: no row is hit twice.
    """
    roots, K = len(batch.down_roots), up.shape[1]
    to_parent = V[:, :K]
    for begin, middle, end in reversed(batch.down_levels.tolist()):
        rows = slice(roots + begin, roots + end)
        delta = d_down[rows]
        delta *= 1 - np.square(down[rows])
        flow = delta @ to_parent
        # Within one half of a level every parent occurs once, so plain indexed addition is safe.
        d_down[batch.down_parents[begin:middle]] += flow[: middle - begin]
        d_down[batch.down_parents[middle:end]] += flow[middle - begin :]
    delta = d_down[roots:]
    d_up[batch.down_siblings] += delta @ V[:, K:]
    d_up[batch.down_roots] += d_down[:roots]
    return np.concatenate([delta.T @ down[batch.down_parents], delta.T @ up[batch.down_siblings]], axis=1)


Pair = tuple[Floats, Floats]  # something of the first argument, and the same of the second


@dataclass(frozen=True, slots=True)
class Composed:
    """The vectors of a batch, and their gradients."""

    arguments: Pair  # u_m and u_n, [n, K] each
    entities: Pair  # sums of each link's mention vectors d, [links, K] each; empty without a V
    down: Floats  # the downward vectors, [roots + down, K]; empty without a V
    # dL/dU, dL/dV (empty without a V), and where asked for dL/du of the leaves, given the gradients of the
    # arguments and of the sums. Call it once.
    gradients: Callable[[Pair | None, Pair | None], tuple[Floats, Floats, Floats]]


# (batch, vectors [vocabulary, K], U, V or None) -> Composed; an earlier result may be invalid after a call.
Composer = Callable[[Batch, Floats, Floats, Floats | None], Composed]


def compose(
    batch: Batch, vectors: Floats, U: Floats, V: Floats | None, *, trains_leaves: bool = False
) -> Composed:
    """Up all trees and, with a V and a link, down to the mentions: one matrix product a level.

    The twin of ``compiled.CompiledComposer``, in any precision, and what that one is tested by.
    """
    up = compose_upward(batch, vectors[batch.words], U)
    down, entities = up[:0], (up[:0], up[:0])
    if V is not None and len(batch.link_examples):
        down = compose_downward(batch, up, V)
        entities = sum_mentions(down, batch.first_mentions), sum_mentions(down, batch.second_mentions)

    def gradients(d_arguments: Pair | None, d_entities: Pair | None) -> tuple[Floats, Floats, Floats]:
        d_up = np.zeros_like(up)
        if d_arguments is not None:
            d_up[batch.first_roots], d_up[batch.second_roots] = d_arguments
        dV = up[:0] if V is None else np.zeros_like(V)
        if V is not None and len(down) and d_entities is not None:
            d_down = np.zeros_like(down)
            spread_to_mentions(d_entities[0], batch.first_mentions, d_down)
            spread_to_mentions(d_entities[1], batch.second_mentions, d_down)
            dV = downward_gradient(batch, up, down, d_down, V, d_up)
        dU = upward_gradient(batch, up, d_up, U, leaves=trains_leaves)
        return dU, dV, d_up[: len(batch.words) if trains_leaves else 0]

    return Composed((up[batch.first_roots], up[batch.second_roots]), entities, down, gradients)


# Compiled code is used where numba and SciPy are installed (extra ``fast``), unless DISCO2_COMPILED=0 is set.

log = logging.getLogger(__name__)


@cache
def is_installed() -> bool:
    """Whether compiled code works. The first call loads it, since installed packages may not fit together."""
    try:
        if all(map(find_spec, ("numba", "scipy"))):
            import disco2.model.compiled  # noqa: F401

            return True
    except Exception as error:  # a numba that does not support this NumPy may raise anything
        log.warning("Compiled code can't be used, NumPy does the same more slowly: %s", error)
    return False


def is_compiled(*dtypes: DTypeLike) -> bool:
    """Whether compiled code is used for arrays of these kinds: all have to be singles."""
    if os.environ.get("DISCO2_COMPILED", "").lower() in ("0", "false", "no", "off"):
        return False
    return all(np.dtype(dtype) == np.float32 for dtype in dtypes) and is_installed()


def fastest_composer(*dtypes: DTypeLike) -> Composer:
    """A composer for vectors and parameters of these kinds, with its own buffers: use it from one thread."""
    if not is_compiled(*dtypes):
        return compose
    from disco2.model.compiled import CompiledComposer

    return CompiledComposer()


@dataclass(frozen=True, slots=True)
class Bilinear:
    """The matrices of all Y labels: ``first`` and ``second`` are [Y, R, K], ``diagonal`` is [Y, K]."""

    first: Floats
    second: Floats
    diagonal: Floats

    def scores(self, p: Floats, q: Floats) -> Floats:
        """p' A_y q for each row and label: [n, K], [n, K] -> [n, Y]."""
        left, right = self._projections(p, q)
        scores: Floats = (left * right).sum(axis=2) + (p * q) @ self.diagonal.T
        return scores

    def all_pairs(self, p: Floats, q: Floats) -> Floats:
        """p_i' A_y q_j for all rows i and j: [m, K], [n, K] -> [m, n, Y]."""
        left, right = self._projections(p, q)
        by_label = (p[None] * self.diagonal[:, None]) @ q.T  # [Y, m, n]
        by_label += left.transpose(1, 0, 2) @ right.transpose(1, 2, 0)
        return np.moveaxis(by_label, 0, 2)

    def gradients(self, p: Floats, q: Floats, d_scores: Floats) -> tuple[Bilinear, Floats, Floats]:
        """Gradients of the matrices (in this object's shape) and of p and q, given those of the scores."""
        shape = labels, rank, K = self.first.shape
        left, right = self._projections(p, q)
        spread = d_scores[:, :, None]
        d_left = (spread * right).reshape(len(p), labels * rank)
        d_right = (spread * left).reshape(len(p), labels * rank)
        d_product = d_scores @ self.diagonal
        d_first, d_second = (d_left.T @ p).reshape(shape), (d_right.T @ q).reshape(shape)
        d_p = d_left @ self.first.reshape(labels * rank, K) + d_product * q
        d_q = d_right @ self.second.reshape(labels * rank, K) + d_product * p
        return Bilinear(d_first, d_second, d_scores.T @ (p * q)), d_p, d_q

    def _projections(self, p: Floats, q: Floats) -> tuple[Floats, Floats]:
        labels, rank, K = self.first.shape
        left = (p @ self.first.reshape(labels * rank, K).T).reshape(len(p), labels, rank)
        right = (q @ self.second.reshape(labels * rank, K).T).reshape(len(q), labels, rank)
        return left, right


def matrices(parameters: Parameters, letter: str) -> Bilinear:
    """A_y, which joins the two arguments, or B_y, which joins the roles of a shared entity."""
    return Bilinear(*(parameters[f"{letter}{number}"] for number in (1, 2, 3)))


LISTED = 10  # mentions on each side of a link with more than LISTED x LISTED pairs


def sum_mentions(down: Floats, mentions: MentionGroups) -> Floats:
    """[links, K]: the sum of each link's mention vectors on one side."""
    return np.add.reduceat(down[mentions.rows], mentions.starts, axis=0)


def spread_to_mentions(d_sums: Floats, mentions: MentionGroups, d_down: Floats) -> None:
    """Backward pass: adds each link's gradient [links, K] to all its mentions' rows in ``d_down``."""
    d_down[mentions.distinct] += np.add.reduceat(d_sums[mentions.links_by_row], mentions.row_starts, axis=0)


def link_weights(batch: Batch, scaling: str, dtype: np.dtype[np.floating]) -> Floats:
    """[links, 1]: what a link's sum over pairs is multiplied by.

    "sum": 1, the paper's plain sum. "mean": one over the number of pairs in the whole relation.
    """
    pairs = batch.pair_counts
    if scaling == "sum":
        return np.ones((len(pairs), 1), dtype=dtype)
    in_relation = np.bincount(batch.link_examples, weights=pairs, minlength=batch.size)
    return (1 / in_relation[batch.link_examples]).astype(dtype)[:, None]


def link_terms(matrices: Bilinear, down: Floats, weights: Floats, batch: Batch) -> tuple[Floats, ...]:
    """For each link what its pairs add, [first mentions, second mentions, Y], weights included.

    Of a link with more than LISTED x LISTED pairs the first LISTED mentions on each side.
    """
    first, second = batch.first_mentions, batch.second_mentions
    if not len(weights):
        return ()
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


Masks = Pair  # [n, K] twice, for u_m and u_n


@dataclass(frozen=True, slots=True)
class Forward:
    """The values of a forward pass that the backward pass needs."""

    scores: Floats  # [n, Y]
    composed: Composed | None = None
    arguments: Pair | None = None  # [n, K] twice, masked where there are masks
    weights: Floats | None = None  # [links, 1]
    features: Floats | None = None  # [n, F]
    masks: Masks | None = None


def forward(
    settings: ModelSettings,
    parameters: Parameters,
    vectors: Floats,
    batch: Batch,
    *,
    masks: Masks | None = None,
    composer: Composer = compose,
) -> Forward:
    """Scores of all labels for a batch. ``vectors``: [vocabulary, K], the rows that ``batch.words`` names.

    ``masks`` are multiplied with u_m and u_n in the first term alone: mentions are composed from unmasked u.
    """
    labels = len(parameters["b"])
    scores: Floats = np.broadcast_to(parameters["b"], (batch.size, labels)).copy()
    composed = arguments = weights = features = None

    if settings.composes:
        V = parameters["V"] if settings.kind == "entities" else None
        composed = composer(batch, vectors, parameters["U"], V)
        arguments = composed.arguments
    elif settings.kind == "additive":
        sums = np.add.reduceat(vectors[batch.words], batch.leaf_starts, axis=0)
        arguments = sums[0::2], sums[1::2]
    if arguments is not None:
        if masks is not None:
            arguments = arguments[0] * masks[0], arguments[1] * masks[1]
        scores += matrices(parameters, "A").scores(*arguments)

    if composed is not None and settings.kind == "entities":
        weights = link_weights(batch, settings.pairs, scores.dtype)
        by_link = weights * matrices(parameters, "B").scores(*composed.entities)
        np.add.at(scores, batch.link_examples, by_link)

    if settings.uses_features:
        features = dense_features(batch, parameters["beta"])
        scores += features @ parameters["beta"].T
    return Forward(scores, composed, arguments, weights, features, masks)


def backward(
    settings: ModelSettings, parameters: Parameters, batch: Batch, done: Forward, d_scores: Floats
) -> Parameters:
    """The gradient of every parameter, given the gradient [n, Y] of the scores."""
    gradients: Parameters = {"b": d_scores.sum(axis=0)}
    if done.features is not None:
        gradients["beta"] = d_scores.T @ done.features
    if done.arguments is None:
        return gradients

    gradient, d_first, d_second = matrices(parameters, "A").gradients(*done.arguments, d_scores)
    gradients |= {"A1": gradient.first, "A2": gradient.second, "A3": gradient.diagonal}
    if done.composed is None:
        return gradients

    if done.masks is not None:
        d_first, d_second = d_first * done.masks[0], d_second * done.masks[1]
    d_arguments, d_entities = (d_first, d_second), None
    if done.weights is not None:
        d_links = done.weights * d_scores[batch.link_examples]
        gradient, *d_sums = matrices(parameters, "B").gradients(*done.composed.entities, d_links)
        d_entities = d_sums[0], d_sums[1]
        gradients |= {"B1": gradient.first, "B2": gradient.second, "B3": gradient.diagonal}
    gradients["U"], dV, _ = done.composed.gradients(d_arguments, d_entities)
    if done.weights is not None:
        gradients["V"] = dV
    return gradients


def dense_features(batch: Batch, beta: Floats) -> Floats:
    """[n, F] with a one for each feature that fires."""
    features = np.zeros((batch.size, beta.shape[1]), dtype=beta.dtype)
    features[batch.feature_rows, batch.feature_columns] = 1
    return features


def batch_scores(
    settings: ModelSettings,
    parameters: Parameters,
    vectors: Floats,
    batch: Batch,
    *,
    composer: Composer = compose,
) -> Floats:
    """Scores of all labels, [n, Y], of one model or of several with their own seeds.

    psi(y) = 1/S sum over members s of psi_s(y)

    The mean ranks the labels as the sum does and has the scale of one model's scores.
    """
    members = members_of(settings, parameters)
    scores = [forward(settings, one, vectors, batch, composer=composer).scores for one in members]
    return scores[0] if len(scores) == 1 else np.mean(scores, axis=0)
