from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disco2.data import Document
from disco2.errors import BundleError
from disco2.parser.arguments import ParsedSentence
from disco2.parser.connectives import ConnectiveList
from disco2.parser.features import (
    MODEL_FILE,
    WEIGHTS_FILE,
    Item,
    LinearModel,
    answer_features,
    feature_names,
    is_question,
    probabilities,
    read_models,
    write_models,
    yes_probabilities,
)
from tests.parser.made_up import document

LISTED = ConnectiveList({}, frozenset({"we"}))


def features(between: str) -> list[str]:
    one = document()
    text = one.text + between + one.text
    shift = len(one.text) + len(between)
    tokens = [*one.tokens]
    tokens += [type(token)(token.text, token.start + shift, token.end + shift, token.tag) for token in tokens]
    (first,) = one.sentences
    second = type(first)(6, 12, first.constituents, first.dependencies)
    both = Document("two", text, tuple(tokens), (first, second))
    return feature_names(answer_features(both, ParsedSentence(both, 0), ParsedSentence(both, 1), LISTED))


def test_a_line_break_between_question_and_answer_counts() -> None:
    assert "parted 0|bias" in features(" ")
    assert "parted 1|bias" in features("\n")
    assert "plain parted 1|answer we" in features("\n\n")


def test_a_statement_is_no_question() -> None:
    assert not is_question(ParsedSentence(document(), 0))


WEIGHTS = np.array([[1, -1], [0.5, 2], [4, 8]], dtype=np.float32)
MODEL = LinearModel(("x", "y"), {"a": 0, "b": 1, "if|b": 2}, WEIGHTS)
ITEMS: list[Item] = [
    [("", ["a", "b"])],
    [],
    [("", ["unknown", "b"])],
    [("", ["a", "a"])],
    [("", ["a"]), ("if", ["a", "b"]), ("as", ["b"])],
    [("as", ["b"])],
]


def slow_scores(model: LinearModel, item: Item) -> list[float]:
    """One feature after the other."""
    total = np.zeros(len(model.classes))
    for name in feature_names(item):
        if name in model.rows:
            total += model.weights[model.rows[name]]
    return total.tolist()


def test_scores_are_sums_over_known_features() -> None:
    assert MODEL.scores(ITEMS).tolist() == [slow_scores(MODEL, item) for item in ITEMS]
    assert MODEL.scores([]).shape == (0, 2)
    assert MODEL.scores([[]]).tolist() == [[0, 0]]


def test_terms_add_up_to_the_score() -> None:
    terms = MODEL.terms([("", ["a", "b", "unknown"])])
    assert [name for name, _ in terms] == ["a", "b"]
    assert sum(row for _, row in terms).tolist() == MODEL.scores(ITEMS)[0].tolist()


def test_probabilities() -> None:
    assert probabilities(np.array([[0, np.log(3)]], dtype=np.float32))[0].tolist() == pytest.approx(
        [0.25, 0.75]
    )
    assert yes_probabilities(np.zeros((1, 1), dtype=np.float32)).tolist() == [0.5]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_models(tmp_path / "model", {"one": MODEL}, {"least": 0.5})
    models, settings, _ = read_models(tmp_path / "model")
    assert settings == {"least": 0.5}
    assert models["one"].classes == MODEL.classes
    assert models["one"].scores(ITEMS).tolist() == MODEL.scores(ITEMS).tolist()


def test_damaged_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="can't be read"):
        read_models(tmp_path / "nowhere")
    for name in (MODEL_FILE, WEIGHTS_FILE):
        write_models(tmp_path / "model", {"one": MODEL}, {}, force=True)
        (tmp_path / "model" / name).write_bytes(b"{}")
        with pytest.raises(BundleError, match="is damaged"):
            read_models(tmp_path / "model")
