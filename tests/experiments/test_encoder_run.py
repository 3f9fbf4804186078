"""A training of an encoder as a whole: surface features beside the text, and offsets of EntRel and NoRel."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from disco2.corpora.pairs import read_pairs
from disco2.experiments.configuration import read_configuration
from disco2.experiments.division import divide
from disco2.experiments.train_run import train_model
from disco2.model import EncoderModel
from tests.encoders import write_encoder

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

ENDINGS = {"Contingency.Cause": "rain", "Comparison.Contrast": "sun", "NoRel": "fair"}
SUBJECTS = ("miller", "baker", "sailor", "farmer", "doctor", "painter", "tailor", "hunter")
WORDS = ["the", "of", "village", "saw", "today", ".", "on", "that", "day", "they"]


def train(folder: Path, *, known: set[str], dev_without_relation: int, features: bool) -> EncoderModel:
    """Train on 60 pairs of two senses and 6 of NoRel; the encoder has vectors for ``known`` words."""
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
    text = model.score_texts([(one.relation.arg1.text, one.relation.arg2.text) for one in dev]).argmax(axis=1)
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
