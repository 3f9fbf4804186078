"""What a relation's view shows is what the model computed."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from disco2.data import Argument
from disco2.data.tree import argument_tree
from disco2.errors import InputError
from disco2.inference.candidates import Candidate, predict_candidates
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Prediction, Span
from disco2.inference.view import RelationView
from disco2.model.parameters import KINDS, members_of
from tests.inference.small_pipeline import random_model, small_pipeline
from tests.inference.test_explanation import TWICE
from tests.model.recursive import downward, upward

ODD_PAIRS = {
    "one word each, one entity": ("Bob", "Bob"),
    "several sentences": ("Bob came. He was late. Tina laughed.", "She left. He stayed."),
    "long": ("Bob " + "and the dog " * 66 + "saw Tina.", "She " + "and the cat " * 66 + "saw him."),
    "many mentions": ("Bob " * 60, "He saw " + "him " * 60),
    "controls and emoji": ("Bob\x00 \x07saw 👨‍👩‍👧‍👦 \U0001f600.", "He\x1b laughed\u202e."),
}


def check_vectors(pipeline: Pipeline, prediction: Prediction, view: RelationView) -> None:
    """Against the recursion over nodes."""
    model, source = pipeline.model, prediction.source
    assert source is not None
    stacked = {name: model.parameters[name].astype(float) for name in ("U", "V") if name in model.parameters}
    parameters = members_of(model.settings, stacked)[0]
    arguments = source.relation.arg1, source.relation.arg2
    for side, (argument, shown) in enumerate(zip(arguments, view.arguments, strict=True)):
        tree = argument_tree(source.document, argument.tokens, relation=source.relation)
        rows = [model.vectors.row(word) for word in shown.words]
        words = np.array([0 if row is None else row + 1 for row in rows])
        U, leaves = parameters["U"], model.leaves.astype(float)
        for node in {0, tree.leaves - 1, tree.root, *range(tree.leaves, tree.root + 1, 7)}:
            np.testing.assert_allclose(shown.up[node], upward(tree, words, leaves, U, node), atol=6e-5)
        for chain in view.chains if "V" in parameters else ():
            nodes = list(chain.down[side])
            assert nodes == sorted(nodes, reverse=True)  # from the root down
            assert {mention.node for mention in (chain.first, chain.second)[side]} <= set(nodes)
            for node in {nodes[0], nodes[-1]}:
                expected = downward(tree, words, leaves, parameters, node)
                np.testing.assert_allclose(chain.down[side][node], expected, atol=6e-5)


def check_scores(pipeline: Pipeline, prediction: Prediction, view: RelationView) -> None:
    said = [sense.explanation for sense in view.senses]
    assert [one.sense for one in said] == list(prediction.probabilities)[: len(view.senses)]
    for sense, one in zip(view.senses, said, strict=True):
        assert sense.probability == prediction.probabilities[one.sense]
        assert one.score == prediction.scores[one.sense]
        assert math.fsum(term.value for term in one.terms()) == pytest.approx(one.score, abs=1e-12)
        assert abs(one.rounding.value) < 1e-4 * max(1, abs(one.score))
        sizes = [abs(feature.value) for feature in one.features]
        assert sizes == sorted(sizes, reverse=True)
        explanation = pipeline.explain(prediction, sense=one.sense)
        assert [pair.value for pair in one.pairs] == [pair.value for pair in explanation.pairs]


@pytest.mark.parametrize("members", [1, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_has_a_view(kind: str, members: int) -> None:
    pipeline = small_pipeline(random_model(kind=kind, members=members))
    prediction = pipeline.classify(*TWICE)
    view = pipeline.view(prediction)
    check_scores(pipeline, prediction, view)
    assert [chain.chain for chain in view.chains] == ["Bob", "Tina"]
    assert (view.member, view.members) == (1, members)
    composes = kind in ("entities", "upward")
    assert view.dimensions == (8 if composes else 0)
    if kind != "entities":
        assert all(chain.down == ({}, {}) for chain in view.chains)
        assert all(sense.explanation.pairs == () for sense in view.senses)
    if composes:
        check_vectors(pipeline, prediction, view)
    else:
        assert [argument.up for argument in view.arguments] == [(), ()]


@pytest.mark.parametrize("name", ODD_PAIRS)
def test_odd_pairs(pipeline: Pipeline, name: str) -> None:
    prediction = pipeline.classify(*ODD_PAIRS[name])
    view = pipeline.view(prediction)
    check_vectors(pipeline, prediction, view)
    check_scores(pipeline, prediction, view)
    for argument, span in zip(view.arguments, (prediction.arg1, prediction.arg2), strict=True):
        leaves = len(argument.words)
        assert argument.span == span
        assert (len(argument.left), len(argument.right)) == (leaves - 1, leaves - 1)
        assert len(argument.labels) == len(argument.up) == 2 * leaves - 1
    json.dumps(view.to_json(), allow_nan=False).encode("utf-8")


def test_an_argument_with_a_gap(small: Pipeline) -> None:
    source = small.classify("Bob gave Tina the burger.", "She was hungry.").source
    assert source is not None
    argument = Argument((0, 2, 4), "Bob Tina burger")
    instance = replace(source, relation=replace(source.relation, arg1=argument))
    candidate = Candidate(instance, Span("Bob Tina burger", 0, 24), Span("She was hungry.", 0, 15))
    prediction = next(predict_candidates(small.model, small.calibration, [candidate]))
    view = small.view(prediction)
    assert view.arguments[0].words == ("Bob", "Tina", "burger")
    check_vectors(small, prediction, view)
    check_scores(small, prediction, view)


def test_the_json_is_plain_and_complete(small: Pipeline) -> None:
    prediction = small.classify(*TWICE)
    form = small.view(prediction).to_json()
    assert json.loads(json.dumps(form)) == form
    assert list(form) == [
        "relation", "arguments", "chains", "member", "members", "dimensions", "senses",
    ]  # fmt: skip
    assert form["relation"] == prediction.to_json()
    assert list(form["arguments"][0]) == ["text", "start", "end", "words", "left", "right", "labels", "up"]
    assert list(form["chains"][0]) == ["chain", "first", "second", "down"]
    assert form["chains"][0]["first"][0] == {"node": 0, "text": "Bob"}
    assert [set(way) for way in form["chains"][0]["down"]] != [set(), set()]
    assert len(form["senses"]) == 2  # EntRel and NoRel are no outcomes of given pairs
    with pytest.raises(InputError, match="no longer knows its text"):
        small.view(replace(prediction, source=None))
    assert list(form["senses"][0]) == [
        "sense", "probability", "score", "bias", "arguments", "pairs", "other_pairs", "features", "rounding",
        "words",
    ]  # fmt: skip
    assert list(form["senses"][0]["pairs"][0]) == ["chain", "arg1", "arg2", "value"]
    assert "-0.0," not in json.dumps(form["arguments"])
