"""The program as a user starts it, with the annotator that some words are too much for: to be killed."""

from __future__ import annotations

import sys

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layers
from disco2.interfaces.cli import main
from disco2.interfaces.cli.options import AnnotatorOptions
from tests.bulk.stand_in import WeakAnnotator

PROGRAM = [sys.executable, "-m", "tests.bulk.program", "bulk"]


def stand_in(_: AnnotatorOptions, *, layers: Layers = ALL_LAYERS, on_demand: bool = False) -> Annotators:
    return Annotators([WeakAnnotator()])


if __name__ == "__main__":
    AnnotatorOptions.open = stand_in  # type: ignore[method-assign]
    main()
