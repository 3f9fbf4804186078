"""An annotator of a few rules, for tests that need layers but not good ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from disco2.annotation.annotator import ALL_LAYERS, Layer, Layers
from disco2.annotation.text import tokenise
from disco2.data import Constituents, Dependencies, Document, Mention, Sentence, Token

PRONOUNS = {"she": "Tina", "her": "Tina", "he": "Bob", "him": "Bob"}


class RuleAnnotator:
    """Tokens by rule, flat trees, the second word as root, and chains of equal names and their pronouns."""

    name = "rules"
    requires: Mapping[Layer, Layers] = {layer: frozenset() for layer in Layer}

    def __init__(self) -> None:
        self.documents = 0  # how many it has seen

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        self.documents += len(documents)
        return [_annotated(document) for document in documents]


def _annotated(document: Document) -> Document:
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    for words in tokenise(document.text):
        start = len(tokens)
        tokens.extend(replace(word, tag="NNP" if word.text[0].isupper() else "NN") for word in words)
        sentences.append(Sentence(start, len(tokens), *flat_trees(len(words))))
    mentions = [
        Mention(number, number + 1, number, PRONOUNS.get(token.text.lower(), token.text))
        for number, token in enumerate(tokens)
        if token.text in PRONOUNS.values() or token.text.lower() in PRONOUNS
    ]
    return replace(document, tokens=tuple(tokens), sentences=tuple(sentences), mentions=tuple(mentions))


def flat_trees(words: int) -> tuple[Constituents, Dependencies]:
    """A sentence whose second word is the root, with a verb phrase from there on."""
    if words == 1:
        return Constituents(("S",), (0,), (1,), (-1,), ("NN",)), Dependencies((-1,), ("root",))
    phrases = Constituents(("S", "VP"), (0, 1), (words, words), (-1, 0), ("NN",) * words)
    rest = words - 2
    return phrases, Dependencies((1, -1, *(1,) * rest), ("nsubj", "root", *("obj",) * rest))
