"""The bytes of a bundle's file: read once, hashed as read, and never more of them than such a file may have.

What is not an ordinary file (a pipe, a device, a folder) is refused before it is opened, so that nothing
waits for it. A link is followed, as stores of models use them: the hash decides, wherever the bytes lie.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from disco2.bundle.layout import CARD, ENCODER, FEATURES, MANIFEST, PARAMETERS, TOKENIZER, WORDS
from disco2.bundle.refusal import REPAIR
from disco2.errors import BundleError

MEGABYTE = 1 << 20
MOST_BYTES = {
    MANIFEST: 4 * MEGABYTE,
    CARD: 4 * MEGABYTE,
    FEATURES: 16 * MEGABYTE,
    WORDS: 1024 * MEGABYTE,
    PARAMETERS: 16 * 1024 * MEGABYTE,
    ENCODER: 2047 * MEGABYTE,  # Protocol Buffers has no larger messages
    TOKENIZER: 64 * MEGABYTE,
}
LARGE = 64 * MEGABYTE  # from here on, a file is hashed in pieces before room is made for all of it

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def verified_bytes(folder: Path, name: str, *, expected: str) -> bytes:
    """The content of a file whose SHA-256 is the expected one; BundleError where it is missing or another."""
    try:
        descriptor = _open(folder, name)
    except (FileNotFoundError, NotADirectoryError):
        raise BundleError(f"The model lacks its file {name}.", where=str(folder), hint=REPAIR) from None
    try:
        if os.fstat(descriptor).st_size > LARGE:
            _compare(_hash(descriptor, folder, name), expected, folder, name)
            os.lseek(descriptor, 0, os.SEEK_SET)
        content = b"".join(_pieces(descriptor, folder, name))
    finally:
        os.close(descriptor)
    _compare(sha256(content).hexdigest(), expected, folder, name)
    return content


def hash_of(folder: Path, name: str) -> str:
    """The SHA-256 of a file, which is not held; BundleError where it is too large or no ordinary file."""
    descriptor = _open(folder, name)
    try:
        return _hash(descriptor, folder, name)
    finally:
        os.close(descriptor)


def unverified_bytes(folder: Path, name: str) -> bytes | None:
    """The content of a file, such as the manifest, which guards itself; None where there is no such file."""
    try:
        descriptor = _open(folder, name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return b"".join(_pieces(descriptor, folder, name))
    finally:
        os.close(descriptor)


def _hash(descriptor: int, folder: Path, name: str) -> str:
    running = sha256()
    for piece in _pieces(descriptor, folder, name):
        running.update(piece)
    return running.hexdigest()


def _compare(found: str, expected: str, folder: Path, name: str) -> None:
    if found != expected:
        raise BundleError(
            f"The file {name} is damaged: its hash is not the recorded one.", where=str(folder), hint=REPAIR
        )


def _open(folder: Path, name: str) -> int:
    """A descriptor of an ordinary file that is not too large."""
    _check((folder / name).stat(), folder, name)  # before: opening a device may already do something
    descriptor = os.open(folder / name, _FLAGS)
    try:
        _check(os.fstat(descriptor), folder, name)  # and after: it may have been put there in between
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check(state: os.stat_result, folder: Path, name: str) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise BundleError(f"{name} is not an ordinary file.", where=str(folder), hint=REPAIR)
    if state.st_size > MOST_BYTES[name]:
        raise _too_large(folder, name)


def _pieces(descriptor: int, folder: Path, name: str) -> Iterator[bytes]:
    """To the end of the file as it is, which need not be where its size was said to end."""
    total = 0
    while piece := os.read(descriptor, MEGABYTE):
        total += len(piece)
        if total > MOST_BYTES[name]:
            raise _too_large(folder, name)
        yield piece


def _too_large(folder: Path, name: str) -> BundleError:
    most = MOST_BYTES[name] // MEGABYTE
    return BundleError(
        f"{name} is too large: such a file has at most {most} megabytes.", where=str(folder), hint=REPAIR
    )
