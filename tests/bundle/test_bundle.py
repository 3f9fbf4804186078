"""Bundles: what was saved predicts the same, and what is damaged or newer is refused."""

from __future__ import annotations

import json
import os
import tracemalloc
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from disco2.bundle import load_bundle, save_bundle
from disco2.bundle.manifest import FORMAT, HASHED, PARAMETERS, digest, manifest_text
from disco2.errors import BundleError, InputError
from disco2.features import FeatureSettings
from disco2.files import hash_file
from disco2.model import ModelSettings, RelationModel
from disco2.model.settings import PAPER_KINDS
from disco2.shipped import MANIFEST
from disco2.training.settings import TrainingSettings
from disco2.vectors import VectorSettings, WordVectors
from tests.instances import reasons_and_results
from tests.training.fitting import fit

ROOM = 40 << 20  # bytes that a refusal may take at most; a small bundle has 30,000


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


def small_model(kind: str = "entities", *, members: int = 1) -> RelationModel:
    """One that a test may change; its word vectors are stored."""
    model = trained(kind, members)
    return replace(
        model,
        vectors=replace(model.vectors, recipe=None),
        parameters={name: value.copy() for name, value in model.parameters.items()},
    )


@cache
def trained(kind: str = "entities", members: int = 1) -> RelationModel:
    return fit(
        reasons_and_results(40, seed=1),
        reasons_and_results(10, seed=2),
        labels=("Cause", "Result"),
        model=ModelSettings(kind=kind, K=6, members=members),
        features=FeatureSettings(),
        vectors=VectorSettings(frequent=5),
        settings=TrainingSettings(epochs=2, batch_size=8),
    ).model


@pytest.mark.parametrize("members", [1, 3])
@pytest.mark.parametrize("kind", PAPER_KINDS)
def test_a_loaded_model_scores_exactly_as_before(kind: str, members: int, tmp_path: Path) -> None:
    model = small_model(kind, members=members)
    save_bundle(model, tmp_path / "m", data={"corpus": "made up", "licence": "none"})
    loaded, manifest = load_bundle(tmp_path / "m")
    unseen = reasons_and_results(20, seed=3)
    np.testing.assert_array_equal(loaded.scores(unseen), model.scores(unseen))
    assert loaded.labels == model.labels
    assert asdict(loaded.settings) == asdict(model.settings)
    assert manifest.data["corpus"] == "made up"
    assert "made up" in (tmp_path / "m" / "MODEL_CARD.md").read_text()


@pytest.mark.parametrize("name", [*HASHED, MANIFEST])
def test_a_missing_or_cut_file_is_refused(name: str, folder: Path) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    assert name in refused(folder)
    (folder / name).unlink()
    assert name in refused(folder)


def test_the_temperature_is_kept_and_may_be_absent(tmp_path: Path) -> None:
    save_bundle(small_model(), tmp_path / "m", calibration={"temperature": 1.7})
    assert load_bundle(tmp_path / "m")[1].temperature == 1.7
    sealed(tmp_path / "m", calibration={})
    assert load_bundle(tmp_path / "m")[1].temperature == 1.0


def test_a_newer_format_is_refused_with_the_way_out(folder: Path) -> None:
    sealed(folder, format=FORMAT + 1)
    with pytest.raises(BundleError, match="pip install --upgrade"):
        load_bundle(folder)


def test_a_bundle_is_replaced_and_anything_else_is_not(tmp_path: Path) -> None:
    model = small_model()
    save_bundle(model, tmp_path / "m")
    save_bundle(model, tmp_path / "m", data={"corpus": "second"})
    assert load_bundle(tmp_path / "m")[1].data == {"corpus": "second"}
    assert [path.name for path in tmp_path.iterdir()] == ["m"]  # nothing is left beside it

    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("dear")
    with pytest.raises(InputError, match=r"its own: chapter\.txt"):
        save_bundle(model, tmp_path / "thesis")
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "dear"


