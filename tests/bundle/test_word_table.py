"""Word vectors in a bundle: named where they ship with the package, stored otherwise, and of old bundles."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from disco2.bundle import load_bundle, save_bundle
from disco2.bundle.manifest import CARD, FEATURES, PARAMETERS, WORDS, digest, manifest_text
from disco2.errors import BundleError, VectorsError
from disco2.files import HIDDEN_LIST, hash_file
from disco2.model import ModelSettings, RelationModel, initial_parameters
from disco2.shipped import MANIFEST, find_model
from disco2.vectors import WordVectors, load_vectors, source
from disco2.vectors.source import FOLDER, VECTORS_FILE, WORDS_FILE, make_table, read_shipped
from tests.bundle.test_bundle import sealed, small_model
from tests.instances import reasons_and_results

FILES = (PARAMETERS, FEATURES, CARD, MANIFEST)


@cache
def shipped(K: int, frequent: int) -> WordVectors:
    return load_vectors(
        "shipped", dimensions=K, words={"hungry", "Cleo"}, frequent=frequent, sentences=None, seed=1
    )


def model_with(vectors: WordVectors) -> RelationModel:
    settings = ModelSettings(K=vectors.dimensions, features=False)
    parameters = initial_parameters(settings, labels=2, features=0, seed=1)
    return RelationModel(settings, ("Cause", "Result"), vectors, None, parameters)


def saved(folder: Path, K: int = 4, frequent: int = 3) -> Path:
    save_bundle(model_with(shipped(K, frequent)), folder)
    return folder


@pytest.mark.parametrize(("K", "frequent"), [(100, 50_000), (100, 3), (30, 50_000), (4, 3)])
def test_a_table_of_shipped_vectors_is_named_and_comes_back_to_the_digit(
    K: int, frequent: int, tmp_path: Path
) -> None:
    model = model_with(shipped(K, frequent))
    save_bundle(model, tmp_path / "m")
    manifest = json.loads((tmp_path / "m" / MANIFEST).read_text())
    assert manifest["format"] == 2
    assert manifest["vectors"]["source"] == "shipped"
    assert manifest["vectors"]["dimensions"] == K
    assert not (tmp_path / "m" / WORDS).exists()
    assert "vectors" not in load_file(tmp_path / "m" / PARAMETERS)
    loaded, _ = load_bundle(tmp_path / "m")
    assert loaded.vectors.words == model.vectors.words
    assert loaded.vectors.matrix.dtype == np.float32
    np.testing.assert_array_equal(loaded.vectors.matrix, model.vectors.matrix)
    unseen = reasons_and_results(6, seed=3)
    np.testing.assert_array_equal(loaded.scores(unseen), model.scores(unseen))
    save_bundle(loaded, tmp_path / "again")  # and may be saved again
    assert (tmp_path / "again" / PARAMETERS).read_bytes() == (tmp_path / "m" / PARAMETERS).read_bytes()


def test_other_shipped_vectors_are_refused_with_the_way_out(tmp_path: Path) -> None:
    saved(tmp_path / "m")
    manifest = json.loads((tmp_path / "m" / MANIFEST).read_text())
    sealed(tmp_path / "m", vectors=manifest["vectors"] | {"digest": "0" * 64}, version="9.8.7")
    with pytest.raises(BundleError, match=r"are not the ones.*Install disco2 9\.8\.7"):
        load_bundle(tmp_path / "m")


@pytest.mark.parametrize("name", [VECTORS_FILE, WORDS_FILE, "README.md", HIDDEN_LIST.name])
@pytest.mark.parametrize("damage", ["missing", "another byte"])
def test_damaged_shipped_vectors_are_refused(
    name: str, damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path / "m")
    shutil.copytree(FOLDER, tmp_path / "glove")
    file = tmp_path / "glove" / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    if damage == "missing":
        file.unlink()
    monkeypatch.setattr(source, "FOLDER", tmp_path / "glove")
    monkeypatch.setattr("disco2.bundle.folder.make_table", partial(make_table, folder=tmp_path / "glove"))
    with pytest.raises(BundleError, match="names its word vectors"):
        load_bundle(tmp_path / "m")
    with pytest.raises(VectorsError, match="word vectors can't be read"):
        read_shipped()


@pytest.mark.parametrize(
    "change",
    [
        *({"source": wrong} for wrong in (None, "elsewhere")),
        {"digest": []},
        {"dimensions": 5},
        *({"words": wrong} for wrong in (4, "5")),
    ],
    ids=str,
)
def test_a_manifest_that_names_something_else_is_refused(change: dict[str, object], tmp_path: Path) -> None:
    saved(tmp_path / "m")
    manifest = json.loads((tmp_path / "m" / MANIFEST).read_text())
    sealed(tmp_path / "m", vectors=manifest["vectors"] | change)
    with pytest.raises(BundleError):
        load_bundle(tmp_path / "m")


def test_arrays_that_make_no_table_are_refused(tmp_path: Path) -> None:
    saved(tmp_path / "m")
    good = load_file(tmp_path / "m" / PARAMETERS)
    ours = {name: array for name, array in good.items() if name.startswith("vectors.")}
    assert ours.keys() == {f"vectors.{name}" for name in ("mean", "deviation", "centre", "axes", "rows")}
    for name, array in ours.items():
        without = {other: value for other, value in good.items() if other != name}
        wrongs = [None, array[:-1], array[None], array.astype(np.float32), np.zeros(0, dtype=array.dtype)]
        if name == "vectors.rows":
            wrongs += [array[::-1].copy(), array + 50_000, array - 50_000, np.zeros_like(array)]
        else:
            wrongs.append(np.full_like(array, np.nan))
        for wrong in wrongs:
            changed = without if wrong is None else without | {name: wrong}
            save_file(changed, tmp_path / "m" / PARAMETERS)
            sealed(tmp_path / "m")
            with pytest.raises(BundleError, match="can't be read"):
                load_bundle(tmp_path / "m")
    save_file(good, tmp_path / "m" / PARAMETERS)
    sealed(tmp_path / "m")
    load_bundle(tmp_path / "m")


@pytest.mark.parametrize("precision", [np.float16, np.float32])
def test_a_bundle_of_format_1_still_loads(precision: type[np.floating], tmp_path: Path) -> None:
    """Written here as format 1 was: the table stored, no word of members or of named vectors."""
    model = small_model()
    assert model.extractor is not None
    folder = tmp_path / "old"
    folder.mkdir()
    arrays = {f"parameters.{name}": value for name, value in model.parameters.items()}
    save_file(arrays | {"vectors": model.vectors.matrix.astype(precision)}, folder / PARAMETERS)
    (folder / WORDS).write_text("".join(f"{word}\n" for word in model.vectors.words))
    (folder / FEATURES).write_text(json.dumps(model.extractor.to_json()))
    (folder / CARD).write_text("# A model\n")
    settings = asdict(model.settings)
    del settings["members"]
    content = {
        "format": 1,
        "version": "0.1.0",
        "labels": list(model.labels),
        "model": settings,
        "configuration": {"model": settings},
        "task": {},
        "data": {},
        "figures": {},
        "hashes": {name: hash_file(folder / name) for name in (PARAMETERS, WORDS, FEATURES, CARD)},
        "calibration": {"temperature": 1.5},
    }
    (folder / MANIFEST).write_text(manifest_text(content | {"digest": digest(content)}))
    loaded, manifest = load_bundle(folder)
    assert (manifest.format, manifest.temperature, loaded.settings) == (1, 1.5, model.settings)
    unseen = reasons_and_results(10, seed=3)
    exact = replace(
        model,
        vectors=WordVectors(model.vectors.words, model.vectors.matrix.astype(precision).astype(np.float32)),
    )
    np.testing.assert_array_equal(loaded.scores(unseen), exact.scores(unseen))


def test_the_shipped_bundle_loads() -> None:
    model, manifest = load_bundle(find_model("en-fast"))
    assert model.vectors.dimensions == model.settings.K
    assert len(model.vectors) == 50_000
    assert manifest.format in (1, 2)
