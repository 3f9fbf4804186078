"""A chain with 100 mentions in each argument: the product of sums is the sum over all 10,000 pairs."""

from __future__ import annotations

import numpy as np
import pytest

from disco2.data.batch import Example, Floats, collate
from disco2.model import ModelSettings, Parameters, initial_parameters
from disco2.model.network import backward, forward
from tests.model.test_cost import apart
from tests.shapes import shaped_examples

K, LABELS, MENTIONS, VOCABULARY = 5, 2, 100, 50


def an_example(shape: str) -> Example:
    (example,) = shaped_examples(words=120, mentions=MENTIONS, shape=shape)
    (link,) = example.links
    assert (len(link.first), len(link.second)) == (MENTIONS, MENTIONS)
    return example


def a_model(settings: ModelSettings) -> tuple[Parameters, Floats]:
    generator = np.random.default_rng(3)
    parameters = initial_parameters(settings, labels=LABELS, features=0, seed=3, dtype=np.float64)
    for value in parameters.values():  # nothing at zero, so that every term counts
        value += generator.normal(0, 0.2, size=value.shape)
    return parameters, generator.normal(size=(VOCABULARY, K))


def node_vectors(example: Example, parameters: Parameters, vectors: Floats) -> tuple[list[Floats], ...]:
    """For each argument u of the root, and d of the root and of every node on the way to a mention; one node
    after another.
    """
    found = []
    for argument in (example.first, example.second):
        up = [vectors[word] for word in argument.words]
        for left, right in zip(argument.left, argument.right, strict=True):
            up.append(np.tanh(parameters["U"] @ np.concatenate([up[left], up[right]])))
        down = [up[-1]]
        assert argument.downward is not None
        for parent, sibling in zip(argument.downward.parents, argument.downward.siblings, strict=True):
            down.append(np.tanh(parameters["V"] @ np.concatenate([down[parent], up[sibling]])))
        found.append(down)
    return tuple(found)


def plain_scores(
    example: Example, settings: ModelSettings, parameters: Parameters, vectors: Floats
) -> Floats:
    """psi(y), one pair of mentions at a time."""
    first, second = node_vectors(example, parameters, vectors)
    scores = parameters["b"].copy()
    weight = {"sum": 1.0, "mean": MENTIONS**-2, "root": 1 / MENTIONS, "link-mean": MENTIONS**-2}[
        settings.pairs
    ]
    for label in range(LABELS):
        A, B = (
            parameters[f"{name}1"][label].T @ parameters[f"{name}2"][label]
            + np.diag(parameters[f"{name}3"][label])
            for name in "AB"
        )
        scores[label] += first[0] @ A @ second[0]  # row 0 is the root, whose d is its u
        (link,) = example.links
        right = [B @ second[j] for j in link.second]
        scores[label] += weight * sum(first[i] @ each for i in link.first for each in right)
    return scores


@pytest.mark.parametrize("pairs", ["sum", "mean", "root", "link-mean"])
@pytest.mark.parametrize("shape", ["balanced", "rightward"])
def test_scores(shape: str, pairs: str) -> None:
    settings = ModelSettings(K=K, rank=2, features=False, pairs=pairs)
    example = an_example(shape)
    parameters, vectors = a_model(settings)
    found = forward(settings, parameters, vectors, collate([example])).scores[0]
    np.testing.assert_allclose(found, plain_scores(example, settings, parameters, vectors), rtol=1e-10)


@pytest.mark.parametrize("pairs", ["sum", "mean"])
@pytest.mark.parametrize("shape", ["balanced", "rightward"])
def test_gradients_are_those_of_10_000_chains_of_one_pair(shape: str, pairs: str) -> None:
    settings = ModelSettings(K=K, rank=2, features=False, pairs=pairs)
    example = an_example(shape)
    parameters, vectors = a_model(settings)
    d_scores = np.random.default_rng(4).normal(size=(1, LABELS))
    found = []
    for one in (example, apart(example)):
        batch = collate([one])
        done = forward(settings, parameters, vectors, batch)
        found.append(backward(settings, parameters, batch, done, d_scores))
    together, plain = found
    assert len(batch.link_examples) == MENTIONS**2
    for name in parameters:
        np.testing.assert_allclose(
            together[name], plain[name], rtol=1e-9, atol=1e-9 * np.abs(plain[name]).max()
        )


def test_gradients_point_where_the_plain_sum_rises() -> None:
    """Along some direction of each parameter, by central differences of the plain sum."""
    settings = ModelSettings(K=K, rank=2, features=False, pairs="sum")
    example = an_example("balanced")
    parameters, vectors = a_model(settings)
    generator = np.random.default_rng(5)
    weights = generator.normal(size=LABELS)
    batch = collate([example])
    gradients = backward(
        settings, parameters, batch, forward(settings, parameters, vectors, batch), weights[None]
    )

    def value(direction: Parameters, step: float) -> float:
        moved = {name: parameter + step * direction[name] for name, parameter in parameters.items()}
        return float(weights @ plain_scores(example, settings, moved, vectors))

    for name in parameters:
        direction = {other: np.zeros_like(one) for other, one in parameters.items()}
        direction[name] = generator.normal(size=parameters[name].shape)
        step = 1e-6
        slope = (value(direction, step) - value(direction, -step)) / (2 * step)
        assert np.sum(gradients[name] * direction[name]) == pytest.approx(slope, rel=1e-5, abs=1e-7), name


def test_compiled_code_agrees() -> None:
    """In single precision, as far as that goes."""
    for package in ("numba", "scipy"):
        pytest.importorskip(package)
    from disco2.model.compiled import CompiledComposer

    settings = ModelSettings(K=K, rank=2, features=False)
    example = an_example("rightward")
    parameters, vectors = a_model(settings)
    single = {name: value.astype(np.float32) for name, value in parameters.items()}
    batch = collate([example])
    d_scores = np.random.default_rng(4).normal(size=(1, LABELS)).astype(np.float32)
    exact = forward(settings, parameters, vectors, batch)
    done = forward(settings, single, vectors.astype(np.float32), batch, composer=CompiledComposer())
    np.testing.assert_allclose(
        exact.scores[0], plain_scores(example, settings, parameters, vectors), rtol=1e-10
    )
    np.testing.assert_allclose(done.scores, exact.scores, rtol=1e-5, atol=1e-5)
    expected = backward(settings, parameters, batch, exact, d_scores)
    for name, gradient in backward(settings, single, batch, done, d_scores).items():
        size = np.abs(expected[name]).max()
        np.testing.assert_allclose(gradient, expected[name], rtol=1e-4, atol=1e-5 * size, err_msg=name)