def test_no_bundle_at_all(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        assert "no disco2 model" in refused(folder)


def sealed(folder: Path, **changes: object) -> None:
    """Change the manifest and give it the right hashes, as no accident would."""
    file = folder / MANIFEST
    content = json.loads(file.read_text())
    content |= {"hashes": {name: hash_file(folder / name) for name in content["hashes"]}} | changes
    del content["digest"]
    file.write_text(manifest_text(content | {"digest": digest(content)}))


@pytest.mark.parametrize(
    "changes",
    [
        *({name: None} for name in ("model", "task", "data", "hashes", "configuration", "calibration")),
        *({"labels": wrong} for wrong in (None, "Cause", [], [1, 2], ["Cause", "Cause"], ["a", "b", "c"])),
        *({"format": wrong} for wrong in (None, "1", [], 0, -1, True, 2.0, 10**4000)),
        *({"version": wrong} for wrong in (None, 2, "", "1\x1b[2J", "9" * 1000, ["1"])),
        *({"configuration": {"task": wrong}} for wrong in (None, 1, "x", [])),
        *({"data": {"automatic_layers": wrong}} for wrong in (None, 5, "tokens", [1], {"a": 1})),
        {"model": {"K": 7}},
        {"model": {"K": 6, "rank": 10**9}},
        *({"model": {"K": 6, "members": wrong}} for wrong in (2, 1000, 10**9, 0, "1", None)),
        *({"vectors": wrong} for wrong in (None, [1], {"source": "shipped"}, {"source": "elsewhere"})),
        *({"data": {"label_counts": wrong}} for wrong in (3, {"a": "1"}, {"a": True}, {"a": 10**400})),
        {"data": {"label_counts": {"a": -1}}},
        {"data": {"offsets": {"a": 1000}}},
        *({"calibration": {"temperature": wrong}} for wrong in (0, -1, None, True, "1", 1e300, 10**400)),
    ],
    ids=lambda changes: str(changes)[:60],
)
def test_a_manifest_of_other_types_is_refused(changes: dict[str, object], folder: Path) -> None:
    sealed(folder, **changes)
    refused(folder)


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", "1", '{"digest": 1, "format": 1e999}', "\udcff"])
def test_a_manifest_that_is_no_manifest_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(text, errors="surrogateescape")
    assert "can't be read" in refused(tmp_path)


@pytest.mark.parametrize("members", [1, 2])
def test_parameters_that_do_not_fit_are_refused(members: int, tmp_path: Path) -> None:
    save_bundle(small_model(members=members), tmp_path / "m")
    good = load_file(tmp_path / "m" / PARAMETERS)
    for name, array in good.items():
        without = {other: value for other, value in good.items() if other != name}
        for wrong in (None, np.zeros((3, 5), dtype=np.float32), np.zeros(0, dtype=np.float32)):
            save_file(without if wrong is None else without | {name: wrong}, tmp_path / "m" / PARAMETERS)
            sealed(tmp_path / "m")
            assert "can't be read" in refused(tmp_path / "m")
        assert array.dtype == np.float32
    save_file(good, tmp_path / "m" / PARAMETERS)
    sealed(tmp_path / "m")
    load_bundle(tmp_path / "m")


def test_a_model_that_ran_away_is_not_saved(tmp_path: Path) -> None:
    model = small_model()
    model.parameters["U"][0, 0] = np.nan
    with pytest.raises(InputError, match="diverged"):
        save_bundle(model, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_words_and_names_may_be_odd(tmp_path: Path) -> None:
    """A word with a carriage return in it, and a file whose name is not Unicode."""
    model = small_model()
    words = (*model.vectors.words[:-1], "a\rb")
    model = replace(model, vectors=WordVectors(words, model.vectors.matrix))
    save_bundle(model, tmp_path / "m", data={"vectors": os.fsdecode(b"v\xff.txt")})
    loaded, manifest = load_bundle(tmp_path / "m")
    assert loaded.vectors.words == words
    assert manifest.data["vectors"] == "v?.txt"


@pytest.mark.parametrize("members", [1, 3])
def test_surface_members_are_named_and_weigh_nothing(members: int, tmp_path: Path) -> None:
    model = small_model(members=members)
    both = replace(model, settings=replace(model.settings, surface_members=2))
    save_bundle(model, tmp_path / "without")
    save_bundle(both, tmp_path / "with")
    card = (tmp_path / "with" / "MODEL_CARD.md").read_text()
    assert ("3 members" in (tmp_path / "without" / "MODEL_CARD.md").read_text()) == (members == 3)
    assert f"{members} members, and 2 of surface features alone, with seeds" in card
    loaded, manifest = load_bundle(tmp_path / "with")
    assert (loaded.settings, manifest.model["surface_members"]) == (both.settings, 2)
    sizes = [(tmp_path / name / "parameters.safetensors").stat().st_size for name in ("with", "without")]
    assert sizes[0] == sizes[1]
