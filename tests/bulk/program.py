"""The program as a user starts it, with the annotator that some words are too much for: to be killed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from disco2.annotation.annotator import ALL_LAYERS, Layers
from disco2.annotation.choice import ChosenAnnotators
from disco2.interfaces.cli import main
from disco2.interfaces.cli.annotator_options import AnnotatorOptions
from tests.bulk.stand_in import WeakAnnotator

PROGRAM = [sys.executable, "-m", "tests.bulk.program", "predict"]


def stand_in(
    _: AnnotatorOptions, *, layers: Layers = ALL_LAYERS, on_demand: bool = False
) -> ChosenAnnotators:
    return ChosenAnnotators([WeakAnnotator()])


def children(process: int) -> list[int]:
    """The processes that a process has started and that still run."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if int(parent) == process and state != "Z":
                found.append(int(folder.name))
    return found


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    AnnotatorOptions.open = stand_in  # type: ignore[method-assign]
    main()
