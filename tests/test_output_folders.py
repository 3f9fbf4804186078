"""Folders that are written: whole, where the user meant, and never at the cost of files of others."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from disco2 import files
from disco2.errors import InputError
from disco2.files import HIDDEN_LIST, check_folder_place, folder_in_place

posix_only = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
CHANGES = {"open", "os.mkdir", "os.chmod", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree"}
WRITING = os.O_WRONLY | os.O_RDWR
OLD = {"a.txt": "old", "below/b.txt": "old", "gone/c.txt": "old"}
NEW = {"a.txt": "new", "below/b.txt": "new", "later/d.txt": "new"}


def kill_at(change: int, room: Path) -> None:
    """Let this process kill itself right before the n-th change of anything in a folder."""
    seen = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        opened = event != "open" or (isinstance(arguments[2], int) and arguments[2] & WRITING)
        if event in CHANGES and opened and str(arguments[0]).startswith(str(room)):
            seen += 1
            if seen == change:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def fill(path: Path, texts: dict[str, str], *, force: bool = False) -> None:
    with folder_in_place(path, HIDDEN_LIST, force=force) as folder:
        for name, text in texts.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)


def texts(path: Path) -> dict[str, str]:
    """All files, those of others too, but the list."""
    found = {str(file.relative_to(path)): file for file in path.rglob("*") if file.is_file()}
    return {name: file.read_text() for name, file in found.items() if name != HIDDEN_LIST.name}


def state(room: Path) -> dict[str, object]:
    """Everything in a folder, with what it is and what is in it."""
    return {
        str(path): path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        for path in sorted(room.rglob("*"))
    }


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder that disco2 wrote."""
    fill(tmp_path / "place", OLD)
    return tmp_path / "place"


@pytest.fixture(params=["one step", "renames"])
def exchange(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """How two folders are exchanged: as the system does it, and as where it can't."""
    if request.param == "renames":
        monkeypatch.setattr(files, "_exchanged", lambda one, other: False)
    return request.param


def refused(path: Path, match: str, *, force: bool = False) -> None:
    """Before the work, after it, and with nothing changed or left behind."""
    before = state(path.parent)
    with pytest.raises(InputError, match=match):
        check_folder_place(path, HIDDEN_LIST, force=force)
    with pytest.raises(InputError, match=match):
        fill(path, NEW, force=force)
    assert state(path.parent) == before


@pytest.mark.usefixtures("exchange")
def test_a_folder_is_replaced_whole_or_not_at_all(place: Path) -> None:
    fill(place, NEW)
    assert texts(place) == NEW

    def breaks() -> None:
        with folder_in_place(place, HIDDEN_LIST) as folder:
            (folder / "b.txt").write_text("three")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        breaks()
    assert texts(place) == NEW
    assert [path.name for path in place.parent.iterdir()] == ["place"]


@pytest.mark.usefixtures("exchange")
def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    fill(tmp_path / "place", NEW)
    assert texts(tmp_path / "place") == NEW
    with pytest.raises(InputError, match="does not know as its own"):  # nothing of it is known without a list
        check_folder_place(tmp_path / "place")
    assert [path.name for path in tmp_path.iterdir()] == ["place"]


def a_file(place: Path) -> None:
    (place / "thesis.txt").write_text("mine")


def a_repository(place: Path) -> None:
    (place / "below" / ".git" / "objects").mkdir(parents=True)
    (place / "below" / ".git" / "HEAD").write_text("mine")


def a_link_to_a_folder(place: Path) -> None:
    (place.parent / "src").mkdir()
    (place.parent / "src" / "thesis.txt").write_text("mine")
    (place / "link").symlink_to(place.parent / "src", target_is_directory=True)


@pytest.mark.parametrize("put", [a_file, a_repository, a_link_to_a_folder])
def test_a_folder_with_files_of_others_is_never_replaced(place: Path, put: Callable[[Path], None]) -> None:
    put(place)
    for force in (False, True):
        refused(place, "does not know as its own", force=force)


@pytest.mark.parametrize("harm", ["changed", "removed"])
def test_what_was_changed_is_replaced_by_force(place: Path, harm: str) -> None:
    if harm == "changed":
        (place / "below" / "b.txt").write_text("edited")
    else:
        shutil.rmtree(place / "below")
    refused(place, r"changed or removed since disco2 wrote them: below/b\.txt.*--force")
    fill(place, NEW, force=True)
    assert texts(place) == NEW


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"files": 3}', '{"files": ["a.txt"]}', "[" * 100_000, None],
    ids=lambda content: str(content)[:20],
)
def test_a_list_that_is_none_of_ours_allows_nothing(place: Path, content: str | None) -> None:
    if content is None:
        (place / HIDDEN_LIST.name).unlink()
    else:
        (place / HIDDEN_LIST.name).write_text(content)
    for force in (False, True):
        refused(place, "does not know as its own", force=force)


