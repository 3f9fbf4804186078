"""A document from its file: what was read is what was hashed, or there is a reason why not."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from hashlib import sha256
from io import FileIO

from disco2.errors import InputError
from disco2.inference.plain_text import check_text, decoded, has_word

ATTEMPTS = 3  # at a file that is being written


@dataclass(slots=True)
class Source:
    """A document's bytes, or why there are none."""

    name: str
    content: bytes = b""
    sha256: str = ""
    refused: InputError | None = None

    @property
    def identity(self) -> str:
        """Changes where the document does, and where it can be read again."""
        return self.sha256 or f"refused: {self.refused}"

    def text(self, encoding: str) -> str:
        """Its text; InputError where it is none. The bytes are let go."""
        content, self.content = self.content, b""
        found = check_text(decoded(content, encoding=encoding))
        if not has_word(found):
            raise InputError("There is no word in it.")
        return found


def shown_name(name: bytes) -> str:
    """A path as text; bytes that are not UTF-8 become such as ``\\xe9``."""
    return name.decode("utf-8", "backslashreplace")


def read_source(root: str, name: bytes, *, most_bytes: int) -> Source:
    """The document of that name; never raises for what is wrong with it."""
    source = Source(shown_name(name))
    try:
        source.content = _content(os.fsencode(root) + b"/" + name, most_bytes)
        source.sha256 = sha256(source.content).hexdigest()
    except InputError as error:
        source.refused = error
    except FileNotFoundError:
        source.refused = InputError(
            "There is no such file.", hint="It is gone, or a link that leads nowhere."
        )
    except OSError as error:
        source.refused = InputError(f"It can't be read: {error.strerror or error}.")
    return source


def _content(path: bytes, most_bytes: int) -> bytes:
    # Not to wait for the other end of a pipe.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _check_kind(os.fstat(handle))
        # Without a buffer, which would keep what was there before.
        stream = FileIO(handle, "rb", closefd=False)
        for _ in range(ATTEMPTS):
            before = os.fstat(handle)
            if before.st_size > most_bytes:
                raise InputError(
                    f"It has {before.st_size} bytes; {most_bytes} are the most.",
                    hint="Split it, or allow more: --most-bytes",
                )
            stream.seek(0)
            content = stream.read(before.st_size + 1)
            if len(content) == before.st_size and _state(before) == _state(os.fstat(handle)):
                return content
    finally:
        os.close(handle)
    raise InputError("It changes while it is read.", hint="Give the command again when it is finished.")


def _check_kind(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise InputError("This is a folder; a file is needed.")
    if not stat.S_ISREG(found.st_mode):
        raise InputError("This is no file but a pipe or a device.")


def _state(found: os.stat_result) -> tuple[int, int]:
    return found.st_size, found.st_mtime_ns
