"""The work of a training step and of scoring doubles, at most, when pairs, words or mentions do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from disco2.data.batch import Batch, EncodedLink, Example, collate
from disco2.model import ModelSettings, Parameters, initial_parameters
from disco2.model.network import backward, batch_scores, forward
from disco2.model.parameters import stacked
from disco2.training.optimiser import LOSSES
from tests.operations import ArrayWork, array_work, python_steps
from tests.shapes import SHAPES, shaped_examples

K, LABELS, VOCABULARY = 6, 2, 50
AT_MOST = 2.02  # two, and a tree of n words has n - 1 inner nodes
MEMBERS = 3

# Each list of sizes doubles one thing.
PAIRS = [{"pairs": pairs, "words": 20, "mentions": 5} for pairs in (8, 16, 32)]
WORDS = [{"pairs": 1, "words": words, "mentions": 10} for words in (250, 500, 1000)]
ONE_CHAIN = [{"pairs": 1, "words": 200, "mentions": mentions} for mentions in (25, 50, 100)]
MANY_CHAINS = [size | {"chains": size["mentions"]} for size in ONE_CHAIN]
DOUBLED = {"pairs": PAIRS, "words": WORDS, "mentions": ONE_CHAIN, "chains": MANY_CHAINS}

Work = Callable[[Parameters, Any, Batch], object]


@pytest.fixture(autouse=True)
def _not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCO2_COMPILED", "0")


def training_step(parameters: Parameters, vectors: Any, batch: Batch) -> None:
    settings = ModelSettings(K=K)
    done = forward(settings, parameters, vectors, batch)
    d_scores = LOSSES["large-margin"](done.scores, batch)[1]
    backward(settings, parameters, batch, done, d_scores)


def scoring(parameters: Parameters, vectors: Any, batch: Batch) -> None:
    batch_scores(ModelSettings(K=K), parameters, vectors, batch)


def scoring_of_several(parameters: Parameters, vectors: Any, batch: Batch) -> None:
    batch_scores(ModelSettings(K=K, members=MEMBERS), stacked([parameters] * MEMBERS), vectors, batch)


def a_model() -> tuple[Parameters, np.ndarray]:
    vectors = np.random.default_rng(1).normal(size=(VOCABULARY, K)).astype(np.float32)
    return initial_parameters(ModelSettings(K=K), labels=LABELS, features=4, seed=1), vectors


def works(work: Work, sizes: list[dict[str, int]], shape: str) -> Iterator[ArrayWork]:
    for size in sizes:
        yield array_work(work, *a_model(), collate(shaped_examples(shape=shape, **size)))


def doubled_at_most(work: Work, sizes: list[dict[str, int]], shape: str) -> bool:
    found = list(works(work, sizes, shape))
    return all(
        large.elements <= AT_MOST * small.elements and large.products <= AT_MOST * small.products
        for small, large in pairwise(found)
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("doubled", DOUBLED)
@pytest.mark.parametrize("work", [training_step, scoring, scoring_of_several])
def test_arrays(work: Work, doubled: str, shape: str) -> None:
    assert doubled_at_most(work, DOUBLED[doubled], shape)


@pytest.mark.parametrize("shape", ["balanced", "rightward"])
@pytest.mark.parametrize("doubled", DOUBLED)
def test_calls(doubled: str, shape: str) -> None:
    """NumPy is not called more often either: once for a level of all trees, so not oftener for more pairs."""
    parameters, vectors = a_model()
    batches = [collate(shaped_examples(shape=shape, **size)) for size in DOUBLED[doubled]]
    steps = [python_steps(lambda batch=batch: training_step(parameters, vectors, batch)) for batch in batches]
    most = {"pairs": 1.01, "words": AT_MOST, "mentions": 1.2, "chains": 1.2}[doubled]
    assert all(large <= most * small for small, large in pairwise(steps))


def test_a_chain_of_100_by_100_mentions_costs_no_more_than_200_mentions() -> None:
    """10,000 pairs, against 100 pairs of as many mentions."""
    parameters, vectors = a_model()

    def cost(chains: int) -> ArrayWork:
        (example,) = shaped_examples(words=200, mentions=100, chains=chains)
        assert sum(len(link.first) * len(link.second) for link in example.links) == 10_000 // chains
        return array_work(training_step, parameters, vectors, collate([example]))

    together, apart = cost(1), cost(100)
    assert together.elements < apart.elements
    assert together.products < apart.products


def apart(example: Example) -> Example:
    """The same, with every pair of mentions as a chain of its own."""
    pairs = [
        EncodedLink(link.first[i : i + 1], link.second[j : j + 1])
        for link in example.links
        for i in range(len(link.first))
        for j in range(len(link.second))
    ]
    return replace(example, links=tuple(pairs))


def test_a_plain_sum_over_pairs_would_be_noticed() -> None:
    """So that the tests above can fail."""
    small, large = (
        array_work(training_step, *a_model(), collate([apart(example)]))
        for mentions in (50, 100)
        for example in shaped_examples(words=200, mentions=mentions)
    )
    assert large.elements > 3 * small.elements
    assert large.products > 3 * small.products
