"""What the estimator takes as X and y, and what it says about anything else."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6")

from sklearn.exceptions import DataConversionWarning

import disco2
from disco2.annotation.annotator import AnnotatorChoice
from disco2.data import Argument, Instance
from disco2.interfaces.estimator import Disco2Classifier, UnusableInputError, relations_of_pairs
from disco2.interfaces.estimator.inputs import AnnotationMemory, read_relations
from tests.inference.rule_annotator import RuleAnnotator
from tests.interfaces.made_up_pairs import SteadyRules, made_up_pairs, small_classifier

PAIRS, LABELS = made_up_pairs(20)
RELATIONS = relations_of_pairs(PAIRS, annotators=SteadyRules())


@pytest.fixture(scope="module")
def fitted() -> Disco2Classifier:
    return small_classifier().fit(PAIRS, LABELS)


def texts(X: object) -> list[tuple[str, str]]:
    found = []
    for one in read_relations(X):
        assert not isinstance(one, Instance)
        found.append((one.arg1, one.arg2))
    return found


@pytest.mark.parametrize(
    "X",
    [
        PAIRS,
        tuple(PAIRS),
        [list(pair) for pair in PAIRS],
        np.array(PAIRS),
        np.array(PAIRS, dtype=object),
        [np.array(pair) for pair in PAIRS],
    ],
    ids=["tuples", "tuple of tuples", "lists", "texts", "objects", "arrays"],
)
def test_pairs(X: object) -> None:
    assert texts(X) == PAIRS


def test_pandas(fitted: Disco2Classifier) -> None:
    pandas = pytest.importorskip("pandas")
    named = pandas.DataFrame([{"id": 1, "arg2": arg2, "arg1": arg1} for arg1, arg2 in PAIRS])
    column = pandas.Series(PAIRS, index=range(100, 120))
    for X in (named, named.astype({"arg1": "string"}), pandas.DataFrame(PAIRS), column, column.to_frame()):
        assert texts(X) == PAIRS
    relations = pandas.Series(RELATIONS)
    assert fitted.predict(relations).tolist() == fitted.predict(PAIRS).tolist()
    labels = pandas.Series(LABELS, dtype="category", index=range(5, 25))
    assert small_classifier().fit(named, labels).classes_.tolist() == ["because", "but"]
    lacking = pandas.Series([*LABELS[:-1], None], dtype="string")
    with pytest.raises(ValueError, match="y"):
        small_classifier().fit(named, lacking)
    with pytest.raises(ValueError, match="not both arg1 and arg2"):
        read_relations(named.rename(columns={"arg1": "first"}))
    named.loc[3, "arg2"] = None
    with pytest.raises(ValueError, match=r"row 3 of X"):
        read_relations(named)


def test_relations_need_no_annotator(fitted: Disco2Classifier) -> None:
    expected = fitted.predict_proba(PAIRS).tolist()
    assert fitted.predict_proba(RELATIONS).tolist() == expected
    assert fitted.predict_proba(np.array(RELATIONS, dtype=object)).tolist() == expected
    assert fitted.predict_proba(np.array(RELATIONS, dtype=object).reshape(-1, 1)).tolist() == expected
    annotator = RuleAnnotator()
    again = small_classifier(annotators=annotator).fit(RELATIONS, LABELS)
    assert annotator.documents == 0
    assert again.predict_proba(RELATIONS).tolist() == expected
    assert again.record_.data["annotators"] == ""
    assert again.record_.data["corpus"] == "relations"
    missing = small_classifier(annotators=AnnotatorChoice(spacy="no_such_pipeline")).fit(RELATIONS, LABELS)
    sent = pickle.loads(pickle.dumps(missing))  # noqa: S301
    assert sent.predict_proba(RELATIONS).tolist() == expected
    with pytest.raises(ValueError, match="no_such_pipeline"):
        sent.predict(PAIRS)


def test_what_the_pipeline_found_can_be_judged_again(fitted: Disco2Classifier) -> None:
    predictions = fitted.pipeline_("Bob likes tea. Ann prefers coffee. Max is tall.")
    assert fitted.predict(predictions).shape == (2,)
    assert fitted.decision_function(predictions)[0] == pytest.approx(
        predictions[0].scores["but"] - predictions[0].scores["because"], abs=1e-5
    )


def test_labels_are_those_of_y_and_not_of_the_relations() -> None:
    marked = [replace(relation, gold=("strange", "labels")) for relation in RELATIONS]
    model = small_classifier().fit(marked, LABELS)
    assert model.classes_.tolist() == ["because", "but"]
    assert model.predict_proba(RELATIONS).tolist() == (
        small_classifier().fit(RELATIONS, LABELS).predict_proba(RELATIONS).tolist()
    )


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([], "0 sample"),
        (None, "X can't be used"),
        ("two texts", "X can't be used"),
        ((pair for pair in PAIRS), "X can't be used"),
        (["one text"], "row 0 of X: 'one text' is not a pair of texts"),
        ([PAIRS[0], ("a", "b", "c")], r"row 1 of X: \('a', 'b', 'c'\) is not a pair of texts"),
        ([PAIRS[0], ("It rained.", 5)], "row 1 of X"),
        ([("It rained.", float("nan"))], "row 0 of X"),
        ([("...", "It rained.")], "row 0 of X: The argument arg1 has no word"),
        ([("It rained.", "half \ud800")], "half of a character"),
        ([PAIRS[0], RELATIONS[0]], "X"),
        (np.zeros((3, 2)), "row 0 of X"),
        (
            [replace(RELATIONS[0], relation=replace(RELATIONS[0].relation, arg2=Argument((), "")))],
            "An argument of relation pair has no token",
        ),
    ],
)
def test_unusable_relations(fitted: Disco2Classifier, X: Any, message: str) -> None:
    with pytest.raises(UnusableInputError, match=message) as caught:
        fitted.predict(X)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, disco2.InputError)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "target y is None"),
        (LABELS[:-1], "20 relations and y has 19 labels"),
        (["because"] * 20, r"only one class \(because\)"),
        ([*LABELS[:-1], None], "y can't be used"),
        (np.array([*LABELS[:-1], np.nan], dtype=object), "NaN"),
        ([1.0] * 10 + [2.0] * 9 + [float("nan")], "NaN"),
        (np.array([*LABELS[:-1], 5], dtype=object), "y can't be used"),
        (np.linspace(0, 1, 20), "Unknown label type"),
        (np.ones((20, 2), dtype=int), "1d array"),
    ],
)
def test_unusable_labels(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small_classifier().fit(PAIRS, y)


def test_a_column_of_labels_is_taken_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning):
        small_classifier(epochs=1).fit(PAIRS, np.array(LABELS).reshape(-1, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small_classifier(epochs=1).fit(PAIRS, LABELS)


def test_pairs_are_annotated_once_and_the_oldest_forgotten() -> None:
    annotator = RuleAnnotator()
    memory = AnnotationMemory(most=4)
    pairs = [one for one in read_relations(PAIRS) if not isinstance(one, Instance)]
    first = memory.relations(pairs[:3] + pairs[:1], annotator)
    assert annotator.documents == 3
    assert first[0] is first[3]
    again = memory.relations(pairs[:3], annotator)
    assert annotator.documents == 3
    assert all(one is other for one, other in zip(again, first, strict=False))
    memory.relations(pairs[3:7], annotator)
    assert annotator.documents == 7
    memory.relations(pairs[:1], annotator)
    assert annotator.documents == 8
    defined_again = type("RuleAnnotator", (RuleAnnotator,), {"__module__": RuleAnnotator.__module__})()
    memory.relations(pairs[:1], defined_again)  # as a notebook does it, with another content
    assert defined_again.documents == 1
