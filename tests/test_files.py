"""Files and folders that are written: whole, where the user meant, and known to be possible beforehand."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from disco2.errors import InputError
from disco2.files import (
    check_folder_place,
    folder_in_place,
    is_empty_or_new,
    remove_scratch,
    write_bytes,
    write_text,
)


def fill(path: Path, text: str) -> None:
    with folder_in_place(path) as folder:
        (folder / "a.txt").write_text(text)


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "new" / "place"
    fill(place, "one")
    fill(place, "two")

    def breaks() -> None:
        with folder_in_place(place) as folder:
            (folder / "b.txt").write_text("three")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        breaks()
    assert [path.name for path in place.parent.iterdir()] == ["place"]
    assert (place / "a.txt").read_text() == "two"


@pytest.mark.parametrize("there", [True, False])
def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path: Path, there: bool) -> None:
    if there:
        (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    check_folder_place(tmp_path / "link")
    fill(tmp_path / "link", "x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "disk" / "a.txt").read_text() == "x"


def test_what_can_not_be_replaced_is_known_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(InputError, match="leads nowhere"):
        check_folder_place(tmp_path / "loop")
    (tmp_path / "here" / "below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here" / "below")
    for current in (Path(), tmp_path / "here" / "below", tmp_path / "here"):
        with pytest.raises(InputError, match="current"):
            check_folder_place(current)
    with pytest.raises(InputError, match="mounted"):
        check_folder_place(Path("/"))
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="can't be written"):
        check_folder_place(tmp_path / "file" / "x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everywhere")
def test_folders_without_rights(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0)
    for ask in (is_empty_or_new, check_folder_place):
        with pytest.raises(InputError, match="Permission denied"):
            ask(tmp_path / "locked" / "x")


def test_names_that_are_not_unicode_do_not_break_a_file(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", [os.fsdecode(b"x\xffy")])
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "x?y"


@pytest.mark.parametrize(
    "write", [lambda path: write_text(path, ["new"]), lambda path: write_bytes(path, b"new")]
)
def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
) -> None:
    file = tmp_path / "a.txt"
    write(file)
    assert file.read_text() == "new"
    file.write_text("old")

    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match="No space left"):
        write(file)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert file.read_text() == "old"


def test_what_killed_writers_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    others = [tmp_path / "a-12345678", tmp_path / ".hidden", tmp_path / ".git-ignore"]
    for file in (tmp_path / ".a.txt-x_4zk90q", tmp_path / "below" / ".b.bin-abcdefgh", *others):
        file.touch()
    remove_scratch(tmp_path)
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == set(others)


def test_a_file_takes_the_place_of_files_only(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"):
        write_text(tmp_path, ["x"])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="no file"):
        write_text(tmp_path / "pipe", ["x"])
    (tmp_path / "link").symlink_to(tmp_path / "a.txt")
    for text in ("one", "two"):
        write_text(tmp_path / "link", [text])
        assert (tmp_path / "a.txt").read_text() == text
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_an_old_folder_is_back_whatever_comes_between_the_two_renames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    target = tmp_path / "model"
    target.mkdir()
    (target / "old").touch()
    rename = Path.rename

    def interrupted(self: Path, other: Path) -> Path:
        found = rename(self, other)
        if self == target:
            raise error
        return found

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises((InputError, error)), folder_in_place(target):
        pass
    assert [file.name for file in target.iterdir()] == ["old"]
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
