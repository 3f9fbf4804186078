"""What reaches training, for the paper's model and for encoders; the paper's central claim."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disco2.bundle import Manifest, load_bundle
from disco2.corpora.pairs import read_pairs
from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
from disco2.data import Corpus, RelationKind
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.division import Parts, divide
from disco2.experiments.evaluating import evaluate_model
from disco2.experiments.train_run import Preparations, calibrated, prepare_training, save_model, train_model
from disco2.model import EncoderModel
from disco2.model.encoder_model import pair_texts
from disco2.training.fit import Fitted
from tests.encoders import text_scores, write_encoder

QUICK = read_configuration(None, ["model.kind=surface", "training.epochs=2"])


def test_training_gets_the_training_part_and_development_the_dev_part(
    role_pairs: Corpus, prepared: dict[str, Any]
) -> None:
    prepare_training(role_pairs, divide(role_pairs, QUICK), QUICK)
    assert {role_pairs.parts[one.document.id] for one in prepared["training"]} == {"train"}
    assert {role_pairs.parts[one.document.id] for one in prepared["development"]} == {"dev"}
    assert (len(prepared["training"]), len(prepared["development"])) == (60, 12)
    assert not prepared["balanced"]

    twice = QUICK.changed({"task.whole_sentences": True})
    found = prepare_training(role_pairs, divide(role_pairs, twice), twice)
    assert (len(prepared["training"]), len(prepared["development"])) == (120, 12)
    assert found.training_relations == 60

    binary = QUICK.changed({"task.versus": "Contingency"})
    prepare_training(role_pairs, divide(role_pairs, binary), binary)
    assert (prepared["positive"], prepared["balanced"]) == ("Contingency", True)


@pytest.mark.parametrize("part", ["dev", "test"])
def test_labels_come_from_the_training_part_alone(role_pairs: Corpus, part: str) -> None:
    relations = tuple(
        replace(one, senses=("Temporal.Synchronous",)) if role_pairs.parts[one.document] == part else one
        for one in role_pairs.relations
    )
    parts = divide(replace(role_pairs, relations=relations), QUICK)
    assert parts.labels == ("Comparison.Concession", "Contingency.Cause")
    assert parts.instances[part] == []
    assert parts.dropped[part].total() == 12


def test_folds_do_not_move_with_the_training_seed(role_pairs: Corpus) -> None:
    first = divide(role_pairs, QUICK.changed({"task.protocol": "cv5-0", "training.seed": 1}))
    second = divide(role_pairs, QUICK.changed({"task.protocol": "cv5-0", "training.seed": 2}))
    other = divide(role_pairs, QUICK.changed({"task.protocol": "cv5-0", "task.folds": 2}))
    assert first.relations == second.relations != other.relations


def test_a_model_is_judged_by_its_own_task_and_protocol(role_pairs: Corpus, tmp_path: Path) -> None:
    configuration = QUICK.changed({"task.versus": "Contingency"})
    parts = divide(role_pairs, configuration)
    save_model(
        train_model(role_pairs, parts, configuration), parts, configuration, role_pairs, tmp_path / "m"
    )
    model, manifest = load_bundle(tmp_path / "m")
    judged = evaluate_model(model, manifest, role_pairs, part="test")
    assert judged.answers.labels == ("Contingency", "Other")
    assert judged.evaluation.positive == "Contingency"
    assert {role_pairs.parts[name] for name in judged.answers.documents} == {"test"}
    assert judged.warnings == ()
    fold = evaluate_model(model, manifest, role_pairs, part="test", protocol="cv5-0")
    assert "may hold relations it has seen" in fold.warnings[0]
    other = evaluate_model(model, manifest, replace(role_pairs, automatic=("coreference",)), part="test")
    assert "in training: none; here: coreference" in other.warnings[0]
    assert set(fold.answers.relations) != set(judged.answers.relations)
    assert isinstance(manifest, Manifest)
    assert len(set(manifest.label_counts.values())) == 1  # the smaller class was repeated
    assert Configuration.from_json(manifest.configuration) == configuration


def test_training_does_not_depend_on_how_python_hashes(tmp_path: Path) -> None:
    write_role_pairs(tmp_path / "corpus", size=60, seed=1)
    for seed in ("0", "1"):
        arguments = ["train", "--corpus", "role-pairs", "--path", "corpus", "--output", f"model-{seed}"]
        command = [sys.executable, "-m", "disco2", *arguments, "--set", "training.epochs=2"]
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    first, second = (sorted((tmp_path / f"model-{seed}").iterdir()) for seed in "01")
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


THREE_PASSES = read_configuration(None, ["model.kind=surface", "training.epochs=3", "model.K=50"])
Trained = tuple[Corpus, Parts, Fitted]


@pytest.fixture(scope="module")
def trained(role_pairs: Corpus) -> Trained:
    parts = divide(role_pairs, THREE_PASSES)
    return role_pairs, parts, train_model(role_pairs, parts, THREE_PASSES)


def test_a_saved_model_knows_its_temperature(trained: Trained, tmp_path: Path) -> None:
    corpus, parts, fitted = trained
    save_model(fitted, parts, THREE_PASSES, corpus, tmp_path / "m")
    model, manifest = load_bundle(tmp_path / "m")
    fitted_here, errors = calibrated(fitted.model, parts.instances["dev"])
    assert manifest.temperature == pytest.approx(fitted_here.temperature)
    assert manifest.running_text_temperature == manifest.temperature  # all labels are senses
    assert errors.keys() == {"given_arguments_before", "given_arguments_after"}
    name = "development_calibration_error_of_given_arguments_after"
    assert manifest.figures[name] == pytest.approx(errors["given_arguments_after"])
    assert manifest.label_counts == {"Comparison.Concession": 30, "Contingency.Cause": 30}
    assert model.vectors.matrix.dtype == np.float32
    card = (tmp_path / "m" / "MODEL_CARD.md").read_text()
    assert "development calibration error of given arguments before" in card
    assert "never answers that there is no relation" in card


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


ENDINGS = {"Contingency.Cause": "rain", "Comparison.Contrast": "sun", "NoRel": "fair"}
SUBJECTS = ("miller", "baker", "sailor", "farmer", "doctor", "painter", "tailor", "hunter")
WORDS = ["the", "of", "village", "saw", "today", ".", "on", "that", "day", "they"]


def train(folder: Path, *, known: set[str], dev_without_relation: int, features: bool) -> EncoderModel:
    """Train on 60 pairs of two senses and 6 of NoRel; the encoder has vectors for ``known`` words."""
    for package in ("torch", "transformers", "onnx"):
        pytest.importorskip(package)
    lines = []
    parts = [("train", {"Contingency.Cause": 30, "Comparison.Contrast": 30, "NoRel": 6})]
    parts += [("dev", {"Contingency.Cause": 12, "Comparison.Contrast": 12, "NoRel": dev_without_relation})]
    for split, counts in parts:
        for label, count in counts.items():
            for number in range(count):
                # A tenth of the pairs ends like one of another label, so that no answer is certain.
                ending = ENDINGS[label] if number % 10 else "fair"
                first = f"The {SUBJECTS[number % 8]} of village {split}{number} saw that."
                pair = {"arg1": first, "arg2": f"On that day they saw the {ending} today.", "label": label}
                lines.append(json.dumps({**pair, "split": split}) + "\n")
    folder.mkdir()
    (folder / "pairs.jsonl").write_text("".join(lines), encoding="utf-8")
    write_encoder(folder, {*WORDS, *known})
    settings = {
        "model.kind": "encoder",
        "model.features": str(features).lower(),
        "model.pieces": 32,
        "task.outcomes": "running-text",
        "task.minimum": 1,
        "encoder.folder": folder,
        "encoder.epochs": 3,
        "encoder.rate": 3e-3,
        "encoder.batch_size": 8,
        "encoder.averaging": 0,
        "features.minimum_count": 1,
        "training.epochs": 20,
    }
    configuration = read_configuration(None, [f"{name}={value}" for name, value in settings.items()])
    corpus = read_pairs(folder / "pairs.jsonl")
    parts_of_corpus = divide(corpus, configuration)
    model = train_model(corpus, parts_of_corpus, configuration).model
    assert isinstance(model, EncoderModel)
    return model


def test_features_say_what_the_text_does_not(tmp_path: Path) -> None:
    """The words that decide are unknown to the encoder; word pairs know them."""
    model = train(tmp_path / "with", known=set(), dev_without_relation=2, features=True)
    assert model.extractor is not None
    assert model.feature_weights is not None
    assert np.abs(model.feature_weights).max() > 0
    corpus = read_pairs(tmp_path / "with" / "pairs.jsonl")
    configuration = read_configuration(None, ["task.outcomes=running-text", "task.minimum=1"])
    dev = divide(corpus, configuration).instances["dev"]
    right = [label in one.gold for label, one in zip(model.predict(dev), dev, strict=True)]
    text = text_scores(model, pair_texts(dev)).argmax(axis=1)
    right_by_text = [model.labels[label] in one.gold for label, one in zip(text, dev, strict=True)]
    assert np.mean(right) > 0.8 > np.mean(right_by_text)


def test_outcomes_of_running_text_are_as_likely_as_in_the_dev_part(tmp_path: Path) -> None:
    """The same training with a dev part of few or many pairs without relation: only NoRel's bias differs."""
    few = train(tmp_path / "few", known=set(ENDINGS.values()), dev_without_relation=1, features=False)
    many = train(tmp_path / "many", known=set(ENDINGS.values()), dev_without_relation=40, features=False)
    without_relation = few.labels.index("NoRel")
    assert many.bias[without_relation] > few.bias[without_relation]
    senses = few.is_sense
    np.testing.assert_array_equal(few.bias[senses], many.bias[senses])
    np.testing.assert_array_equal(few.weights, many.weights)


