"""Neighbouring sentences of a document together: what spaCy's components see at once, and learn from."""

from __future__ import annotations

from disco2.annotation.text import BLANK_LINE
from disco2.records import Document, Sentence

MOST_TOKENS = 300  # in a group of more than one sentence


def sentence_groups(document: Document, *, most_tokens: int = MOST_TOKENS) -> list[list[Sentence]]:
    """The sentences in order, those of one paragraph together, at most so many tokens of them."""
    groups: list[list[Sentence]] = []
    for sentence in document.sentences:
        if not len(sentence):
            continue
        if groups and _belongs(document, groups[-1], sentence, most_tokens):
            groups[-1].append(sentence)
        else:
            groups.append([sentence])
    return groups


def _belongs(document: Document, group: list[Sentence], sentence: Sentence, most_tokens: int) -> bool:
    if sentence.end - group[0].start > most_tokens:
        return False
    between = document.text[document.tokens[group[-1].end - 1].end : document.tokens[sentence.start].start]
    return BLANK_LINE.search(between) is None
