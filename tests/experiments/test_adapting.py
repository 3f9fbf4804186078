"""A model adapted to labelled pairs: known labels, the bundle, and what is said about the gain."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disco2.bundle import load_bundle, save_bundle
from disco2.corpora.pairs import read_pairs
from disco2.data import Corpus
from disco2.errors import CorpusError, SettingsError
from disco2.experiments.adapting import adapt_model, adaptable_instances, read_base, save_adapted
from tests.encoders import small_encoder
from tests.inference.small_pipeline import write_small_bundle

CAUSE, CONCESSION = "Contingency.Cause", "Comparison.Concession"


def pairs_file(folder: Path, rows: list[tuple[str, str, str]]) -> Path:
    path = folder / "labels.csv"
    lines = ["arg1,arg2,label", *(",".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def learnable(folder: Path) -> Corpus:
    """Labels that the last word decides."""
    rows = []
    for number in range(40):
        word, label = ("hungry", CAUSE) if number % 2 else ("cancelled", CONCESSION)
        rows.append((f"it rained {'so ' * (number // 2)}.", f"she was {word} .", label))
    return read_pairs(pairs_file(folder, rows))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base") / "small"
    data = {"licence": "none", "label_counts": {CAUSE: 5, CONCESSION: 5, "NoRel": 5}, "notes": ["A note."]}
    save_bundle(small_encoder(), folder, data=data, calibration={"temperature": 1.5})
    return folder


def test_a_model_learns_and_its_bundle_says_from_what(base: Path, tmp_path: Path) -> None:
    model, manifest = read_base(base)
    adapted = adapt_model(learnable(tmp_path), model, manifest, name="small", seed=1)
    (before, _), (after, interval) = adapted.accuracy.values()
    assert before < after == 1
    assert interval[0] > 0.9
    assert adapted.verdict.startswith("Gain: +")
    others = [place for place, label in enumerate(model.labels) if label == "NoRel"]
    assert np.array_equal(adapted.model.weights[others], model.weights[others])  # no answer for given pairs
    save_adapted(adapted, tmp_path / "adapted", source="labels.csv")
    again, written = load_bundle(tmp_path / "adapted")
    assert np.array_equal(again.parameters["W"], adapted.model.weights)
    assert written.temperature == 1.5
    assert written.label_counts == {CAUSE: 25, CONCESSION: 25, "NoRel": 5}
    card = (tmp_path / "adapted" / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert (
        f"Adapted from the model 'small' (digest {manifest.to_json()['digest']}) on 40 labelled pairs" in card
    )
    assert "accuracy on these pairs after, by 5-fold cross-validation: 1.0000" in card


def test_no_gain_is_said(base: Path, tmp_path: Path) -> None:
    """Labels that are the model's own answers can't be improved on."""
    model, manifest = read_base(base)
    corpus = learnable(tmp_path)
    senses = [label for label in model.labels if label != "NoRel"]
    texts = [(one.relation.arg1.text, one.relation.arg2.text) for one in adaptable_instances(corpus, senses)]
    columns = np.flatnonzero(model.is_sense)
    answers = model.scores(adaptable_instances(corpus, senses))[:, columns].argmax(axis=1)
    rows = [(*pair, senses[answer]) for pair, answer in zip(texts, answers, strict=True)]
    adapted = adapt_model(read_pairs(pairs_file(tmp_path, rows)), model, manifest, name="small", seed=1)
    assert adapted.accuracy["before"][0] == 1
    assert adapted.verdict.startswith("No gain: ")
    assert "'small'" in adapted.verdict


def test_labels_and_models_that_do_not_fit(base: Path, tmp_path: Path) -> None:
    model, _ = read_base(base)
    rows = [("it rained .", "we left .", "Contingency.Couse")] * 30
    with pytest.raises(
        CorpusError, match=rf"Couse'\. Did you mean '{CAUSE}'\? It knows: {CONCESSION}, {CAUSE}"
    ):
        adaptable_instances(read_pairs(pairs_file(tmp_path, rows)), model.labels)
    rows = [("it rained .", "we left .", CAUSE)] * 3
    with pytest.raises(CorpusError, match="3 labelled pairs, and at least 20"):
        adaptable_instances(read_pairs(pairs_file(tmp_path, rows)), model.labels)
    with pytest.raises(SettingsError, match=r"Only an encoder can be adapted.*--from-model en"):
        read_base(write_small_bundle(tmp_path / "paper"))
