"""Texts, and a rule annotator that says who it is and counts what it was asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layer, Layers, raw_document
from disco2.annotation.cache import LayerStore
from disco2.data import Document
from tests.inference.rule_annotator import RuleAnnotator

TEXTS = ("Tina gave Bob the burger. He was hungry.", "Bob left.\n\nTina stayed: it rained…", "Bob? Bob!")
TAGS = frozenset({Layer.TAGS})


class Told(RuleAnnotator):
    """The rule annotator under a fingerprint; it counts what it annotates."""

    def __init__(self, fingerprint: str = "rules 1") -> None:
        super().__init__()
        self.fingerprint = fingerprint


def documents(texts: Sequence[str] = TEXTS) -> list[Document]:
    return [raw_document(text, document_id=f"d{number}") for number, text in enumerate(texts)]


def annotated(
    file: Path, given: Sequence[Document], *, maker: Told | None = None, layers: Layers = ALL_LAYERS
) -> tuple[list[Document], int]:
    """The documents with layers, and how many had to be annotated."""
    maker = maker or Told()
    with LayerStore(file) as store:
        found = Annotators([maker], store=store).annotate(given, layers=layers)
        assert not store.trouble
    return found, maker.documents
