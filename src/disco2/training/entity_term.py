"""Fit the entity term over a fine-tuned encoder, which stays as it is. NumPy alone.

With s_n [Y] the scores of pair n without the term, psi_E(n) the term (``model.entity_term``) and t_n its
distribution over labels, the loss of a batch is the cross-entropy

    L = mean over n of w_n * -sum over y of t_ny log softmax(s_n + psi_E(n))_y

Only pairs that share an entity have the term, so only they are read. Adam (Kingma & Ba 2015) with decoupled
weight decay minimises it; the rate falls to zero like a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from disco2.data import Instance
from disco2.data.batch import Batch, Floats
from disco2.model import EncoderModel, ModelSettings
from disco2.model.encoder_model import pair_texts
from disco2.model.entity_term import NAMES, EntityTerm, Roles, find_roles
from disco2.settings import Settings, setting
from disco2.training.loop import Report, log_softmax

BETAS = (0.9, 0.999)
EPSILON = 1e-8

Arrays = dict[str, Floats]


@dataclass(frozen=True)
class EntitySettings(Settings):
    """How the entity term of an encoder is fitted; its sizes are in [model]."""

    epochs: int = setting(6, "passes over the pairs that share an entity", minimum=1)
    rate: float = setting(2e-3, "highest learning rate of Adam", above=0)
    decay: float = setting(0.01, "weight decay", minimum=0)
    batch_size: int = setting(64, "pairs in a step", minimum=1)


@dataclass(frozen=True, slots=True)
class LinkedPair:
    """A pair that shares an entity, as the term reads it."""

    roles: Roles
    means: Floats  # [leaves, H] states of words, in half precision
    scores: Floats  # [Y] without the term
    target: Floats  # [Y]
    weight: float


def fit_entity_term(
    pairs: Sequence[LinkedPair],
    *,
    shape: ModelSettings,
    settings: EntitySettings,
    seed: int,
    report: Report = lambda text: None,
) -> EntityTerm:
    """The term that fits the pairs best beside the scores they have. ``shape`` has its sizes."""
    random = np.random.default_rng(seed)
    parameters = _initial(shape, labels=len(pairs[0].target), hidden=pairs[0].means.shape[1], random=random)
    term = EntityTerm(**parameters, pairs=shape.pairs)  # whose arrays are changed in place
    moments = tuple({name: np.zeros_like(value) for name, value in parameters.items()} for _ in BETAS)
    steps = settings.epochs * -(-len(pairs) // settings.batch_size)
    step = 0
    for epoch in range(settings.epochs):
        order = random.permutation(len(pairs))
        losses = []
        for begin in range(0, len(order), settings.batch_size):
            batch = [pairs[place] for place in order[begin : begin + settings.batch_size]]
            loss, gradients = loss_and_gradients(batch, term)
            losses.append(loss)
            rate = settings.rate * (1 - step / steps)
            step += 1
            _descend(parameters, gradients, moments, step=step, rate=rate, decay=settings.decay)
        report(f"entity term: pass {epoch + 1} of {settings.epochs}, loss {np.mean(losses):.4f}")
    return term


def linked_pairs(model: EncoderModel, instances: Sequence[Instance]) -> Iterator[LinkedPair]:
    """Those of the instances that share an entity, with the scores that the model gives them."""
    linked = {place: one for place, one in enumerate(find_roles(instances)) if one is not None}
    some = [instances[place] for place in linked]
    for instance, read in zip(some, model.read(pair_texts(some), list(linked.values())), strict=True):
        if read.roles is not None:
            target: Floats = np.zeros(len(model.labels), dtype=np.float32)
            for label in instance.gold:
                target[model.labels.index(label)] += 1 / len(instance.gold)
            means = read.means.astype(np.float16)  # of many pairs at once, and no more exact in int8
            scores = model.weights @ read.pooled + model.bias
            yield LinkedPair(read.roles, means, scores, target, instance.weight)


def loss_and_gradients(pairs: Sequence[LinkedPair], term: EntityTerm) -> tuple[float, Arrays]:
    """L and its gradients by all parameters."""
    means: Floats = np.concatenate([one.means for one in pairs]).astype(term.P.dtype)
    leaves = term.leaves(means)
    batch, composed, weights, by_link = term.compose(
        [one.roles.example for one in pairs], leaves, trains_leaves=True
    )
    loss, d_scores = _cross_entropy(pairs, batch, by_link)
    d_links = weights * d_scores[batch.link_examples]
    matrices, d_first, d_second = term.matrices.gradients(*composed.entities, d_links)
    dU, dV, d_leaves = composed.gradients(None, (d_first, d_second))
    dP = (d_leaves * (1 - np.square(leaves))).T @ means
    found = (dP, dU, dV, matrices.first, matrices.second, matrices.diagonal)
    return loss, dict(zip(NAMES, found, strict=True))


def _cross_entropy(pairs: Sequence[LinkedPair], batch: Batch, by_link: Floats) -> tuple[float, Floats]:
    """L, and its gradient by the scores, [n, Y]."""
    scores = np.array([one.scores for one in pairs], dtype=by_link.dtype)
    np.add.at(scores, batch.link_examples, by_link)
    log_shares = log_softmax(scores)
    target = np.array([one.target for one in pairs], dtype=by_link.dtype)
    weights = np.array([one.weight for one in pairs], dtype=by_link.dtype)[:, None] / len(pairs)
    loss = float(-(weights * target * log_shares).sum())
    return loss, weights * (np.exp(log_shares) * target.sum(axis=1, keepdims=True) - target)


def _initial(shape: ModelSettings, *, labels: int, hidden: int, random: np.random.Generator) -> Arrays:
    """Random numbers of a size at which the vectors of deep trees neither vanish nor saturate."""
    K, factors = shape.entity_size, (labels, shape.rank, shape.entity_size)
    made = {
        "P": random.normal(size=(K, hidden)) / np.sqrt(3 * hidden),
        "U": random.normal(size=(K, 2 * K)) / (2 * np.sqrt(K)),
        "V": random.normal(size=(K, 2 * K)) / (2 * np.sqrt(K)),
        "B1": random.normal(size=factors) / 10,
        "B2": random.normal(size=factors) / 10,
        "B3": np.zeros((labels, K)),
    }
    return {name: value.astype(np.float32) for name, value in made.items()}


def _descend(
    parameters: Arrays,
    gradients: Arrays,
    moments: Sequence[Arrays],
    *,
    step: int,
    rate: float,
    decay: float,
) -> None:
    """One step of Adam, in place; ``step`` counts from 1."""
    first, second = moments
    for name, value in parameters.items():
        gradient = gradients[name]
        first[name] += (1 - BETAS[0]) * (gradient - first[name])
        second[name] += (1 - BETAS[1]) * (np.square(gradient) - second[name])
        mean = first[name] / (1 - BETAS[0] ** step)
        spread = np.sqrt(second[name] / (1 - BETAS[1] ** step)) + EPSILON
        value -= (rate * (mean / spread + decay * value)).astype(value.dtype)
