"""Atomic files and folders, written beside their place and renamed into it; locks on files.

A ``FileList`` in a folder names the files that disco2 wrote there, with their hashes. No others are removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path, PurePosixPath
from typing import Any

from disco2.errors import BundleError, InputError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


class FileLock:
    """A lock on a file, which exists while the lock is held; the lock of a killed process is free.

    Without support of the system (Windows, some network disks) it is always free.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream: FileIO | None = None

    def take(self) -> bool:
        """Try to take the lock; True if this process has it now. Creates missing folders."""
        if fcntl is None:
            return True
        with report_write_errors(self.path), suppress(FileNotFoundError), ExitStack() as opened:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            stream = opened.enter_context(FileIO(self.path, "ab"))
            # Its holder may have removed the file meanwhile: then this lock is worth nothing.
            if _locked(stream) and os.path.samestat(os.fstat(stream.fileno()), self.path.stat()):
                opened.pop_all()
                self._stream = stream
        return self._stream is not None

    def give_up(self) -> None:
        """Release the lock; remove its file, and the folder if it is empty."""
        if self._stream is not None:
            with suppress(OSError):
                self.path.unlink()  # before the release, after which the file may be another's
                self.path.parent.rmdir()
            self._stream.close()
            self._stream = None


def _locked(stream: FileIO) -> bool:
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network disks have no locks
        pass
    return True


_TEXT: dict[str, Any] = {"encoding": "utf-8", "errors": "replace", "newline": ""}
_SCRATCH = re.compile(r"\..+-[a-z0-9_]{8}")  # as tempfile names them: a file's name, and eight characters
_MOST_NAMED = 3  # files in a message
_LARGEST_FILE = 1 << 28  # bytes of a file that ``read_listed_files`` holds
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux


@dataclass(frozen=True)
class FileList:
    """The file in which a folder names the others that disco2 wrote there.

    ``read`` takes the folder and gives the SHA-256 of each by its path in it; InputError if disco2 did not
    write the file.
    """

    name: str
    read: Callable[[Path], Mapping[str, str]]


def write_text(path: Path, pieces: Iterable[str]) -> None:
    """Write UTF-8 text, all of it or nothing; folders are made as needed.

    If the path is a symbolic link, the file it points to is replaced. Characters that UTF-8 can't encode,
    such as the undecodable bytes of a file's name, become question marks.
    """
    with _in_place(path) as handle, os.fdopen(handle, "w", **_TEXT) as stream:
        stream.writelines(pieces)


def write_bytes(path: Path, content: bytes) -> None:
    """Write bytes, all of them or nothing, as ``write_text`` does."""
    with _in_place(path) as handle, os.fdopen(handle, "wb") as stream:
        stream.write(content)


@contextmanager
def _in_place(path: Path) -> Iterator[int]:
    """The handle of a temporary file, which is renamed at the end, or removed if an error occurs."""
    with report_write_errors(path):
        path = _file_target(path)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        scratch = Path(name)
        try:
            yield handle
            mask = os.umask(0)
            os.umask(mask)
            scratch.chmod(0o666 & ~mask)  # mkstemp makes private files
            scratch.replace(path)
        finally:
            scratch.unlink(missing_ok=True)


