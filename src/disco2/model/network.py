"""The decision function of the paper (eq. 5) and its gradients over a batch.

    psi(y) = u_m' A_y u_n  +  sum over aligned (i, j) of d_i' B_y d_j  +  beta_y . phi  +  b_y

The baselines are the same function with terms left out: majority keeps b alone, surface beta and b, additive
puts sums of word vectors for u, and upward drops the sum over aligned mentions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disco2.data.batch import Batch, Floats
from disco2.model.bilinear import link_weights
from disco2.model.composition import Composed, Composer, Pair, compose
from disco2.model.parameters import Parameters, matrices, members_of
from disco2.model.settings import ModelSettings

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
