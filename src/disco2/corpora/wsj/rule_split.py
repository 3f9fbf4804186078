"""Documents of the Wall Street Journal for which there are no trees."""

from __future__ import annotations

import re
from dataclasses import replace

from disco2.annotation.tokenise import tokenise
from disco2.records import Document, Sentence, Token

_NOT_TEXT = re.compile(r"\s*\.START\b")  # with which the raw files open


def split_by_rule(document_id: str, text: str) -> Document:
    """The document with tokens and sentences split by rule, and without phrases."""
    opening = _NOT_TEXT.match(text)
    skipped = opening.end() if opening else 0
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    for sentence in tokenise(text[skipped:]):
        if sentence:
            first = len(tokens)
            tokens.extend(
                replace(token, start=token.start + skipped, end=token.end + skipped) for token in sentence
            )
            sentences.append(Sentence(first, len(tokens)))
    return Document(document_id, text, tuple(tokens), tuple(sentences))
