"""The scikit-learn estimator as a user has it: fit, predict, save, send elsewhere."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import disco2
from disco2.annotation.annotator import AnnotatorChoice, Annotators, Layer
from disco2.corpora.catalogue import with_automatic_layers
from disco2.corpora.pairs import read_pairs
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.train_run import train_model
from disco2.interfaces.estimator import (
    SETTING_OF,
    Disco2Classifier,
    UnusableInputError,
    UnusableSettingsError,
)
from tests.interfaces.made_up_pairs import SteadyRules, made_up_pairs, small_classifier

X, Y = made_up_pairs(40)


@pytest.fixture(scope="module")
def fitted() -> Disco2Classifier:
    return small_classifier().fit(X, Y)


def test_it_learns(fitted: Disco2Classifier) -> None:
    assert fitted.classes_.tolist() == ["because", "but"]
    assert fitted.score(X, Y) == 1
    assert fitted.predict([("Ann is tall.", "Bob is short.")]).tolist() == ["but"]
    assert fitted.history_.best is not None
    assert not hasattr(fitted, "n_features_in_")


def test_probabilities_are_those_of_the_pipeline(fitted: Disco2Classifier) -> None:
    probabilities = fitted.predict_proba(X[:6])
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(6))
    for row, pair in zip(probabilities, X, strict=False):
        prediction = fitted.pipeline_.classify(*pair)
        expected = [prediction.probabilities[name] for name in ("because", "but")]
        assert row.tolist() == pytest.approx(expected, rel=1e-4)  # a batch of another size rounds otherwise
    assert fitted.predict_log_proba(X[:6]) == pytest.approx(np.log(probabilities))
    assert fitted.pipeline_.calibration.temperature != 1


def test_defaults_are_those_of_disco2_train() -> None:
    usual = Configuration()
    parameters = Disco2Classifier().get_params()
    assert {name: parameters[name] for name in SETTING_OF} == {
        name: attrgetter(setting)(usual) for name, setting in SETTING_OF.items()
    }
    assert parameters["random_state"] == usual.training.seed
    assert repr(Disco2Classifier(K=50)) == "Disco2Classifier(K=50)"


def test_settings_reach_the_training() -> None:
    model = small_classifier(
        features=np.True_,
        K=np.int64(3),
        members=2,
        dropout=0.5,
        loss="logistic",
        settings={"features.production_rules": np.int64(0), "vectors.frequent": 10, "training.clip": 1},
    ).fit(X, Y)
    recorded = model.record_.configuration
    assert (recorded["model"]["K"], recorded["model"]["members"]) == (3, 2)
    assert (recorded["training"]["dropout"], recorded["training"]["loss"]) == (0.5, "logistic")
    assert (recorded["features"]["production_rules"], recorded["training"]["clip"]) == (0, 1.0)
    assert (
        model.pipeline_.model.parameters["U1" if "U1" in model.pipeline_.model.parameters else "b"].ndim > 1
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kind": "sideways"}, "one of: entities"),
        ({"K": 0}, "at least 1"),
        ({"K": "many"}, "a whole number"),
        ({"settings": {"model.K": 5}}, "Give K="),
        ({"settings": {"training.seed": 5}}, "Give random_state="),
        ({"settings": {"task.level": 1}}, "relations_of"),
        ({"settings": {"features.production_rule": 5}}, "features.production_rules"),
        ({"settings": ["model.K"]}, "names and values"),
        ({"annotators": "spacy"}, "an AnnotatorChoice"),
        ({"annotators": SteadyRules}, "an AnnotatorChoice"),
    ],
)
def test_invalid_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        small_classifier(**parameters).fit(X, Y)
    assert isinstance(caught.value, UnusableSettingsError)
    assert isinstance(caught.value, disco2.SettingsError)


def test_the_same_seed_gives_the_same_model() -> None:
    def scores(random_state: object) -> list[float]:
        model = small_classifier(random_state=random_state).fit(X, Y)
        return list(model.decision_function(X))

    assert scores(3) == scores(np.int64(3)) != scores(4)
    assert scores(np.random.RandomState(3)) == scores(np.random.RandomState(3))
    assert scores(None) != scores(None)
    with pytest.raises(ValueError, match="seed"):
        scores("three")


def test_labels_keep_their_type(tmp_path: Path) -> None:
    for labels in ([12, 2, 5], [2.0, 12.0, 5.0], [True, False], ["b", "a", "c"]):
        y = [labels[number % len(labels)] for number in range(40)]
        model = small_classifier(epochs=1).fit(X, y)
        assert model.classes_.tolist() == sorted(labels)
        assert model.classes_.dtype == np.array(labels).dtype
        assert set(model.predict(X).tolist()) <= set(labels)
        model.save(tmp_path / "model")
        again = Disco2Classifier.load(tmp_path / "model", annotators=SteadyRules())
        assert again.classes_.dtype == model.classes_.dtype
        assert again.predict_proba(X).tolist() == model.predict_proba(X).tolist()


def test_outcomes_without_a_sense_are_classes_too() -> None:
    labels = ["NoRel" if label == "but" else label for label in Y]
    model = small_classifier().fit(X, labels)
    assert model.classes_.tolist() == ["NoRel", "because"]
    assert model.score(X, labels) == 1
    assert model.pipeline_.classify(*X[2]).sense == "because"  # given arguments always have a sense
    with pytest.raises(ValueError, match="absence of a sense"):
        small_classifier().fit(X, ["NoRel" if label == "but" else "EntRel" for label in Y])


def test_a_saved_model_is_a_bundle(fitted: Disco2Classifier, tmp_path: Path) -> None:
    fitted.save(str(tmp_path / "model"))
    pipeline = disco2.load(tmp_path / "model", annotators=SteadyRules())
    assert pipeline.classify(*X[0]).probabilities == fitted.pipeline_.classify(*X[0]).probabilities
    assert "tokens, tags" in (tmp_path / "model" / "MODEL_CARD.md").read_text()
    again = Disco2Classifier.load(tmp_path / "model", annotators=SteadyRules())
    assert {**again.get_params(), "annotators": None} == {**fitted.get_params(), "annotators": None}
    assert again.predict_proba(X).tolist() == fitted.predict_proba(X).tolist()
    again.save(tmp_path / "copy")
    copied = (tmp_path / "copy" / "bundle.json").read_text()
    assert copied == (tmp_path / "model" / "bundle.json").read_text()


def test_nothing_is_answered_or_saved_before_fit(tmp_path: Path) -> None:
    for method in (small_classifier().predict, small_classifier().predict_proba):
        with pytest.raises(NotFittedError):
            method(X)
    with pytest.raises(NotFittedError):
        small_classifier().save(tmp_path / "model")


def test_pickling(fitted: Disco2Classifier) -> None:
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301
    assert again.predict_proba(X).tolist() == fitted.predict_proba(X).tolist()
    unfitted = pickle.loads(pickle.dumps(Disco2Classifier(annotators=AnnotatorChoice())))  # noqa: S301
    assert unfitted.annotators == AnnotatorChoice()
    with pytest.raises(UnusableSettingsError, match="the AnnotatorChoice itself"):
        pickle.dumps(Disco2Classifier(annotators=Annotators([SteadyRules()])))


def test_clones_share_their_annotators_and_nothing_else(fitted: Disco2Classifier) -> None:
    copied = clone(fitted)
    assert not hasattr(copied, "classes_")
    assert copied.annotators is fitted.annotators
    assert copied.settings == fitted.settings
    assert copied.settings is not fitted.settings


def test_weights_count() -> None:
    doubtful = [*X, *X]
    labels = [*Y, *("but" if label == "because" else "because" for label in Y)]
    for trusted, right in ((slice(0, 40), True), (slice(40, 80), False)):
        weights = np.full(80, 0.01)
        weights[trusted] = 1
        model = small_classifier(kind="surface", epochs=8).fit(doubtful, labels, sample_weight=weights)
        assert (model.score(X, Y) > 0.9) == right
        assert (model.score(X, Y) < 0.1) != right
    without = small_classifier().fit(doubtful, labels, sample_weight=[1] * 40 + [0] * 40)
    assert without.decision_function(X).tolist() == small_classifier().fit(X, Y).decision_function(X).tolist()
    assert without.record_.data["training_relations"] == 32


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "shape"),
        ([-1] * 40, "Negative"),
        ([0] * 40, "zero"),
        ([float("nan")] * 40, "NaN"),
        ([1, 1, 0, 0] * 10, "one class"),
    ],
)
def test_unusable_weights(weights: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small_classifier().fit(X, Y, sample_weight=weights)


def test_a_development_part_may_be_given() -> None:
    model = small_classifier().fit(X[:30], Y[:30], development=(X[30:], Y[30:]))
    assert (model.record_.data["training_relations"], model.record_.data["development_relations"]) == (30, 10)
    with pytest.raises(UnusableInputError, match="not known"):
        small_classifier().fit(X, Y, development=(X[:1], ["perhaps"]))
    with pytest.raises(UnusableInputError, match="no pair of X and y"):
        small_classifier().fit(X, Y, development=X)
    with pytest.raises(UnusableInputError, match="1 labels"):
        small_classifier().fit(X, Y, development=(X[:2], Y[:1]))


def test_few_relations() -> None:
    pairs, labels = X[:10], [*"abcdefgh", "h", "h"]
    model = small_classifier(settings={"vectors.frequent": 10}).fit(pairs, labels)
    assert model.classes_.tolist() == list("abcdefgh")
    assert model.record_.data["training_relations"] == 8
    assert small_classifier().fit(X[:3], ["a", "a", "b"]).predict(X[:3]).shape == (3,)
    with pytest.raises(UnusableInputError, match="too few"):
        small_classifier().fit(X[:3], ["a", "b", "c"])
    with pytest.raises(UnusableInputError, match="one class"):
        small_classifier().fit(X[:3], ["a", "a", "a"])


def test_it_learns_what_disco2_train_learns(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    rows = [{"arg1": a, "arg2": b, "label": label} for (a, b), label in zip(X, Y, strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)))
    model = small_classifier().fit(X, Y)
    corpus = with_automatic_layers(read_pairs(path), SteadyRules(), frozenset(Layer))
    configuration = Configuration.from_json(model.record_.configuration)
    trained = train_model(corpus, divide(corpus, configuration), configuration).model
    learned = model.pipeline_.model
    assert trained.labels == learned.labels
    assert trained.parameters.keys() == learned.parameters.keys()
    for name, value in trained.parameters.items():
        assert (value == learned.parameters[name]).all()


def test_without_scikit_learn_a_hint_is_given() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import disco2\n"
        "try:\n    disco2.Disco2Classifier\n"
        "except disco2.MissingExtraError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "disco2[sklearn]"' in done.stdout
