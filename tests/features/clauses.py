"""Sentences written as rows of word, tag, head and label, for tests of features that read dependencies."""

from __future__ import annotations

from dataclasses import replace

from disco2.records import Constituents, Dependencies, Document, Sentence
from tests.features.feature_documents import make_document

Clause = tuple[list[str], Constituents, Dependencies]


def clause(rows: str) -> Clause:
    """``it/PRP/2/nsubj rained/VBD/0/root``: heads count from 1, as in CoNLL-U; the tree is flat."""
    words, tags, heads, labels = zip(*(row.rsplit("/", 3) for row in rows.split()), strict=True)
    tree = Constituents(("S",), (0,), (len(words),), (-1,), tags)
    return list(words), tree, Dependencies(tuple(int(head) - 1 for head in heads), labels)


def clauses(*rows: str) -> Document:
    return make_document(*(clause(row) for row in rows))


def tags_on_tokens(doc: Document) -> Document:
    """The same document with its tags at the tokens and no trees."""
    tokens = list(doc.tokens)
    for sentence in doc.sentences:
        if sentence.constituents is not None:
            for place, tag in enumerate(sentence.constituents.tags, sentence.start):
                tokens[place] = replace(tokens[place], tag=tag)
    return replace(untagged(doc), tokens=tuple(tokens))


def untagged(doc: Document) -> Document:
    return replace(doc, sentences=tuple(replace(sentence, constituents=None) for sentence in doc.sentences))


def without_layers(doc: Document) -> Document:
    return replace(doc, sentences=tuple(Sentence(sentence.start, sentence.end) for sentence in doc.sentences))
