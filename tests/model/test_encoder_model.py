"""The encoder: scores by the equation of its docstring, alone and in company; what it refuses to load."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from onnx import helper
from tokenizers import Tokenizer

from disco2.annotation.annotator import AnnotatorChoice
from disco2.bundle import load_bundle, save_bundle
from disco2.bundle.manifest import ENCODER, TOKENIZER
from disco2.data import Instance
from disco2.errors import BundleError
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.inference.pipeline import Pipeline
from disco2.model import EncoderModel
from disco2.shipped import MANIFEST
from tests.encoders import SIZE, small_encoder, small_onnx, tokenizer_json
from tests.instances import reasons_and_results

PAIRS = [
    ("It rained.", "The match was cancelled."),
    ("Tom left!", "She was hungry."),
    ("It rained.", "Zebra!"),
]


def slow_scores(model: EncoderModel, arg1: str, arg2: str) -> np.ndarray:
    """psi = W [m1; m2] + b, piece by piece."""
    session = onnxruntime.InferenceSession(model.onnx, providers=["CPUExecutionProvider"])
    pieces = Tokenizer.from_str(model.tokenizer.decode()).encode(arg1, arg2)
    given = {
        "input_ids": [pieces.ids],
        "token_type_ids": [pieces.type_ids],
    }
    states = session.run(None, {name: np.array(value, dtype=np.int64) for name, value in given.items()})[0][0]
    means = []
    for side in (0, 1):
        rows = [states[place] for place, kind in enumerate(pieces.type_ids) if kind == side]
        means.append(sum(rows) / len(rows))
    return np.array(model.weights) @ np.concatenate(means) + model.bias


def test_scores_follow_the_equation() -> None:
    model = small_encoder()
    found = model.score_texts(PAIRS)
    for row, pair in zip(found, PAIRS, strict=True):
        np.testing.assert_allclose(row, slow_scores(model, *pair), rtol=1e-5, atol=1e-5)


def test_a_pair_has_the_same_scores_alone_and_in_company() -> None:
    model = small_encoder()
    together = model.score_texts(PAIRS)
    for place, pair in enumerate(PAIRS):
        np.testing.assert_array_equal(model.score_texts([pair])[0], together[place])


def test_bias_and_arguments_add_up_to_the_scores() -> None:
    model = small_encoder()
    for pair in PAIRS:
        first, second = model.argument_terms(*pair)
        np.testing.assert_allclose(model.bias + first + second, model.score_texts([pair])[0], atol=1e-5)


def test_words_are_found_where_they_stand_and_a_masked_word_changes_the_score_by_its_value() -> None:
    model = small_encoder()
    arg1, arg2 = "It  rained.", "We left!"
    words = model.word_terms(arg1, arg2)
    texts = [(word.argument, (arg1, arg2)[word.argument - 1][word.start : word.end]) for word in words]
    assert texts == [(1, "It"), (1, "rained"), (1, "."), (2, "We"), (2, "left"), (2, "!")]
    masked = slow_scores(model, "It [MASK].", arg2)
    np.testing.assert_allclose(words[1].values, model.score_texts([(arg1, arg2)])[0] - masked, atol=1e-5)


def test_long_texts_are_cut_and_empty_ones_are_no_fault() -> None:
    model = small_encoder()
    assert np.isfinite(model.score_texts([("rained " * 5000, "left " * 5000), ("", "")])).all()


def test_a_bundle_holds_it_and_loads_it_unchanged(tmp_path: Path) -> None:
    model = small_encoder()
    save_bundle(model, tmp_path / "m", data={"corpus": "made up"})
    loaded, manifest = load_bundle(tmp_path / "m")
    assert isinstance(loaded, EncoderModel)
    assert manifest.format == 3
    np.testing.assert_array_equal(loaded.score_texts(PAIRS), model.score_texts(PAIRS))


def with_features(instances: Sequence[Instance]) -> EncoderModel:
    """The small encoder with features of some instances and made-up weights."""
    extractor = FeatureExtractor.fit(instances, FeatureSettings(minimum_count=1, layout=True, first_words=2))
    model = small_encoder(("Cause", "Result"))
    weights = np.random.default_rng(3).normal(size=(2, extractor.width)).astype(np.float32)
    return replace(model, extractor=extractor, feature_weights=weights)


def test_features_that_fire_add_their_weights(tmp_path: Path) -> None:
    instances = reasons_and_results(12, seed=1)
    model = with_features(instances)
    assert model.extractor is not None
    assert model.feature_weights is not None
    texts = model.score_texts([(one.relation.arg1.text, one.relation.arg2.text) for one in instances])
    fired = model.extractor.transform(instances)
    for row, score in enumerate(model.scores(instances)):
        added = sum(model.feature_weights[:, column] for column in fired[row].tolist())
        np.testing.assert_allclose(score, texts[row] + added, atol=1e-4)
    assert max(len(fired[row]) for row in range(len(fired))) > 3
    save_bundle(model, tmp_path / "m", data={"corpus": "made up"})
    loaded, _ = load_bundle(tmp_path / "m")
    np.testing.assert_array_equal(loaded.scores(instances), model.scores(instances))


def test_the_terms_of_text_and_features_add_up_to_the_score() -> None:
    nlp = Pipeline(AnnotatorChoice().open(), with_features(reasons_and_results(12, seed=1)))
    explanation = nlp.explain(nlp.classify("It rained.", "The match was cancelled."))
    assert explanation.features
    assert abs(explanation.rounding.value) < 1e-4
    total = math.fsum(term.value for term in explanation.terms())
    assert total == pytest.approx(explanation.score, abs=1e-12)


def test_weights_that_do_not_fit_the_features_are_refused() -> None:
    model = with_features(reasons_and_results(12, seed=1))
    with pytest.raises(ValueError, match="features"):
        replace(model, feature_weights=None)
    with pytest.raises(ValueError, match="features"):
        replace(model, feature_weights=np.zeros((2, 1), dtype=np.float32))


@pytest.mark.parametrize("name", [ENCODER, TOKENIZER])
def test_a_changed_byte_is_noticed(name: str, tmp_path: Path) -> None:
    save_bundle(small_encoder(), tmp_path / "m")
    content = bytearray((tmp_path / "m" / name).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "m" / name).write_bytes(content)
    with pytest.raises(BundleError, match="damaged"):
        load_bundle(tmp_path / "m")


def test_a_missing_encoder_is_named(tmp_path: Path) -> None:
    save_bundle(small_encoder(), tmp_path / "m")
    (tmp_path / "m" / ENCODER).unlink()
    with pytest.raises(BundleError, match=r"encoder\.onnx"):
        load_bundle(tmp_path / "m")
    assert (tmp_path / "m" / MANIFEST).is_file()


CUSTOM = helper.make_node("Surprise", ["a"], ["c"], domain="evil.example")
LOOP = helper.make_node("If", ["a"], ["c"], then_branch=helper.make_graph([], "t", [], []))


@pytest.mark.parametrize(
    ("onnx", "said"),
    [
        (small_onnx(extra_nodes=[CUSTOM]), "evil.example.Surprise"),
        (small_onnx(extra_nodes=[LOOP]), "loops or branches"),
        (small_onnx(external=True), "another file"),
        (small_onnx()[:-40], "ONNX model"),
        (b"", "not an ONNX model"),
        (b"\xff" * 100, "ONNX model"),
        (b"not a model at all", "ONNX model"),
    ],
)
def test_onnx_that_could_do_more_is_refused(onnx: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(small_encoder(), onnx=onnx)


def test_parts_that_do_not_fit_are_refused() -> None:
    model = small_encoder()
    with pytest.raises(ValueError, match="tokenizer"):
        replace(model, tokenizer=b"{}")
    with pytest.raises(ValueError, match="labels"):
        replace(model, bias=np.zeros(7, dtype=np.float32))
    with pytest.raises(ValueError, match="does not fit its weights"):
        replace(model, weights=np.zeros((3, 2 * SIZE + 2), dtype=np.float32))
    more = tokenizer_json().replace(b'"rained":6', b'"rained":60000')
    assert more != tokenizer_json()
    with pytest.raises(ValueError, match="can't be run"):
        replace(model, tokenizer=more)


def test_it_can_be_sent_to_another_process() -> None:
    model = small_encoder()
    copied = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(copied.score_texts(PAIRS), model.score_texts(PAIRS))


def test_the_pipeline_explains_it_exactly() -> None:
    nlp = Pipeline(AnnotatorChoice().open(), small_encoder())
    answer = nlp.classify("It rained.", "The match was cancelled.")
    assert answer.sense in ("Comparison.Concession", "Contingency.Cause")
    explanation = nlp.explain(answer)
    total = sum(term.value for term in explanation.terms())
    assert total == pytest.approx(explanation.score, abs=1e-9)
    assert [word.span.text for word in explanation.words][:3] == ["It", "rained", "."]
    view = nlp.view(answer)
    assert view.dimensions == 0
    assert len(view.senses[0].explanation.words) == len(explanation.words)
