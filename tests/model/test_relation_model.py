"""The terms of a score, against one pair of mentions at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disco2.model import ModelSettings, RelationModel, initial_parameters
from disco2.model.parameters import PAIR_SCALINGS, PAPER_KINDS
from disco2.vectors import WordVectors
from tests.generated import random_example
from tests.model.recursive import downward, recursive_scores
from tests.shapes import shaped_examples

LABELS, WORDS, FEATURES, K = 3, 20, 7, 5


def random_model(generator: np.random.Generator, *, members: int = 1, **settings: object) -> RelationModel:
    chosen = ModelSettings(K=K, members=members, **settings)  # type: ignore[arg-type]
    parameters = initial_parameters(chosen, labels=LABELS, features=FEATURES, seed=1)
    stack = () if members == 1 else (members,)
    parameters = {
        name: generator.normal(0, 0.5, size=(*stack, *value.shape)).astype(np.float32)
        for name, value in parameters.items()
    }
    vectors = WordVectors(
        tuple(map(str, range(WORDS - 1))), generator.normal(size=(WORDS - 1, K)).astype(np.float32)
    )
    return RelationModel(chosen, tuple("abc"), vectors, None, parameters)


@pytest.mark.parametrize(
    ("kind", "pairs", "rank"),
    [*((kind, "sum", 1) for kind in PAPER_KINDS), *(("entities", pairs, 2) for pairs in PAIR_SCALINGS)],
)
def test_every_term_and_their_sum(kind: str, pairs: str, rank: int) -> None:
    generator = np.random.default_rng(5)
    model = random_model(generator, kind=kind, pairs=pairs, rank=rank)
    for chains in (0, 1, 3):
        example, first, second, links = random_example(
            generator,
            words=(6, 9),
            vocabulary=WORDS,
            labels=LABELS,
            features=FEATURES if model.settings.uses_features else 0,
            chains=chains,
            mentions=4,
        )
        found = model.contributions_of(example)
        exact = {name: value.astype(np.float64) for name, value in model.parameters.items()}
        leaves = model.leaves.astype(np.float64)
        expected = recursive_scores(model.settings, exact, leaves, example, first, second, links)
        total = found.bias + found.arguments + found.features.sum(axis=0)
        total = total + sum(terms.sum(axis=(0, 1)) for terms in found.links)
        np.testing.assert_allclose(total, expected, rtol=0, atol=1e-9)
        for terms, whole in zip(found.links, found.link_totals, strict=True):
            np.testing.assert_allclose(terms.sum(axis=(0, 1)), whole, rtol=0, atol=1e-12)
        np.testing.assert_allclose(model.score_examples([example])[0], expected, rtol=1e-4, atol=1e-4)
        if kind != "entities":
            assert found.links == ()
            continue
        assert [terms.shape for terms in found.links] == [
            (len(link.first), len(link.second), LABELS) for link in links
        ]
        if pairs == "sum" and links:
            d_i = downward(first, example.first.words, leaves, exact, links[0].first[-1])
            d_j = downward(second, example.second.words, leaves, exact, links[0].second[0])
            B = exact["B1"][2].T @ exact["B2"][2] + np.diag(exact["B3"][2])
            np.testing.assert_allclose(found.links[0][-1, 0, 2], d_i @ B @ d_j, atol=1e-12)


@pytest.mark.parametrize("members", [1, 3])
def test_of_a_long_chain_some_pairs_and_the_sum_of_all(members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work grows with the mentions, the number of terms not even with them."""
    (example,) = shaped_examples(words=120, mentions=100, vocabulary=WORDS)
    example = replace(example, features=np.zeros(0, dtype=np.int32))
    model = random_model(np.random.default_rng(7), members=members)
    found = model.contributions_of(example)
    monkeypatch.setattr("disco2.model.network.LISTED", 100)
    whole = model.contributions_of(example)
    assert [terms.shape for terms in found.links] == [(10, 10, LABELS)]
    assert [terms.shape for terms in whole.links] == [(100, 100, LABELS)]
    np.testing.assert_allclose(found.links[0], whole.links[0][:10, :10], rtol=1e-12)
    np.testing.assert_allclose(found.link_totals[0], whole.links[0].sum(axis=(0, 1)), rtol=1e-10)
    np.testing.assert_allclose(found.link_totals, whole.link_totals, rtol=1e-12)
