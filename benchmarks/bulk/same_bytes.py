"""Whether two folders hold the same files, byte for byte."""

from __future__ import annotations

import hashlib
from pathlib import Path


def digests(folder: Path) -> dict[str, str]:
    """Every file below the folder with the SHA-256 of its content."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def differences(one: Path, other: Path) -> list[str]:
    """A line for each file that only one has or that differs; none where the folders are the same."""
    first, second = digests(one), digests(other)
    lines = [f"only in {one.name}: {name}" for name in first if name not in second]
    lines += [f"only in {other.name}: {name}" for name in second if name not in first]
    lines += [f"differs: {name}" for name in first if name in second and first[name] != second[name]]
    return lines


def total_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
