"""Temperatures of probabilities, and how well they fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disco2.bundle import load_bundle
from disco2.data import Corpus, RelationKind
from disco2.experiments.bundle_record import calibrated
from disco2.experiments.configuration import read_configuration
from disco2.experiments.division import Parts, divide
from disco2.experiments.train_run import save_model, train_model
from disco2.model.probabilities import Calibration
from disco2.training.fit import Fitted

QUICK = read_configuration(None, ["model.kind=surface", "training.epochs=3", "model.K=50"])


Trained = tuple[Corpus, Parts, Fitted]


@pytest.fixture(scope="module")
def trained(role_pairs: Corpus) -> Trained:
    parts = divide(role_pairs, QUICK)
    return role_pairs, parts, train_model(role_pairs, parts, QUICK)


def test_a_saved_model_knows_its_temperature(trained: Trained, tmp_path: Path) -> None:
    corpus, parts, fitted = trained
    save_model(fitted, parts, QUICK, corpus, tmp_path / "m", figures={"test_accuracy": 0.5})
    model, manifest = load_bundle(tmp_path / "m")
    fitted_here, errors = calibrated(fitted.model, parts.instances["dev"])
    assert manifest.temperature == pytest.approx(fitted_here.temperature)
    assert manifest.running_text_temperature == manifest.temperature  # all labels are senses
    assert errors.keys() == {"given_arguments_before", "given_arguments_after"}
    name = "development_calibration_error_of_given_arguments_after"
    assert manifest.figures[name] == pytest.approx(errors["given_arguments_after"])
    assert manifest.label_counts == {"Comparison.Concession": 30, "Contingency.Cause": 30}
    assert manifest.figures["test_accuracy"] == 0.5
    assert model.vectors.matrix.dtype == np.float32
    card = (tmp_path / "m" / "MODEL_CARD.md").read_text()
    assert "development calibration error of given arguments before" in card
    assert "never answers that there is no relation" in card


def test_scores_that_are_too_sure_are_cooled_down(trained: Trained) -> None:
    _, parts, fitted = trained
    model, development = fitted.model, parts.instances["dev"]
    loud = replace(model, parameters={name: 50 * value for name, value in model.parameters.items()})
    found, errors = calibrated(loud, development)
    assert found.temperature > calibrated(model, development)[0].temperature
    assert errors["given_arguments_after"] < errors["given_arguments_before"]
    assert calibrated(model, []) == (Calibration(1.0), {})


def test_running_text_has_a_temperature_of_its_own(trained: Trained) -> None:
    _, parts, fitted = trained
    model = fitted.model
    named = replace(model, labels=(*model.labels[:-1], "NoRel"))
    some = [replace(one, gold=(named.labels[0],)) for one in parts.instances["dev"][:4]]
    none = [
        replace(one, gold=("NoRel",), relation=replace(one.relation, kind=RelationKind.NOREL))
        for one in parts.instances["dev"][4:8]
    ]
    senses, alone = calibrated(named, some)
    both, errors = calibrated(named, [*some, *none])
    assert both.temperature == senses.temperature  # NoRel is no outcome between given arguments
    assert both.of_running_text != senses.of_running_text
    assert errors["given_arguments_after"] == alone["given_arguments_after"]
    assert errors["running_text_after"] != alone["running_text_after"]
    # A development part without a single sense does not stop a model from being saved.
    assert calibrated(named, none)[1].keys() == {"running_text_before", "running_text_after"}
