"""The encoder: scores by the equation of its docstring, alone and in company; what it refuses to load."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper
from tokenizers import Tokenizer

from disco2.annotation.annotator import AnnotatorChoice
from disco2.bundle import load_bundle, save_bundle
from disco2.bundle.folder import ENCODER, TOKENIZER
from disco2.corpora.pairs import pair_document
from disco2.data import Instance, Relation, RelationKind
from disco2.errors import BundleError
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.inference.pipeline import Pipeline
from disco2.model import EncoderModel
from disco2.model.encoder_model import pair_texts
from tests.encoders import SIZE, small_encoder, small_onnx, text_scores, tokenizer_json
from tests.fuzzing.target import limits
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


def as_instances(pairs: Sequence[tuple[str, str]]) -> list[Instance]:
    documents = [pair_document(str(number), *pair) for number, pair in enumerate(pairs)]
    return [
        Instance(Relation(document.id, document.id, RelationKind.IMPLICIT, first, second), document)
        for document, first, second in documents
    ]


def test_scores_follow_the_equation_alone_and_in_company() -> None:
    model = small_encoder()
    together = model.scores(as_instances(PAIRS))
    for row, pair in zip(together, PAIRS, strict=True):
        np.testing.assert_allclose(row, slow_scores(model, *pair), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(model.scores(as_instances([pair]))[0], row)


def test_terms_add_up_to_the_scores_and_a_masked_word_changes_them_by_its_value() -> None:
    model = small_encoder()
    arg1, arg2 = "It  rained.", "We left!"
    parts = model.contributions(as_instances([(arg1, arg2)])[0])
    whole = slow_scores(model, arg1, arg2)
    np.testing.assert_allclose(parts.bias + parts.arguments, whole, atol=1e-5)
    texts = [(word.argument, (arg1, arg2)[word.argument - 1][word.start : word.end]) for word in parts.words]
    assert texts == [(1, "It"), (1, "rained"), (1, "."), (2, "We"), (2, "left"), (2, "!")]
    masked = slow_scores(model, "It [MASK].", arg2)
    np.testing.assert_allclose(parts.words[1].values, whole - masked, atol=1e-5)


def test_long_texts_are_cut_and_empty_ones_are_no_fault() -> None:
    assert np.isfinite(small_encoder().pool([("rained " * 5000, "left " * 5000), ("", "")])).all()


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
    texts = text_scores(model, pair_texts(instances))
    fired = model.extractor.transform(instances)
    for row, score in enumerate(model.scores(instances)):
        added = sum(model.feature_weights[:, column] for column in fired[row].tolist())
        np.testing.assert_allclose(score, texts[row] + added, atol=1e-4)
    assert max(len(fired[row]) for row in range(len(fired))) > 3
    save_bundle(model, tmp_path / "m", data={"corpus": "made up"})
    loaded, manifest = load_bundle(tmp_path / "m")
    assert manifest.format == 3
    np.testing.assert_array_equal(loaded.scores(instances), model.scores(instances))


def test_weights_that_do_not_fit_the_features_are_refused() -> None:
    model = with_features(reasons_and_results(12, seed=1))
    with pytest.raises(ValueError, match="features"):
        replace(model, feature_weights=None)
    with pytest.raises(ValueError, match="features"):
        replace(model, feature_weights=np.zeros((2, 1), dtype=np.float32))


@pytest.mark.parametrize("name", [ENCODER, TOKENIZER])
def test_a_changed_or_missing_file_is_noticed(name: str, tmp_path: Path) -> None:
    save_bundle(small_encoder(), tmp_path / "m")
    content = bytearray((tmp_path / "m" / name).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "m" / name).write_bytes(content)
    with pytest.raises(BundleError, match="damaged"):
        load_bundle(tmp_path / "m")
    (tmp_path / "m" / name).unlink()
    with pytest.raises(BundleError, match=name):
        load_bundle(tmp_path / "m")


CUSTOM = helper.make_node("Surprise", ["a"], ["c"])
FOREIGN = helper.make_node("Add", ["a", "b"], ["c"], domain="evil.example")
LOOP = helper.make_node("Identity", ["a"], ["c"], then_branch=helper.make_graph([], "t", [], []))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (small_onnx(extra_nodes=[CUSTOM]), "Surprise"),
        (small_onnx(extra_nodes=[FOREIGN]), r"evil\.example"),
        (small_onnx(extra_nodes=[LOOP]), "loops or branches"),
        (small_onnx(external=True), "another file"),
        (small_onnx()[:-40], "ONNX model"),
        (b"", "not an ONNX model"),
        (b"\xff" * 100, "ONNX model"),
        (b"not a model at all", "ONNX model"),
    ],
)
def test_onnx_that_could_do_more_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(small_encoder(), onnx=content)


def test_shapes_that_are_only_declared_take_no_room(capfd: pytest.CaptureFixture[str]) -> None:
    model = onnx.load_from_string(small_onnx())
    model.graph.initializer[0].dims[:] = [2**40, SIZE]
    name = "\x1b[2J\nerror: forged"
    rows = numpy_helper.from_array(np.array([2**40]), "rows")
    model.graph.node.append(helper.make_node("ConstantOfShape", ["rows"], ["large"], name=name))
    declared = model.SerializeToString()
    model.graph.initializer[0].CopyFrom(onnx.load_from_string(small_onnx()).graph.initializer[0])
    model.graph.initializer.append(rows)
    with limits(0):
        for content in (declared, model.SerializeToString()):
            with pytest.raises(BundleError, match="encoder can't be run"):
                replace(small_encoder(), onnx=content)
    assert "".join(capfd.readouterr()) == "", "the library would show the names"


def test_parts_that_do_not_fit_are_refused() -> None:
    model = small_encoder()
    with pytest.raises(BundleError, match="tokenizer can't be read"):
        replace(model, tokenizer=b"{}")
    with pytest.raises(ValueError, match="labels"):
        replace(model, bias=np.zeros(7, dtype=np.float32))
    with pytest.raises(ValueError, match="does not fit its weights"):
        replace(model, weights=np.zeros((3, 2 * SIZE + 2), dtype=np.float32))
    more = tokenizer_json().replace(b'"rained":6', b'"rained":60000')
    panics = tokenizer_json().replace(b'"[CLS]":{"id"', b'"[ELS]":{"id"')
    assert tokenizer_json() not in (more, panics)
    for tokenizer, said in ((more, "encoder can't be run"), (panics, "tokenizer fails")):
        with pytest.raises(BundleError, match=said):
            replace(model, tokenizer=tokenizer)
    later = replace(model, tokenizer=tokenizer_json().replace(b'"gave":18', b'"gave":60000'))
    assert later.pool(PAIRS).shape == model.pool(PAIRS).shape
    with pytest.raises(BundleError, match="encoder can't be run"):
        later.pool([("Tom gave up.", "We left.")])


def test_it_can_be_sent_to_another_process() -> None:
    model = small_encoder()
    copied = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(copied.pool(PAIRS), model.pool(PAIRS))


def test_the_pipeline_explains_it_exactly() -> None:
    nlp = Pipeline(AnnotatorChoice().open(), with_features(reasons_and_results(12, seed=1)))
    answer = nlp.classify("It rained.", "The match was cancelled.")
    explanation = nlp.explain(answer)
    assert explanation.features
    assert abs(explanation.rounding.value) < 1e-4
    total = math.fsum(term.value for term in explanation.terms())
    assert total == pytest.approx(explanation.score, abs=1e-12)
    assert [word.span.text for word in explanation.words][:3] == ["It", "rained", "."]
    view = nlp.view(answer)
    assert view.dimensions == 0
    assert len(view.senses[0].explanation.words) == len(explanation.words)
