"""Which weights an annotator has, in eight hexadecimal digits, so that its name tells them from others."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from disco2.errors import BundleError

DIGITS = 8


def named(name: str, digest: str) -> str:
    """What an annotator is called that has weights with this digest; without one, its bare name."""
    return f"{name} {digest}" if digest else name


def weights_digest(folder: Path) -> str:
    """The beginning of the SHA-256 over the folder's files, hidden ones left out: names, sizes, contents."""
    total = sha256()
    try:
        files = {file.relative_to(folder): file for file in folder.rglob("*") if file.is_file()}
        for name in sorted(files, key=lambda name: name.parts):
            if not any(part.startswith(".") for part in name.parts):
                content = files[name].read_bytes()
                total.update(f"{name.as_posix()}\n{len(content)}\n".encode("utf-8", "surrogateescape"))
                total.update(content)
    except OSError as error:
        raise BundleError(f"The weights can't be read ({error}).", where=str(folder)) from error
    return total.hexdigest()[:DIGITS]
