"""A score taken apart: what each term of psi(y) adds, for every label y.

    psi(y) = b_y + u_m' A_y u_n + sum over aligned (i, j) of w d_i' B_y d_j + sum over fired f of beta_yf

``w`` is the weight that ``links.link_weights`` gives a pair. Everything is computed in double precision, so
that the terms add up to the score but for the last digits of a 64-bit number. Where a model has several
members, each term is the mean of the members' terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from disco2.data.batch import Batch, Example, collate
from disco2.model.arrays import Floats
from disco2.model.ensemble import members_of
from disco2.model.links import link_terms
from disco2.model.network import forward
from disco2.model.parameters import Parameters, argument_matrices, entity_matrices
from disco2.model.relation_model import RelationModel
from disco2.model.settings import ModelSettings
from disco2.threads import single_threaded


@dataclass(frozen=True, slots=True)
class Contributions:
    """The terms of one relation's scores, a column for each of the Y labels."""

    scores: Floats  # [Y] in double precision
    bias: Floats  # [Y]
    arguments: Floats  # [Y]
    # For each entity link [first mentions, second mentions, Y], see ``links.link_terms``.
    links: tuple[Floats, ...]
    link_totals: Floats  # [links, Y]: the sum over all pairs, listed or not
    features: Floats  # [fired, Y], in the order of the example's features


def contributions(model: RelationModel, example: Example) -> Contributions:
    """Every term of every label's score for one relation."""
    batch = collate([example])
    # Only the words that occur, so that the table of all words need not be converted.
    leaves = model.leaves[batch.words].astype(np.float64)
    batch = replace(batch, words=np.arange(len(leaves), dtype=np.int32))
    parameters: Parameters = {name: value.astype(np.float64) for name, value in model.parameters.items()}
    with single_threaded():
        members = [
            _of_member(model.settings, member, leaves, batch, example)
            for member in members_of(model.settings, parameters)
        ]
    return Contributions(
        _mean([member.scores for member in members]),
        _mean([member.bias for member in members]),
        _mean([member.arguments for member in members]),
        tuple(map(_mean, zip(*(member.links for member in members), strict=True))),
        _mean([member.link_totals for member in members]),
        _mean([member.features for member in members]),
    )


def _of_member(
    settings: ModelSettings, parameters: Parameters, leaves: Floats, batch: Batch, example: Example
) -> Contributions:
    done = forward(settings, parameters, leaves, batch)
    labels = len(parameters["b"])
    arguments: Floats = np.zeros(labels)
    if done.arguments is not None:
        arguments = argument_matrices(parameters).scores(*done.arguments)[0]
    links: tuple[Floats, ...] = ()
    totals: Floats = np.zeros((0, labels))
    composed, weights = done.composed, done.weights
    if composed and weights is not None and composed.down is not None and composed.entities is not None:
        matrices = entity_matrices(parameters)
        links = link_terms(matrices, composed.down, weights, batch)
        totals = weights * matrices.scores(*composed.entities)
    features: Floats = np.zeros((0, labels))
    if done.features is not None:
        features = parameters["beta"].T[example.features]
    return Contributions(done.scores[0], parameters["b"], arguments, links, totals, features)


def _mean(terms: Sequence[Floats]) -> Floats:
    return terms[0] if len(terms) == 1 else np.mean(terms, axis=0)