def _file_target(path: Path) -> Path:
    """The file behind a symbolic link; its folder is made as needed. Not a folder or a device."""
    if path.exists() and not path.is_file():
        raise _unusable("Path exists but is not a regular file.", path)
    path = behind_link(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def behind_link(path: Path) -> Path:
    """Resolve a symbolic link; any other path is returned unchanged."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def check_file_place(path: Path) -> None:
    """Raise InputError unless a regular file can be written there; its folder is made as needed."""
    with report_write_errors(path), tempfile.TemporaryFile(dir=_file_target(path).parent):
        pass


def remove_scratch(folder: Path) -> None:
    """Remove temporary files of killed writers in a folder and below; nothing else may write there."""
    with report_write_errors(folder):
        for file in folder.rglob(".*"):
            if _SCRATCH.fullmatch(file.name) and file.is_file():
                file.unlink(missing_ok=True)


@contextmanager
def folder_in_place(path: Path, listed: FileList | None = None, *, force: bool = False) -> Iterator[Path]:
    """Yield an empty folder to fill; it replaces the old one at the end, or nothing if an error occurs.

    ``check_folder_place`` says what may be there. If the system can exchange two folders in one step (Linux),
    a killed process leaves the old one or the new one; elsewhere it may leave the old one in a hidden folder
    beside the path. If the path is a symbolic link, the folder it points to is replaced.
    """
    with report_write_errors(path):
        target = _usable(path, listed, force=force)
        scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
        fresh = scratch / "new"
        try:
            fresh.mkdir()
            yield fresh
            if listed is HIDDEN_LIST:
                write_list(fresh)
            written = _all_below(fresh)
            ours = _own_files(target, listed, force=force)  # again, as the work may have taken hours
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        try:
            if target.exists():
                _exchange(fresh, target)
            else:
                fresh.rename(target)
        finally:  # by name: somebody may have added a file to the old folder in the last moment
            for name in sorted(written | ours, reverse=True):
                with suppress(OSError):
                    if name.endswith("/"):
                        (fresh / name).rmdir()
                    else:
                        (fresh / name).unlink()
            for folder in (fresh, scratch):
                with suppress(OSError):
                    folder.rmdir()


def check_folder_place(path: Path, listed: FileList | None = None, *, force: bool = False) -> None:
    """Raise InputError unless ``folder_in_place`` can write here; called before long work starts.

    The folder must be absent, empty, or hold exactly the files that its list names, unchanged. With ``force``
    they may be changed or missing. A folder with other files is never replaced.
    """
    with report_write_errors(path), tempfile.TemporaryFile(dir=_usable(path, listed, force=force).parent):
        pass


def _unusable(what: str, path: Path) -> InputError:
    return InputError(what, where=str(path), hint="Choose another place.")


def hash_file(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_listed_files(folder: Path) -> dict[str, bytes]:
    """The files that the hidden list of a folder names, each checked against its hash.

    Raises BundleError if the list or a file is missing, changed, too large, or not a regular file.
    """
    try:
        text = read_regular_file(folder / HIDDEN_LIST.name, _LARGEST_FILE).decode().replace("\r\n", "\n")
        hashes = json.loads(text)["files"]
        if text != _list_text(hashes):
            raise ValueError(f"{HIDDEN_LIST.name} was changed")
        files = {name: read_regular_file(folder / name, _LARGEST_FILE) for name in hashes}
        for name, content in files.items():
            if hashlib.sha256(content).hexdigest() != hashes[name]:
                raise ValueError(f"{name} is damaged: its hash is not the recorded one")
        return files
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        hint = "Install disco2 again, or train the model again."
        raise BundleError(f"The model can't be read: {error}.", where=str(folder), hint=hint) from error


def read_regular_file(path: Path, most_bytes: int) -> bytes:
    """The content of a file; ValueError if it is too large, or a device or pipe, which may have no end."""
    state = path.stat()
    if not stat.S_ISREG(state.st_mode):
        raise ValueError(f"{path.name} is not a regular file")
    if state.st_size > most_bytes:
        raise ValueError(f"{path.name} is too large: it may have {most_bytes:,} bytes at most")
    return path.read_bytes()


def is_file_name(name: str) -> bool:
    """Whether a document's name can be used as a file name."""
    fits = 0 < len(name.encode(errors="replace")) < 200
    return fits and name not in (".", "..") and not any(character in name for character in "/\\:\0")


def _usable(path: Path, listed: FileList | None, *, force: bool) -> Path:
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise _unusable("The symbolic link leads nowhere.", path)
    if target.is_mount() or Path.cwd().is_relative_to(target):
        raise _unusable(
            "A folder can't be replaced while it is the current one or where a disk is mounted.", path
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    _own_files(target, listed, force=force)
    return target


def _own_files(folder: Path, listed: FileList | None, *, force: bool) -> set[str]:
    """Our files in a folder, by the rule of ``check_folder_place``; InputError if it can't be replaced."""
    if not folder.exists():
        return set()
    if not folder.is_dir():
        raise _unusable("Path exists but is not a folder.", folder)
    named: dict[str, str] = {}  # our files and their hashes; the list itself has none
    if listed is not None and not (folder / listed.name).is_symlink() and (folder / listed.name).is_file():
        with suppress(InputError):
            named = {**listed.read(folder), listed.name: ""}
    ours, others = _sort_out(folder, named)
    if others:
        what = f"The folder holds files that disco2 does not know as its own: {_some(others)}."
        raise InputError(what, where=str(folder), hint="Choose a new or an empty folder.")
    changed = {
        name
        for name, expected in named.items()
        if not force and (name not in ours or (expected and hash_file(folder / name) != expected))
    }
    if changed:
        what = f"Files there were changed or removed since disco2 wrote them: {_some(changed)}."
        hint = "Choose another folder, or replace what disco2 wrote: --force (in Python: force=True)."
        raise InputError(what, where=str(folder), hint=hint)
    return ours


def _sort_out(folder: Path, named: Collection[str]) -> tuple[set[str], set[str]]:
    """The files of these names with their folders, which end in a slash, and all else.

    Links always count as others; none is followed.
    """
    parents = {f"{parent}/" for name in named for parent in PurePosixPath(name).parents}
    ours: set[str] = set()
    others: set[str] = set()
    waiting = [""]
    while waiting:
        below = waiting.pop()
        with os.scandir(folder / below) as entries:
            for entry in entries:
                name = below + entry.name
                if f"{name}/" in parents and entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{name}/")
                    ours.add(f"{name}/")
                elif name in named and entry.is_file(follow_symlinks=False):
                    ours.add(name)
                else:
                    others.add(name)
    return ours, others


def _some(names: Collection[str]) -> str:
    more = ", ..." if len(names) > _MOST_NAMED else ""
    return ", ".join(sorted(names)[:_MOST_NAMED]) + more


def _exchange(fresh: Path, target: Path) -> None:
    """Exchange two folders, in one step if the system can."""
    if _exchanged(fresh, target):
        return
    old = fresh.with_name("old")
    try:
        target.rename(old)
        fresh.rename(target)
    except BaseException:  # an interrupt, too
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    old.rename(fresh)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False if the system or the disk can't."""
    if sys.platform != "linux":
        return False
    import ctypes

    call = getattr(ctypes.CDLL(None), "renameat2", None)  # Python has no function for it
    return call is not None and call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0


def _all_below(folder: Path) -> set[str]:
    """All files and folders, which end in a slash, by their paths in a folder."""
    found = {path: path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    return {f"{name}/" if path.is_dir() else name for path, name in found.items()}


def write_list(folder: Path) -> None:
    """Write the hidden list of a folder: all its files and their hashes."""
    names = sorted(name for name in _all_below(folder) if not name.endswith("/") and name != HIDDEN_LIST.name)
    hashes = {name: hash_file(folder / name) for name in names}
    (folder / HIDDEN_LIST.name).write_text(_list_text(hashes), encoding="utf-8", newline="\n")


def _list_text(hashes: Mapping[str, str]) -> str:
    return json.dumps({"files": hashes}, indent=1) + "\n"


def _read_list(folder: Path) -> dict[str, str]:
    try:
        files = json.loads((folder / HIDDEN_LIST.name).read_text(encoding="utf-8"))["files"]
        return {str(name): str(digest) for name, digest in files.items()}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise InputError("The list of files can't be read.", where=str(folder)) from error


HIDDEN_LIST = FileList(".disco2.json", _read_list)  # of folders without a manifest


@contextmanager
def report_write_errors(path: Path) -> Iterator[None]:
    """Turn an OSError into an InputError with the path."""
    try:
        yield
    except OSError as error:
        hint = "Choose another place, or make room on the disk."
        raise InputError(
            f"It can't be written: {error.strerror or error}.", where=str(path), hint=hint
        ) from error


class TwinKeyError(ValueError):
    """``key`` is the first that occurs twice in a JSON object, in a printable form."""

    def __init__(self, key: str) -> None:
        self.key = key.encode("utf-8", errors="replace").decode("utf-8")
        super().__init__(f"The key '{self.key:.80}' occurs twice in one object")


def without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Reject an object with a duplicate key: ``json.loads(..., object_pairs_hook=without_twins)``.

    Python takes the last value, other parsers the first.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise TwinKeyError(next(key for key, count in counts.items() if count > 1))
    return found


def filled(template: Path, **content: object) -> str:
    """Fill a template of HTML: what it inserts is escaped, and what it lacks is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(template.parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template.name).render(content)
