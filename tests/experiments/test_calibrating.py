"""The temperature that a saved model carries, and the figures beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disco2.bundle import load_bundle
from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
from disco2.experiments.calibrating import calibration_errors, temperature_of
from disco2.experiments.configuration import read_configuration
from disco2.experiments.division import divide
from disco2.experiments.train_run import save_model, train_model
from disco2.records import RelationKind

QUICK = read_configuration(None, ["model.kind=surface", "training.epochs=3", "model.K=50"])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    corpus = read_role_pairs(write_role_pairs(tmp_path_factory.mktemp("pairs") / "corpus", size=60, seed=1))
    parts = divide(corpus, QUICK)
    return corpus, parts, train_model(corpus, parts, QUICK)


def test_a_saved_model_knows_its_temperature(trained, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    corpus, parts, fitted = trained
    save_model(fitted, parts, QUICK, corpus, tmp_path / "m", figures={"test_accuracy": 0.5}, compact=True)
    model, manifest = load_bundle(tmp_path / "m")
    assert manifest.temperature == pytest.approx(temperature_of(fitted.model, parts.instances["dev"]))
    errors = calibration_errors(fitted.model, manifest.temperature, parts.instances["dev"])
    assert manifest.figures["development_calibration_error_after"] == pytest.approx(errors["after"])
    assert manifest.figures["test_accuracy"] == 0.5
    assert model.vectors.matrix.dtype == np.float32
    card = (tmp_path / "m" / "MODEL_CARD.md").read_text()
    assert "development calibration error before" in card
    assert "never answers that there is no relation" in card


def test_scores_that_are_too_sure_are_cooled_down(trained) -> None:  # type: ignore[no-untyped-def]
    _, parts, fitted = trained
    model, development = fitted.model, parts.instances["dev"]
    loud = replace(model, parameters={name: 50 * value for name, value in model.parameters.items()})
    temperature = temperature_of(loud, development)
    assert temperature > temperature_of(model, development)
    errors = calibration_errors(loud, temperature, development)
    assert errors["after"] < errors["before"]
    assert temperature_of(model, []) == 1


def test_among_senses_only_relations_with_a_sense_count(trained) -> None:  # type: ignore[no-untyped-def]
    _, parts, fitted = trained
    model = fitted.model
    named = replace(model, labels=(*model.labels[:-1], "NoRel"))
    some = [replace(one, gold=(named.labels[0],)) for one in parts.instances["dev"][:4]]
    none = [
        replace(one, gold=("NoRel",), relation=replace(one.relation, kind=RelationKind.NOREL))
        for one in parts.instances["dev"][4:8]
    ]
    alone = calibration_errors(named, 1.0, some)
    assert calibration_errors(named, 1.0, [*some, *none])["before_among_senses"] == pytest.approx(
        alone["before_among_senses"]
    )
    assert "before_among_senses" not in calibration_errors(model, 1.0, parts.instances["dev"])
