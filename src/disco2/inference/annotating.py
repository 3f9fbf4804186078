"""Raw text -> documents with all layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from disco2.annotation.annotator import ALL_LAYERS, Annotator, raw_document
from disco2.data import Document
from disco2.inference.plain_text import check_text, without_controls

# Unicode's separator of paragraphs, which all annotators respect, for line ends; one for one keeps offsets.
_LINES_AS_PARAGRAPHS = dict.fromkeys(map(ord, "\n\r\u2028"), "\u2029")


def annotate_texts(
    annotators: Annotator, texts: Sequence[tuple[str, str]], *, paragraphs: str = "blank"
) -> list[Document]:
    """Documents from ids and texts, in order.

    Annotators see spaces for control characters; the documents keep the texts as they were, NULs and Windows
    line ends included, so that all offsets are exact. Where ``paragraphs`` end at every ``line`` end, no
    sentence goes on behind one.
    """
    raw = [unannotated(text, document_id=name, paragraphs=paragraphs) for name, text in texts]
    found = annotators.annotate(raw, layers=ALL_LAYERS)
    return [replace(document, text=text) for document, (_, text) in zip(found, texts, strict=True)]


def unannotated(text: str, *, document_id: str = "text", paragraphs: str = "blank") -> Document:
    """What annotators get to see of a text, with no layer yet."""
    seen = without_controls(check_text(text))
    if paragraphs == "line":
        seen = seen.translate(_LINES_AS_PARAGRAPHS)
    return raw_document(seen, document_id=document_id)
