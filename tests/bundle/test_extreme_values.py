"""Values that are numbers and would make scores none: refused, so that every answer has probabilities."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from disco2.bundle import load_bundle, save_bundle
from disco2.bundle.folder import LARGEST
from disco2.bundle.manifest import PARAMETERS
from disco2.errors import BundleError
from disco2.model.settings import PAPER_KINDS
from disco2.vectors import WordVectors
from tests.bundle.test_bundle import refused, sealed, small_model
from tests.bundle.test_word_table import saved
from tests.instances import reasons_and_results


@pytest.mark.parametrize("value", [1e30, -1e30, 3e38, 1.01 * LARGEST])
def test_values_that_overflow_in_use_are_refused(value: float, folder: Path) -> None:
    good = load_file(folder / PARAMETERS)
    for name, array in good.items():
        damaged = array.copy()
        damaged.flat[-1] = value
        save_file(good | {name: damaged}, folder / PARAMETERS)
        sealed(folder)
        assert "beyond 100,000" in refused(folder)


@pytest.mark.parametrize("deviation", [1e-300, 1e-40, 1e-9])
def test_a_table_that_overflows_when_it_is_made_is_refused(deviation: float, tmp_path: Path) -> None:
    saved(tmp_path / "m")
    arrays = load_file(tmp_path / "m" / PARAMETERS)
    arrays["vectors.deviation"] = np.full_like(arrays["vectors.deviation"], deviation)
    save_file(arrays, tmp_path / "m" / PARAMETERS)
    sealed(tmp_path / "m")
    assert "table of word vectors" in refused(tmp_path / "m")


@pytest.mark.parametrize("members", [1, 3])
@pytest.mark.parametrize("kind", PAPER_KINDS)
def test_the_largest_values_that_are_allowed_give_scores(kind: str, members: int, tmp_path: Path) -> None:
    model = small_model(kind, members=members)
    vectors = WordVectors(model.vectors.words, np.full_like(model.vectors.matrix, LARGEST))
    parameters = {name: np.full_like(value, LARGEST) for name, value in model.parameters.items()}
    save_bundle(replace(model, vectors=vectors, parameters=parameters), tmp_path / "m")
    loaded, _ = load_bundle(tmp_path / "m")
    assert np.isfinite(loaded.scores(reasons_and_results(10, seed=3))).all()


def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path) -> None:
    model = small_model()
    model.parameters["b"][0] = 2 * LARGEST
    with pytest.raises(BundleError, match="Nothing was saved"):
        save_bundle(model, tmp_path / "m")
    assert not (tmp_path / "m").exists()
