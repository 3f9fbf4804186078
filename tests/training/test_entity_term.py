"""Fitting the entity term: its gradients, and that it learns who is meant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
from disco2.data import Instance
from disco2.model import ModelSettings
from disco2.model.entity_term import EntityTerm, find_roles
from disco2.training.entity_term import EntitySettings, LinkedPair, fit_entity_term, loss_and_gradients

HIDDEN = 12
SHAPE = ModelSettings(kind="encoder", entity_size=16, rank=4)


def made_up_pairs(folder: Path, *, size: int) -> list[LinkedPair]:
    """Role pairs with a random vector for each word; the scores before say nothing."""
    corpus = read_role_pairs(write_role_pairs(folder, size=size, seed=3))
    instances = [Instance(one, corpus.documents[one.document], one.senses) for one in corpus.relations]
    labels = sorted({one.gold[0] for one in instances})
    random = np.random.default_rng(1)
    vectors: dict[str, np.ndarray] = {}
    pairs = []
    for instance, roles in zip(instances, find_roles(instances), strict=True):
        assert roles is not None
        relation = instance.relation
        words = instance.document.words((*relation.arg1.tokens, *relation.arg2.tokens))
        means = [vectors.setdefault(word, random.normal(size=HIDDEN)) for word in words]
        target = np.array([float(label == instance.gold[0]) for label in labels])
        pairs.append(LinkedPair(roles, np.array(means, dtype=np.float32), np.zeros(2), target, 1.0))
    return pairs


def accuracy(term: EntityTerm, pairs: list[LinkedPair]) -> float:
    scores = term.scores([one.roles for one in pairs], [one.means for one in pairs])
    return float(np.mean(scores.argmax(axis=1) == [one.target.argmax() for one in pairs]))


def test_it_learns_who_is_meant(tmp_path: Path) -> None:
    pairs = made_up_pairs(tmp_path / "roles", size=600)
    settings = EntitySettings(epochs=12, rate=1e-2, batch_size=32)
    told: list[str] = []
    term = fit_entity_term(pairs[:400], shape=SHAPE, settings=settings, seed=1, report=told.append)
    assert accuracy(term, pairs[:400]) > 0.95
    assert len(told) == 12
    again = fit_entity_term(pairs[:400], shape=SHAPE, settings=settings, seed=1)
    np.testing.assert_array_equal(again.P, term.P)


def test_what_the_scores_know_already_is_not_learned_again(tmp_path: Path) -> None:
    pairs = made_up_pairs(tmp_path / "roles", size=40)
    sure = [replace(one, scores=40 * one.target) for one in pairs]
    settings = EntitySettings(epochs=1, decay=0)
    loss, gradients = loss_and_gradients(sure, fit_entity_term(pairs, shape=SHAPE, settings=settings, seed=1))
    assert loss < 1e-6
    assert max(np.abs(value).max() for value in gradients.values()) < 1e-6


def test_gradients_are_central_differences(tmp_path: Path) -> None:
    pairs = made_up_pairs(tmp_path / "roles", size=10)[:4]
    pairs = [replace(one, scores=np.array([0.3, -0.2]), weight=1 + place) for place, one in enumerate(pairs)]
    random = np.random.default_rng(2)
    first = fit_entity_term(pairs, shape=SHAPE, settings=EntitySettings(epochs=1), seed=1)
    term = replace(first, **{name: value.astype(np.float64) for name, value in first.parameters.items()})
    _, gradients = loss_and_gradients(pairs, term)
    for name, value in term.parameters.items():
        for place in random.choice(value.size, size=20, replace=False):
            moved = []
            for sign in (1, -1):
                changed = value.copy()
                changed.flat[place] += sign * 1e-5
                moved.append(loss_and_gradients(pairs, replace(term, **{name: changed}))[0])
            assert gradients[name].flat[place] == pytest.approx((moved[0] - moved[1]) / 2e-5, abs=1e-7), name
