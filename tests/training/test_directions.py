"""The directions of an encoder's senses: fitted, stored with the model, and given where they are clear."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disco2.bundle import load_bundle, save_bundle
from disco2.inference.pipeline import Pipeline
from disco2.model import EncoderModel
from tests.encoders import small_encoder
from tests.inference.rule_annotator import RuleAnnotator
from tools.train_directions import PENALTY, DirectedPair, fit_directions, fit_logistic

CAUSE = "Contingency.Cause"
REASONS = [("We left.", "It rained."), ("She left.", "The match was cancelled."), ("He left.", "It rained!")]


def directed(number: int, *, sense: str = CAUSE) -> list[DirectedPair]:
    """A reason, and the same pair the other way round as a result."""
    part = "dev" if number % 4 == 0 else "train"
    first, second = REASONS[number % 3]
    return [
        DirectedPair(first, second, f"{sense}.Reason", "made up", part),
        DirectedPair(second, first, f"{sense}.Result", "made up", part),
    ]


@pytest.fixture(scope="module")
def model() -> EncoderModel:
    plain = small_encoder()
    rows, figures = fit_directions(plain, [pair for number in range(400) for pair in directed(number)])
    assert {(one.corpus, one.accuracy, one.majority) for one in figures} == {
        ("made up", 1.0, 0.5),
        ("all", 1.0, 0.5),
    }
    return replace(plain, directions=rows)


def test_the_gradient_vanishes_at_the_fit() -> None:
    random = np.random.default_rng(1)
    inputs, gold = random.normal(size=(200, 5)), (random.random(200) < 0.4).astype(float)
    weights = fit_logistic(inputs, gold, penalty=3.0)
    chances = 1 / (1 + np.exp(-(inputs @ weights[:-1] + weights[-1])))
    scaled = inputs.std(axis=0) + 1e-8
    gradient = inputs.T @ (chances - gold) / scaled + 3.0 * weights[:-1] * scaled
    np.testing.assert_allclose(gradient, (chances - gold).sum() * inputs.mean(axis=0) / scaled, atol=1e-4)
    assert abs(fit_logistic(inputs, gold, penalty=PENALTY)[:-1]).max() < abs(weights[:-1]).max()


def test_directions_are_stored_and_given(model: EncoderModel, tmp_path: Path) -> None:
    assert set(model.directions) == {f"{CAUSE}.Reason", f"{CAUSE}.Result"}
    save_bundle(model, tmp_path / "model")
    loaded, _ = load_bundle(tmp_path / "model")
    assert isinstance(loaded, EncoderModel)
    pipeline = Pipeline(RuleAnnotator(), loaded)
    for first, second in REASONS:
        for pair, direction in (((first, second), "Reason"), ((second, first), "Result")):
            answer = pipeline.classify(*pair)
            assert answer.direction == (direction if answer.sense == CAUSE else "")
    with pytest.raises(ValueError, match="directions do not fit"):
        replace(model, directions={f"{CAUSE}.Reason": np.zeros(3, dtype=np.float32)})


def test_what_can_not_be_told_apart_has_no_direction(model: EncoderModel) -> None:
    same = [replace(pair, arg1="It rained.", arg2="We left.") for n in range(40) for pair in directed(n)]
    assert fit_directions(model, same)[0] == {}
    one_way = [pair for number in range(8) for pair in directed(number) if pair.sense.endswith("Reason")]
    rows, _ = fit_directions(model, one_way)
    assert list(rows) == [f"{CAUSE}.Reason"]
    assert not rows[f"{CAUSE}.Reason"].any()
