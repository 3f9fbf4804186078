"""The estimator inside scikit-learn's cross-validation, searches and pipelines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sklearn", minversion="1.6")

from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from disco2.corpora.catalogue import read_corpus
from disco2.interfaces.estimator import UnusableInputError, UnusableSettingsError, relations_of
from disco2.interfaces.estimator.inputs import MEMORY
from tests.inference.rule_annotator import RuleAnnotator
from tests.interfaces.made_up_pairs import made_up_pairs, small_classifier

X, Y = made_up_pairs(40)
DIFFERENT = len(set(X))


@pytest.fixture(autouse=True)
def _empty_memory() -> Iterator[None]:
    MEMORY.clear()
    yield
    MEMORY.clear()


def test_cross_validation_annotates_each_pair_once() -> None:
    annotator = RuleAnnotator()
    scores = cross_val_score(
        small_classifier(annotators=annotator), X, Y, cv=StratifiedKFold(5, shuffle=True, random_state=0)
    )
    assert scores.shape == (5,)
    assert scores.mean() > 0.9
    assert annotator.documents == DIFFERENT


def test_a_search_over_parameters_and_settings() -> None:
    annotator = RuleAnnotator()
    grid = {
        "kind": ["surface", "additive"],
        "settings": [{"vectors.frequent": 10}, {"vectors.frequent": 10, "features.production_rules": 5}],
    }
    search = GridSearchCV(small_classifier(annotators=annotator, epochs=2), grid, cv=2, error_score="raise")
    search.fit(X, Y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_.settings in grid["settings"]
    assert search.predict_proba(X[:3]).shape == (3, 2)
    assert annotator.documents == DIFFERENT


def test_a_search_in_two_processes() -> None:
    estimator = small_classifier(epochs=2)
    search = GridSearchCV(estimator, {"K": [2, 3]}, cv=2, n_jobs=2, error_score="raise").fit(X, Y)
    alone = GridSearchCV(estimator, {"K": [2, 3]}, cv=2, error_score="raise").fit(X, Y)
    assert search.cv_results_["mean_test_score"].tolist() == alone.cv_results_["mean_test_score"].tolist()


def test_a_pipeline_that_prepares_texts() -> None:
    def turned(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        return [(second, first) for first, second in pairs]

    model = make_pipeline(FunctionTransformer(turned), small_classifier()).fit(X, Y)
    assert model.score(X, Y) > 0.9
    assert cross_val_score(model, X, Y, cv=2).mean() > 0.9


def test_relations_of_a_corpus(tmp_path: Path) -> None:
    lines = ["arg1,arg2,label,split"]
    splits = ["train"] * 14 + ["dev"] * 4 + ["test"] * 2
    lines += [f"{first},{second},{Y[row]},{splits[row]}" for row, (first, second) in enumerate(X[:20])]
    (tmp_path / "pairs.csv").write_text("\n".join(lines))
    corpus = read_corpus("pairs", tmp_path / "pairs.csv")
    training = relations_of(corpus)
    assert (len(training.X), training.y.tolist()) == (14, Y[:14])
    assert len(set(training.groups)) == 14
    both = relations_of(corpus, parts=("train", "dev"))
    assert both.y.tolist() == Y[:18]
    assert relations_of(corpus, settings={"task.labels": ["but"]}).y.tolist() == ["but"] * 6
    with pytest.raises(UnusableInputError, match="Unknown part 'training'"):
        relations_of(corpus, parts="training")
    with pytest.raises(UnusableSettingsError, match="not a setting of the task"):
        relations_of(corpus, settings={"model.K": 5})
