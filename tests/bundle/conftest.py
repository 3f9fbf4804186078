"""Small bundles, and how tests change them."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from disco2.bundle import load_bundle, save_bundle
from disco2.bundle.folder import PARAMETERS, digest, manifest_text
from disco2.errors import BundleError
from disco2.features import FeatureSettings
from disco2.files import hash_file
from disco2.model import ModelSettings, RelationModel, initial_parameters
from disco2.shipped import MANIFEST
from disco2.training.loop import TrainingSettings
from disco2.vectors import VectorSettings, WordVectors, load_vectors
from tests.instances import reasons_and_results
from tests.training.fitting import fit

ROOM = 40 << 20  # bytes that a refusal may take at most; a small bundle has 30,000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bundle that stores its word vectors."""
    save_bundle(small_model(), tmp_path / "m")
    return tmp_path / "m"


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """A bundle that names its word vectors."""
    save_bundle(model_with(shipped(4, 3)), tmp_path / "named")
    return tmp_path / "named"


def small_model(kind: str = "entities", *, members: int = 1) -> RelationModel:
    """One that a test may change; its word vectors are stored."""
    model = _trained(kind, members)
    return replace(
        model,
        vectors=replace(model.vectors, recipe=None),
        parameters={name: value.copy() for name, value in model.parameters.items()},
    )


@cache
def _trained(kind: str, members: int) -> RelationModel:
    return fit(
        reasons_and_results(40, seed=1),
        reasons_and_results(10, seed=2),
        labels=("Cause", "Result"),
        model=ModelSettings(kind=kind, K=6, members=members),
        features=FeatureSettings(),
        vectors=VectorSettings(frequent=5),
        settings=TrainingSettings(epochs=2, batch_size=8),
    ).model


@cache
def shipped(K: int, frequent: int) -> WordVectors:
    return load_vectors(
        "shipped", dimensions=K, words={"hungry", "Cleo"}, frequent=frequent, sentences=None, seed=1
    )


def model_with(vectors: WordVectors) -> RelationModel:
    settings = ModelSettings(K=vectors.dimensions, features=False)
    parameters = initial_parameters(settings, labels=2, features=0, seed=1)
    return RelationModel(settings, ("Cause", "Result"), vectors, None, parameters)


def sealed(folder: Path, **changes: object) -> None:
    """Change the manifest and give it the right hashes, as no accident would."""
    file = folder / MANIFEST
    content = json.loads(file.read_text())
    content |= {"hashes": {name: hash_file(folder / name) for name in content["hashes"]}} | changes
    del content["digest"]
    file.write_text(manifest_text(content | {"digest": digest(content)}))


def store(arrays: Mapping[str, np.ndarray], folder: Path) -> Path:
    """Other parameters, with the right hashes."""
    save_file(dict(arrays), folder / PARAMETERS)
    sealed(folder)
    return folder


def refused(folder: Path) -> str:
    """Assert that the bundle is refused in little room and in few words, none of which steers a terminal."""
    tracemalloc.start()
    try:
        with pytest.raises(BundleError) as caught:
            load_bundle(folder)
        assert tracemalloc.get_traced_memory()[1] < ROOM
    finally:
        tracemalloc.stop()
    assert len(caught.value.what) < 600
    assert caught.value.what.isprintable()
    return caught.value.what
