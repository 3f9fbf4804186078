"""What is prepared for one K serves another, to the same digit as if it had been prepared anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disco2.data import Corpus
from disco2.experiments.configuration import read_configuration
from disco2.experiments.division import divide
from disco2.experiments.train_run import train_model
from disco2.experiments.tuning.any_k import PreparationsForAnyK
from disco2.features import FeatureExtractor

SMALL = read_configuration(None, ["model.kind=entities", "training.epochs=2", "vectors.frequent=200"])


@pytest.mark.parametrize("settings", [{}, {"model.kind": "surface"}, {"task.versus": "Contingency"}])
def test_trainings_with_another_k_are_the_same_as_from_nothing(
    corpus: Corpus, settings: dict[str, Any]
) -> None:
    preparations = PreparationsForAnyK()
    for K in (7, 5, 9, 5):
        for seed in (1, 2):
            configuration = SMALL.changed({**settings, "model.K": K, "training.seed": seed})
            parts = divide(corpus, configuration)
            again = train_model(corpus, parts, configuration, preparations=preparations)
            anew = train_model(corpus, parts, configuration)
            assert again.history == anew.history
            assert again.model.settings == anew.model.settings
            assert again.model.vectors.words == anew.model.vectors.words
            development = parts.instances["dev"]
            np.testing.assert_array_equal(again.model.scores(development), anew.model.scores(development))


def test_features_are_selected_once_for_all_k(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    selected: list[int] = []
    original = FeatureExtractor.fit

    def counted(instances: Any, **options: Any) -> FeatureExtractor:
        selected.append(len(instances))
        return original(instances, **options)

    monkeypatch.setattr(FeatureExtractor, "fit", counted)
    preparations = PreparationsForAnyK()
    for K in (7, 5, 9):
        configuration = SMALL.changed({"model.K": K})
        train_model(corpus, divide(corpus, configuration), configuration, preparations=preparations)
    assert selected == [60]
