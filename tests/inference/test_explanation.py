"""Explanations add up."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from disco2.errors import InputError
from disco2.inference.explanation import Explanation
from disco2.inference.pipeline import Pipeline
from disco2.model.parameters import PAIR_SCALINGS, PAPER_KINDS
from tests.inference.small_pipeline import LABELS, random_model, small_pipeline

TWICE = ("Bob told Tina that Bob had lost.", "He said that she knew him and her.")


def sums(explanation: Explanation) -> tuple[float, float]:
    return (
        math.fsum(term.value for term in explanation.terms()),
        math.fsum(term.rival for term in explanation.terms()),
    )


@pytest.mark.parametrize(
    ("kind", "pairs", "members"),
    [
        *((kind, "mean", 1) for kind in PAPER_KINDS),
        *(("entities", pairs, 1) for pairs in PAIR_SCALINGS),
        *((kind, "mean", 5) for kind in PAPER_KINDS),
    ],
)
def test_the_terms_add_up_to_the_score(kind: str, pairs: str, members: int) -> None:
    pipeline = small_pipeline(random_model(kind=kind, pairs=pairs, members=members))
    answer = pipeline.classify(*TWICE)
    explanation = pipeline.explain(answer)
    assert answer.source is not None
    used = dict(zip(LABELS, pipeline.model.scores([answer.source])[0].tolist(), strict=True))
    assert explanation.score == used[explanation.sense] == max(used[sense] for sense in pipeline.senses)
    assert explanation.rival_score == used[explanation.rival]
    assert sums(explanation) == (explanation.score, explanation.rival_score)  # rounding included: exactly
    assert abs(explanation.rounding.value) < 1e-5 * max(1, abs(explanation.score))
    assert len(explanation.pairs) == (2 * 2 + 1 * 2 if kind == "entities" else 0)


@pytest.mark.parametrize(
    ("mentions", "listed"), [((10, 10), 100), ((1, 100), 100), ((10, 11), 100), ((1, 101), 10)]
)
@pytest.mark.parametrize("pairs", PAIR_SCALINGS)
def test_pairs_that_are_not_listed_are_one_term(
    mentions: tuple[int, int], listed: int, pairs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the sum of theirs."""
    pipeline = small_pipeline(random_model(kind="entities", pairs=pairs))
    answer = pipeline.classify("Bob " * mentions[0] + "told Tina.", "She knew " + "Bob " * mentions[1])
    explanation = pipeline.explain(answer)
    assert sums(explanation) == (explanation.score, explanation.rival_score)
    assert abs(explanation.rounding.value) < 1e-5 * max(1, abs(explanation.score))
    assert len(explanation.pairs) == listed + 1  # Tina is in no long chain
    left = mentions[0] * mentions[1] - listed
    assert [others.count for others in explanation.other_pairs] == ([left] if left else [])

    monkeypatch.setattr("disco2.model.network.LISTED", 1000)
    whole = pipeline.explain(answer)
    assert len(whole.pairs) == mentions[0] * mentions[1] + 1
    assert whole.other_pairs == ()
    for name in ("value", "rival"):
        together, apart = (
            math.fsum(getattr(term, name) for term in (*one.pairs, *one.other_pairs))
            for one in (explanation, whole)
        )
        assert together == pytest.approx(apart, rel=1e-12, abs=1e-12)


def test_any_sense_may_be_explained(small: Pipeline) -> None:
    answer = small.classify(*TWICE)
    explanation = small.explain(answer, sense="NoRel", rival="EntRel")
    assert (explanation.sense, explanation.rival) == ("NoRel", "EntRel")
    with pytest.raises(InputError, match=r"Unknown outcome 'Condition'.*EntRel"):
        small.explain(answer, sense="Condition")
    with pytest.raises(InputError, match="explained"):
        small.explain(replace(answer, source=None))


def test_features_have_readable_names(small: Pipeline) -> None:
    features = small.explain(small.classify("Bob stayed at home.", "It rained all day.")).features
    names = {term.name for term in features}
    assert "NN -> rained in arg2" in names
    assert "word 1 of arg2 is 'it'" in names
    assert "stem 'home' in arg1, 'rain' in arg2" in names
    assert [abs(term.value) for term in features] == sorted(
        (abs(term.value) for term in features), reverse=True
    )
