"""The decision function of the paper (eq. 5) and its gradients over a batch.

    psi(y) = u_m' A_y u_n  +  sum over aligned (i, j) of d_i' B_y d_j  +  beta_y . phi  +  b_y

The baselines are the same function with terms left out: majority keeps b alone, surface beta and b, additive
puts sums of word vectors for u, and upward drops the sum over aligned mentions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from disco2.data.batch import Batch, Floats
from disco2.model.bilinear import Pair, link_weights
from disco2.model.composition import Composed, Composer, compose
from disco2.model.parameters import Parameters, matrices, members_of
from disco2.model.settings import ModelSettings

Masks = Pair  # [n, K] twice, for u_m and u_n


@dataclass(frozen=True, slots=True)
class Forward:
    """Scores with the vectors that they were computed from, and their gradients."""

    scores: Floats  # [n, Y]
    backward: Callable[[Floats], Parameters]  # gradient of the scores -> of every parameter; call it once
    composed: Composed | None
    arguments: Pair | None  # [n, K] twice, masked where there are masks
    weights: Floats | None  # [links, 1]


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
        of_arguments, argument_gradients = matrices(parameters, "A").forward(*arguments)
        scores += of_arguments

    if composed is not None and settings.kind == "entities":
        weights = link_weights(batch, settings.pairs, scores.dtype)
        of_links, entity_gradients = matrices(parameters, "B").forward(*composed.entities)
        np.add.at(scores, batch.link_examples, weights * of_links)

    if settings.uses_features:
        features = dense_features(batch, parameters["beta"])
        scores += features @ parameters["beta"].T

    def backward(d_scores: Floats) -> Parameters:
        gradients: Parameters = {"b": d_scores.sum(axis=0)}
        if features is not None:
            gradients["beta"] = d_scores.T @ features
        if arguments is None:
            return gradients
        by_matrix, d_arguments = argument_gradients(d_scores)
        gradients |= zip(("A1", "A2", "A3"), by_matrix, strict=True)
        if composed is None:
            return gradients
        if masks is not None:
            d_arguments = d_arguments[0] * masks[0], d_arguments[1] * masks[1]
        d_entities = None
        if weights is not None:
            by_matrix, d_entities = entity_gradients(weights * d_scores[batch.link_examples])
            gradients |= zip(("B1", "B2", "B3"), by_matrix, strict=True)
        gradients["U"], dV, _ = composed.gradients(d_arguments, d_entities)
        if weights is not None:
            gradients["V"] = dV
        return gradients

    return Forward(scores, backward, composed, arguments, weights)


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
