"""Text files, plain or compressed (.gz, .xz), read in blocks of whole paragraphs: memory stays flat."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from disco2.errors import InputError

BLOCK = 500_000  # characters; a quarter of a minute of work
_LONGEST_LINE = 1 << 16  # characters; a longer one is read in pieces

_OPENERS: dict[str, Callable[..., IO[Any]]] = {".gz": gzip.open, ".xz": lzma.open}


def read_blocks(
    path: Path, *, size: int = BLOCK, encoding: str = "utf-8", by_line: bool = False
) -> Iterator[str]:
    """Blocks of about so many characters. They end at blank lines, or with ``by_line`` at any line end.

    A paragraph that is larger than a block is cut at a line end. InputError where the file can't be read.
    """
    lines: list[str] = []
    total = 0
    try:
        with _opened(path, encoding) as stream:
            while line := stream.readline(_LONGEST_LINE):
                lines.append(line)
                total += len(line)
                if (total >= size and (by_line or not line.strip())) or total >= 2 * size:
                    yield "".join(lines)
                    lines, total = [], 0
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise InputError(
            f"It can't be read: {getattr(error, 'strerror', None) or error}.",
            where=str(path),
            hint="Is the file whole, and compressed as its name says?",
        ) from error
    except UnicodeError as error:
        raise InputError(
            f"The text is not {encoding}: {error}.", where=str(path), hint="Give another --encoding."
        ) from error
    if total:
        yield "".join(lines)


def _opened(path: Path, encoding: str) -> IO[str]:
    stream: IO[str] = _OPENERS.get(path.suffix.lower(), open)(path, "rt", encoding=encoding)
    return stream
