"""One process at a time works in a place."""

from __future__ import annotations

import signal
import subprocess
import sys
from io import FileIO
from pathlib import Path

import pytest

from disco2 import files
from disco2.errors import InputError
from disco2.files import FileLock, fcntl
from tests.conftest import ROOT

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
