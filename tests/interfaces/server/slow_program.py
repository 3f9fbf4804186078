"""The program with the rule annotator, which takes its time, and less patience: for tests of waiting."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layers
from disco2.data import Document
from disco2.interfaces.cli import main
from disco2.interfaces.cli.options import AnnotatorOptions
from disco2.interfaces.server import running
from tests.inference.rule_annotator import RuleAnnotator


class SlowAnnotator(RuleAnnotator):
    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        if any("slowly" in document.text for document in documents):
            time.sleep(float(os.environ.get("SLOW_SECONDS", "0")))
        if any("breaks" in document.text for document in documents):
            raise KeyError(documents[0].text)
        return super().annotate(documents, layers=layers)


def slow(_: AnnotatorOptions, *, layers: Layers = ALL_LAYERS) -> Annotators:
    return Annotators([SlowAnnotator()])


if __name__ == "__main__":
    AnnotatorOptions.open = slow  # type: ignore[assignment, method-assign]
    running.KEEP_ALIVE = int(os.environ.get("KEEP_ALIVE", running.KEEP_ALIVE))
    main()
