"""Bundles made to mislead, with right hashes: refused with our own error, and nothing waits or grows."""

from __future__ import annotations

import json
import os
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disco2.bundle import folder as bundle_folder
from disco2.bundle import load_bundle, save_bundle
from disco2.bundle import manifest as bundle_manifest
from disco2.bundle.manifest import CARD, FEATURES, HASHED, PARAMETERS
from disco2.errors import BundleError
from disco2.shipped import MANIFEST
from tests.bundle.test_bundle import refused, sealed, small_model


@pytest.mark.parametrize(
    "name",
    ["../secret", "/etc/hostname", "C:\\secret", "a\0b", "", MANIFEST, "./" + CARD, "\x1b[2J", "x" * 99_999],
)
def test_no_path_comes_from_a_manifest(name: str, folder: Path) -> None:
    (folder.parent / "secret").write_text("x")
    hashes = json.loads((folder / MANIFEST).read_text())["hashes"]
    sealed(folder, hashes=hashes | {name: sha256(b"x").hexdigest()})
    assert "names a file" in refused(folder)


@pytest.mark.parametrize("name", HASHED)
@pytest.mark.parametrize("wrong", ["absent", None, 1, "", "0" * 63, ["0"]])
def test_every_file_needs_its_hash(name: str, wrong: object, folder: Path) -> None:
    hashes = json.loads((folder / MANIFEST).read_text())["hashes"]
    del hashes[name]
    sealed(folder, hashes=hashes if wrong == "absent" else hashes | {name: wrong})
    assert name in refused(folder)


@pytest.mark.parametrize("name", [*HASHED, MANIFEST])
@pytest.mark.parametrize("kind", ["folder", "pipe", "link to a device", "link to itself", "link to nothing"])
def test_what_is_no_file_is_refused_and_not_waited_for(name: str, kind: str, folder: Path) -> None:
    file = folder / name
    file.unlink()
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        if not hasattr(os, "mkfifo"):
            pytest.skip("no pipes here")
        os.mkfifo(file)
    else:
        targets = {"link to a device": "/dev/zero", "link to itself": file, "link to nothing": folder / "no"}
        file.symlink_to(targets[kind])
    refused(folder)


def test_links_and_further_files_are_no_matter(folder: Path) -> None:
    """The hash decides, wherever the bytes lie; what is not in the manifest is not looked at."""
    for name in (PARAMETERS, CARD):
        (folder / name).rename(folder.parent / name)
        (folder / name).symlink_to(folder.parent / name)
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    (folder / "more").mkdir()
    load_bundle(folder)
    (folder.parent / PARAMETERS).write_bytes(b"other")
    refused(folder)


@pytest.mark.parametrize("name", [*HASHED, MANIFEST])
def test_a_file_of_holes_takes_no_room(name: str, folder: Path) -> None:
    """Larger than such a file may be: a terabyte of nothing."""
    os.truncate(folder / name, 1 << 40)
    refused(folder)


def test_a_file_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another content, put in place after the hashing, is not what is loaded."""
    expected = load_bundle(folder)[0]
    true = bundle_folder.verified_bytes

    def exchanging(place: Path, name: str, *, expected: str) -> bytes:
        content = true(place, name, expected=expected)
        (place / name).unlink()
        return content

    monkeypatch.setattr(bundle_folder, "verified_bytes", exchanging)
    model, _ = load_bundle(folder)
    assert [path.name for path in folder.iterdir()] == [MANIFEST]
    for name, value in expected.parameters.items():
        np.testing.assert_array_equal(model.parameters[name], value)
    assert model.vectors.words == expected.vectors.words


@pytest.mark.parametrize("depth", [60, 300, 900])
def test_a_deep_manifest_is_refused(depth: int, folder: Path) -> None:
    nested: Any = 1
    for _ in range(depth):
        nested = [nested] if depth % 2 else {"a": nested}
    sealed(folder, data={"corpus": nested})
    assert re.search("nested|recursion", refused(folder))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100_000,
        "[]",
        "NaN",
        "{}",
        '{"settings": {}}',
        '{"settings": {"word_pairs": 1e999}}',
        '{"settings": {}, "word_pairs": {"a": 1}}',
        "[" + "[]," * 100_000 + "[]]",
    ],
    ids=lambda text: text[:30],
)
def test_features_of_other_types_are_refused(text: str, folder: Path) -> None:
    (folder / FEATURES).write_text(text)
    sealed(folder)
    refused(folder)


def test_what_could_not_be_read_again_is_not_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(bundle_manifest.MOST_BYTES, FEATURES, 10)
    with pytest.raises(BundleError, match=FEATURES):
        save_bundle(small_model(), tmp_path / "m")
    assert not (tmp_path / "m").exists()
