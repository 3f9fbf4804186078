"""Where the cache lies, what is in it, and how to be rid of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from disco2.annotation.cache import cache_file, cache_summary, clear_cache
from disco2.errors import InputError
from tests.annotation.cache.told import annotated, documents


def test_what_lies_there_can_be_seen_and_removed(own_place: Path) -> None:
    assert (cache_summary().documents, cache_summary().bytes) == (0, 0)
    assert not own_place.parent.exists()
    annotated(own_place, documents())
    found = cache_summary()
    assert (found.documents, found.trouble, found.path) == (3, "", own_place)
    assert found.bytes == own_place.stat().st_size
    of_other_versions = [own_place.with_name(f"layers-99.sqlite3{ending}") for ending in ("", "-journal")]
    for other in of_other_versions:
        other.touch()
    (own_place.parent / "notes.txt").touch()
    assert clear_cache() == found
    assert [file.name for file in own_place.parent.iterdir()] == ["notes.txt"]
    assert clear_cache().documents == 0


def test_a_damaged_cache_can_be_seen_and_removed(own_place: Path) -> None:
    own_place.parent.mkdir()
    own_place.write_bytes(b"nothing that is any good" * 100)
    assert "not a database" in cache_summary().trouble
    clear_cache()
    assert not own_place.exists()


def test_its_place_is_the_systems_usual_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISCO2_CACHE", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))

    def folder(system: str, shared: str = "") -> Path:
        monkeypatch.setattr(sys, "platform", system)
        monkeypatch.setenv("XDG_CACHE_HOME", shared)
        return cache_file().parent

    assert folder("linux") == folder("linux", "not/absolute") == tmp_path / ".cache" / "disco2"
    assert folder("linux", str(tmp_path / "xdg")) == tmp_path / "xdg" / "disco2"
    assert folder("darwin") == tmp_path / "Library" / "Caches" / "disco2"
    assert folder("win32") == tmp_path / "local" / "disco2" / "Cache"
    monkeypatch.setenv("DISCO2_CACHE", "~/mine")
    assert folder("linux") == tmp_path / "mine"


def test_without_a_home_there_is_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(_: object = None) -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("DISCO2_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(InputError, match="no home folder"):
        cache_file()