def test_a_list_can_name_nothing_outside_its_folder(place: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.py").write_text("mine")
    (place / "src").symlink_to(tmp_path / "src", target_is_directory=True)
    names = ["../thesis.txt", str(tmp_path / "thesis.txt"), "src/main.py", "src/../../thesis.txt", "below"]
    file = place / HIDDEN_LIST.name
    said = json.loads(file.read_text())
    said["files"] |= {name: files.hash_file(tmp_path / "thesis.txt") for name in names}
    file.write_text(json.dumps(said))
    refused(place, "does not know as its own")
    (place / "src").unlink()
    refused(place, "changed or removed")
    fill(place, NEW, force=True)
    assert texts(place) == NEW
    assert (tmp_path / "src" / "main.py").read_text() == (tmp_path / "thesis.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["a.txt", "below", HIDDEN_LIST.name])
def test_a_link_in_place_of_ours_is_not_ours(place: Path, tmp_path: Path, name: str) -> None:
    """The same content behind it is no reason to take the link away."""
    (place / name).rename(tmp_path / "moved")
    (place / name).symlink_to(tmp_path / "moved")
    for force in (False, True):
        refused(place, "does not know as its own", force=force)


@pytest.mark.usefixtures("exchange")
def test_a_file_that_comes_in_the_last_moment_is_not_removed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange = files._exchange

    def late(fresh: Path, target: Path) -> None:
        (target / "thesis.txt").write_text("mine")
        exchange(fresh, target)

    monkeypatch.setattr(files, "_exchange", late)
    fill(place, NEW)
    assert texts(place) == NEW
    (kept,) = place.parent.rglob("thesis.txt")  # in a hidden folder
    assert kept.read_text() == "mine"


@pytest.mark.parametrize("there", ["filled", "empty", "absent"])
def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path: Path, there: str) -> None:
    if there != "absent":
        (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    if there == "filled":
        fill(tmp_path / "disk", OLD)
    check_folder_place(tmp_path / "link", HIDDEN_LIST)
    fill(tmp_path / "link", NEW)
    assert (tmp_path / "link").is_symlink()
    assert texts(tmp_path / "disk") == NEW
    (tmp_path / "disk" / "thesis.txt").write_text("mine")
    refused(tmp_path / "link", r"thesis\.txt")


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
    for force in (False, True):
        with pytest.raises(InputError, match="not a folder"):
            check_folder_place(tmp_path / "file", HIDDEN_LIST, force=force)


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("after", [1, 2, 3])
def test_the_folder_is_there_whatever_comes_between_the_renames(
    place: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException], after: int
) -> None:
    monkeypatch.setattr(files, "_exchanged", lambda one, other: False)
    rename, seen = Path.rename, 0

    def interrupted(self: Path, other: Path) -> Path:
        nonlocal seen
        found = rename(self, other)
        seen += 1
        if seen == after:
            raise error
        return found

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises((InputError, error)):
        fill(place, NEW)
    assert texts(place) == (OLD if after == 1 else NEW)


def killed(change: int, room: Path, work: Callable[[], None]) -> bool:
    """Do something in a process that kills itself right before its n-th change of a file; whether it did."""
    child = os.fork()
    if not child:
        try:
            kill_at(change, room)
            work()
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code != 0


@posix_only
def test_killed_at_every_change_the_old_or_the_new_folder_is_there(place: Path, exchange: str) -> None:
    before, missing, change, found = state(place), 0, 1, []
    while killed(change, place.parent, lambda: fill(place, NEW)):
        if not place.exists():
            missing += 1
            (old,) = place.parent.glob(".place-*/old")
            old.rename(place)
        found.append(texts(place))
        assert found[-1] in (OLD, NEW)
        if found[-1] == NEW:
            fill(place, OLD)
            assert state(place) == before
        change += 1
    assert texts(place) == NEW
    assert change > 10
    assert OLD in found
    assert NEW in found
    assert missing == (exchange == "renames")
