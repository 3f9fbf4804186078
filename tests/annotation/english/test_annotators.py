"""The built-in annotators as a whole: their names, and files that are damaged or missing."""

from __future__ import annotations

import os
import random
import shutil
import warnings
from pathlib import Path

import pytest

from disco2.annotation.english.annotators import (
    COMPONENTS,
    SHIPPED,
    Component,
    english_annotators,
)
from disco2.errors import BundleError

FILES = sorted(file for name in COMPONENTS for file in (SHIPPED / name).rglob("*") if file.is_file())


def test_names_are_known_before_the_models_are_parsed(components: list[Component]) -> None:
    waiting = english_annotators(on_demand=True)
    assert [one.name for one in waiting] == [one.name for one in components]
    assert [one.requires for one in waiting] == [one.requires for one in components]
    for component in components:
        name, _, digest = component.name.rpartition(" ")
        assert name.startswith("disco2 ")
        assert len(digest) == 8
        assert component.fingerprint == component.name


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SHIPPED)))
def test_any_changed_byte_is_refused(file: Path, tmp_path: Path) -> None:
    name = file.relative_to(SHIPPED).parts[0]
    shutil.copytree(SHIPPED / name, tmp_path / name)
    copy = tmp_path / file.relative_to(SHIPPED)
    content = file.read_bytes()
    chance = random.Random(str(file.relative_to(SHIPPED)))  # noqa: S311
    assert Component(name, tmp_path / name).name
    for place in {0, len(content) - 1, *(chance.randrange(len(content)) for _ in range(6))}:
        changed = bytearray(content)
        changed[place] ^= 1 << chance.randrange(8)
        copy.write_bytes(changed)
        with pytest.raises(BundleError, match="can't be read"):
            Component(name, tmp_path / name)
    copy.write_bytes(content[:-1])
    with pytest.raises(BundleError, match="can't be read"):
        Component(name, tmp_path / name)
    copy.unlink()
    with pytest.raises(BundleError, match="No such file"):
        Component(name, tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", ["model.json", ".disco2.json"])
def test_devices_and_pipes_are_refused(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "coreference"
    shutil.copytree(SHIPPED / "coreference", folder)
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(BundleError, match=f"{name} is not a regular file"):
        Component("coreference", folder)
    (folder / name).unlink()
    (folder / name).symlink_to("/dev/zero")
    with pytest.raises(BundleError, match=f"{name} is not a regular file"):
        Component("coreference", folder)


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_folder_without_a_model_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="can't be read"):
        Component(name, tmp_path)


def test_loading_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Component("syntax").model