def test_only_with_entities_the_roles_are_told_apart(tmp_path: Path) -> None:
    corpus = read_role_pairs(write_role_pairs(tmp_path / "corpus", size=1000, seed=3))
    accuracies = {}
    for kind in ("entities", "upward", "additive", "surface"):
        configuration = Configuration().changed({"model.kind": kind})
        parts = divide(corpus, configuration)
        test = parts.instances["test"]
        predicted = train_model(corpus, parts, configuration).model.predict(test)
        right = [label in one.gold for label, one in zip(predicted, test, strict=True)]
        accuracies[kind] = np.mean(right)
    assert accuracies.pop("entities") >= 0.9
    assert set(accuracies.values()) == {0.5}


ANY_K = read_configuration(None, ["model.kind=entities", "training.epochs=2", "vectors.frequent=200"])


@pytest.mark.parametrize("settings", [{}, {"model.kind": "surface"}, {"task.versus": "Contingency"}])
def test_kept_preparations_give_the_same_model_for_any_k(
    role_pairs: Corpus, settings: dict[str, Any]
) -> None:
    preparations = Preparations()
    for K, seed in product((7, 5, 9, 5), (1, 2)):
        configuration = ANY_K.changed({**settings, "model.K": K, "training.seed": seed})
        parts = divide(role_pairs, configuration)
        kept = train_model(role_pairs, parts, configuration, preparations=preparations)
        fresh = train_model(role_pairs, parts, configuration)
        assert kept.history == fresh.history
        assert kept.model.settings == fresh.model.settings
        development = parts.instances["dev"]
        np.testing.assert_array_equal(kept.model.scores(development), fresh.model.scores(development))
