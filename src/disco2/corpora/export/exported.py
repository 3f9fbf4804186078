"""What an export has written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Exported:
    """The files, how many relations they label, and what a user should know about them."""

    files: tuple[Path, ...]
    relations: int
    notes: tuple[str, ...] = ()
