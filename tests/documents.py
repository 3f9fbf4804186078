"""Documents for tests."""

from __future__ import annotations

import json
from collections.abc import Sequence

from disco2.annotation.alignment import align_to_text
from disco2.annotation.cache import document_to_json, parse_annotated
from disco2.annotation.treebanks import unescape
from disco2.data import Document, Sentence, Token
from disco2.errors import LayerError


def document_from_words(
    document_id: str,
    sentences: Sequence[Sequence[str]],
    text: str | None = None,
    tags: Sequence[Sequence[str]] | None = None,
    *,
    where: str = "",
) -> Document:
    """A document with the given tokens; without a text, words and sentences are joined by single spaces.

    Raises LayerError where the words are not those of the text, or the tags not as many as the words.
    """
    words = [word for sentence in sentences for word in sentence]
    if text is None:
        text = " ".join(words)
    spans = align_to_text(words, text, where=where or document_id)
    flat_tags = [tag for sentence in tags for tag in sentence] if tags is not None else [""] * len(words)
    if len(flat_tags) != len(words):
        raise LayerError(f"{len(flat_tags)} tags for {len(words)} words.", where=where or document_id)
    tokens = tuple(
        [
            Token(unescape(text[start:end]), start, end, tag)
            for (start, end), tag in zip(spans, flat_tags, strict=True)
        ]
    )
    made: list[Sentence] = []
    first = 0
    for sentence in sentences:
        if sentence:
            made.append(Sentence(first, first + len(sentence)))
            first += len(sentence)
    return Document(document_id, text, tokens, tuple(made))


def assert_valid(document: Document) -> None:
    """Tokens, sentences, trees, dependencies and mentions fit each other: the JSON reader takes them."""
    text = json.dumps(document_to_json(document), ensure_ascii=False)
    parse_annotated(text.encode("utf-8", errors="replace"), where="d")
