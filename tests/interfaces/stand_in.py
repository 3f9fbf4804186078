"""The program as a user starts it, but with the rule annotator, for tests that must be killed or piped."""

from __future__ import annotations

import sys

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layers
from disco2.interfaces.cli import main
from disco2.interfaces.cli.options import AnnotatorOptions
from tests.inference.rule_annotator import RuleAnnotator

PROGRAM = [sys.executable, "-m", "tests.interfaces.stand_in"]


def stand_in(_: AnnotatorOptions, *, layers: Layers = ALL_LAYERS, on_demand: bool = False) -> Annotators:
    return Annotators([RuleAnnotator()])


if __name__ == "__main__":
    AnnotatorOptions.open = stand_in  # type: ignore[method-assign]
    main()
