"""Bundles: what was saved predicts the same; word vectors are named or stored; older and newer formats."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from disco2.bundle import load_bundle, save_bundle
from disco2.bundle.folder import CARD, FEATURES, FORMAT, HASHED, PARAMETERS, WORDS, digest, manifest_text
from disco2.errors import BundleError, InputError, VectorsError
from disco2.files import HIDDEN_LIST, hash_file
from disco2.model.parameters import PAPER_KINDS
from disco2.shipped import MANIFEST, find_model
from disco2.vectors import WordVectors, word_vectors
from disco2.vectors.word_vectors import FOLDER, VECTORS_FILE, WORDS_FILE, read_shipped
from tests.bundle.conftest import model_with, refused, sealed, shipped, small_model, store
from tests.instances import reasons_and_results


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
    assert "made up" in (tmp_path / "m" / CARD).read_text()


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


@pytest.mark.parametrize("name", [*HASHED, MANIFEST])
def test_a_missing_or_cut_file_is_refused(name: str, folder: Path) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    assert name in refused(folder)
    (folder / name).unlink()
    assert name in refused(folder)


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
    card = (tmp_path / "with" / CARD).read_text()
    assert ("3 members" in (tmp_path / "without" / CARD).read_text()) == (members == 3)
    assert f"{members} members, and 2 of surface features alone, with seeds" in card
    loaded, manifest = load_bundle(tmp_path / "with")
    assert (loaded.settings, manifest.model["surface_members"]) == (both.settings, 2)
    sizes = [(tmp_path / name / PARAMETERS).stat().st_size for name in ("with", "without")]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize(("K", "frequent"), [(100, 50_000), (100, 3), (30, 50_000), (4, 3)])
def test_a_table_of_shipped_vectors_is_named_and_comes_back_to_the_digit(
    K: int, frequent: int, tmp_path: Path
) -> None:
    model = model_with(shipped(K, frequent))
    save_bundle(model, tmp_path / "m")
    manifest = json.loads((tmp_path / "m" / MANIFEST).read_text())
    assert manifest["format"] == 2
    assert (manifest["vectors"]["source"], manifest["vectors"]["dimensions"]) == ("shipped", K)
    assert not (tmp_path / "m" / WORDS).exists()
    assert "vectors" not in load_file(tmp_path / "m" / PARAMETERS)
    loaded, _ = load_bundle(tmp_path / "m")
    assert loaded.vectors.words == model.vectors.words
    assert loaded.vectors.matrix.dtype == np.float32
    np.testing.assert_array_equal(loaded.vectors.matrix, model.vectors.matrix)
    save_bundle(loaded, tmp_path / "again")  # and may be saved again
    assert (tmp_path / "again" / PARAMETERS).read_bytes() == (tmp_path / "m" / PARAMETERS).read_bytes()


def test_other_shipped_vectors_are_refused_with_the_way_out(named: Path) -> None:
    manifest = json.loads((named / MANIFEST).read_text())
    sealed(named, vectors=manifest["vectors"] | {"digest": "0" * 64}, version="9.8.7")
    with pytest.raises(BundleError, match=r"are not the ones.*Install disco2 9\.8\.7"):
        load_bundle(named)


@pytest.mark.parametrize("name", [VECTORS_FILE, WORDS_FILE, "README.md", HIDDEN_LIST.name])
@pytest.mark.parametrize("damage", ["missing", "another byte"])
def test_damaged_shipped_vectors_are_refused(
    name: str, damage: str, named: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(FOLDER, tmp_path / "glove")
    file = tmp_path / "glove" / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    if damage == "missing":
        file.unlink()
    monkeypatch.setattr(word_vectors, "FOLDER", tmp_path / "glove")
    with pytest.raises(BundleError, match="names its word vectors"):
        load_bundle(named)
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
def test_a_manifest_that_names_something_else_is_refused(change: dict[str, object], named: Path) -> None:
    manifest = json.loads((named / MANIFEST).read_text())
    sealed(named, vectors=manifest["vectors"] | change)
    refused(named)


def test_arrays_that_make_no_table_are_refused(named: Path) -> None:
    good = load_file(named / PARAMETERS)
    ours = {name: array for name, array in good.items() if name.startswith("vectors.")}
    assert ours.keys() == {f"vectors.{name}" for name in ("mean", "deviation", "centre", "axes", "rows")}
    for name, array in ours.items():
        without = {other: value for other, value in good.items() if other != name}
        refused(store(without, named))
        wrongs = [array[:-1], array[None], np.zeros(0, dtype=array.dtype)]
        if name == "vectors.rows":
            wrongs += [array[::-1].copy(), array + 50_000, array - 50_000, np.zeros_like(array)]
        for wrong in wrongs:
            refused(store(without | {name: wrong}, named))
    load_bundle(store(good, named))


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
    rounded = WordVectors(model.vectors.words, model.vectors.matrix.astype(precision).astype(np.float32))
    np.testing.assert_array_equal(loaded.scores(unseen), replace(model, vectors=rounded).scores(unseen))


def test_the_shipped_bundle_loads() -> None:
    model, manifest = load_bundle(find_model("en-fast"))
    assert model.vectors.dimensions == model.settings.K
    assert len(model.vectors) == 50_000
    assert manifest.format in (1, 2)
