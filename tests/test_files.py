"""Files that are written: whole, where the user meant, and known to be possible beforehand."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from io import FileIO
from pathlib import Path

import pytest

from disco2 import files
from disco2.errors import BundleError, InputError
from disco2.files import (
    HIDDEN_LIST,
    FileLock,
    check_folder_place,
    fcntl,
    read_listed_files,
    remove_scratch,
    write_bytes,
    write_list,
    write_text,
)
from tests.conftest import ROOT


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everywhere")
def test_folders_without_rights(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0)
    with pytest.raises(InputError, match="Permission denied"):
        check_folder_place(tmp_path / "locked" / "x")


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
    with pytest.raises(InputError, match="not a regular file"):
        write_text(tmp_path, ["x"])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        write_text(tmp_path / "pipe", ["x"])
    (tmp_path / "link").symlink_to(tmp_path / "a.txt")
    for text in ("one", "two"):
        write_text(tmp_path / "link", [text])
        assert (tmp_path / "a.txt").read_text() == text
    assert (tmp_path / "link").is_symlink()


def test_listed_files_of_which_a_byte_differs_are_refused(tmp_path: Path) -> None:
    contents = {"a.bin": bytes(range(256)), "below/b.json": b'{"a": 1}', "c": b"."}
    for name, content in contents.items():
        write_bytes(tmp_path / name, content)
    write_list(tmp_path)
    assert read_listed_files(tmp_path) == contents
    chance = random.Random(1)  # noqa: S311  no secret
    names = [*contents, HIDDEN_LIST.name]
    for number in range(200):
        file = tmp_path / names[number % len(names)]
        before = file.read_bytes()
        changed = bytearray(before)
        changed[chance.randrange(len(changed))] ^= chance.randrange(1, 256)
        file.write_bytes(changed)
        with pytest.raises(BundleError, match="can't be read"):
            read_listed_files(tmp_path)
        file.write_bytes(before)
    for name in names:
        (tmp_path / name).rename(tmp_path / "away")
        with pytest.raises(BundleError, match="can't be read"):
            read_listed_files(tmp_path)
        (tmp_path / "away").rename(tmp_path / name)


locks = pytest.mark.skipif(fcntl is None, reason="the system has no such locks")


@locks
def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    program = """
import os, signal, sys
from pathlib import Path
from disco2.files import FileLock
assert FileLock(Path(sys.argv[1])).take()
os.kill(os.getpid(), signal.SIGKILL)
"""
    file = tmp_path / "place" / ".lock"
    killed = subprocess.run([sys.executable, "-c", program, str(file)], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert file.exists()
    lock = FileLock(file)
    assert lock.take()
    assert not FileLock(file).take()
    lock.give_up()
    assert not file.parent.exists()


@locks
def test_a_lock_on_a_file_that_was_just_removed_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "place" / ".lock"
    locked = files._locked

    def late(stream: FileIO) -> bool:
        file.unlink()  # as its holder does, between opening and locking
        return locked(stream)

    with monkeypatch.context() as patch:
        patch.setattr(files, "_locked", late)
        assert not FileLock(file).take()
    assert FileLock(file).take()


def test_a_place_that_can_not_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "place").write_text("a file, no folder")
    with pytest.raises(InputError, match="It can't be written"):
        FileLock(tmp_path / "place" / ".lock").take()


def test_without_locks_every_place_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "fcntl", None)
    locks = [FileLock(tmp_path / ".lock") for _ in range(2)]
    assert all(lock.take() for lock in locks)
    for lock in locks:
        lock.give_up()
    assert list(tmp_path.iterdir()) == []
