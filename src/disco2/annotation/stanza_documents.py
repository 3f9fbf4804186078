"""Stanza's documents and ours, in both directions.

Stanza's words are our tokens. A token of the text may stand for several words, and these have no characters
of their own. Where their forms make up the token (``don't``: ``do``, ``n't``) each takes its part, and where
they do not (``won't``: ``will``, ``not``), they share its characters evenly, in order, and keep their forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.formats.ptb import parse_brackets
from disco2.annotation.heads import head_of_span, single_rooted
from disco2.errors import LayerError
from disco2.records import Constituents, Dependencies, Document, Mention, Sentence, Token

# Stanza is not typed.
StanzaDocument = Any
StanzaSentence = Any
StanzaTree = Any


def to_stanza(document: Document) -> StanzaDocument:
    """A Stanza document with the same words and sentences, each word a token of its own."""
    sentences = [
        [
            {"id": number, "text": token.text or "_", "start_char": token.start, "end_char": token.end}
            for number, token in enumerate(document.tokens[sentence.start : sentence.end], start=1)
        ]
        for sentence in document.sentences
        if len(sentence)
    ]
    return import_module("stanza.models.common.doc").Document(sentences, text=document.text)


def document_from_stanza(
    stanza_document: StanzaDocument, document: Document, *, layers: Layers = frozenset(Layer)
) -> Document:
    """The document's text with Stanza's tokens and sentences, and the other layers asked for.

    Tags are the language's own (XPOS), or universal where it has none.
    """
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    for sentence in stanza_document.sentences:
        first = len(tokens)
        tags = _tags(sentence) if Layer.TAGS in layers else [""] * len(sentence.words)
        tokens.extend(
            Token(form, start, end, tag)
            for (form, start, end), tag in zip(_words(sentence, document), tags, strict=True)
        )
        sentences.append(Sentence(first, len(tokens)))
    fresh = replace(document, tokens=tuple(tokens), sentences=tuple(sentences), mentions=None)
    return with_stanza_layers(fresh, stanza_document, layers=layers - {Layer.TAGS})


def with_stanza_layers(document: Document, stanza_document: StanzaDocument, *, layers: Layers) -> Document:
    """The document with the layers asked for, where Stanza's has its very tokens and sentences."""
    tokens = list(document.tokens)
    parsed = iter(stanza_document.sentences)
    sentences: list[Sentence] = []
    starts: list[int] = []  # of the sentences that Stanza has
    for sentence in document.sentences:
        if not len(sentence):
            sentences.append(sentence)
            continue
        found = next(parsed)
        starts.append(sentence.start)
        if Layer.TAGS in layers:
            tagged = zip(tokens[sentence.start : sentence.end], _tags(found), strict=True)
            tokens[sentence.start : sentence.end] = [replace(token, tag=tag) for token, tag in tagged]
        if Layer.DEPENDENCIES in layers:
            sentence = replace(sentence, dependencies=_dependencies(found))
        if Layer.CONSTITUENTS in layers:
            sentence = replace(sentence, constituents=_constituents(found, where=document.id))
        sentences.append(sentence)
    document = replace(document, tokens=tuple(tokens), sentences=tuple(sentences))
    if Layer.COREFERENCE in layers:
        mentions = _mentions(stanza_document, document, starts)
        document = replace(document, mentions=mentions)
    return document


def _words(sentence: StanzaSentence, document: Document) -> Iterator[tuple[str, int, int]]:
    """The form and the place of each word."""
    for token in sentence.tokens:
        start, end = token.start_char, token.end_char
        if start is None or not 0 <= start < end <= len(document.text):
            raise LayerError(
                f"Stanza's token '{token.text}' has no place in the text.",
                where=document.id,
                hint="Check that Stanza was given this very text.",
            )
        shares = len(token.words)
        for number, word in enumerate(token.words):
            if shares == 1:
                yield document.text[start:end], start, end
            elif word.start_char is not None:
                yield document.text[word.start_char : word.end_char], word.start_char, word.end_char
            else:
                left = min(start + (end - start) * number // shares, end - 1)
                right = start + (end - start) * (number + 1) // shares
                yield word.text, left, max(right, left + 1)


def _tags(sentence: StanzaSentence) -> list[str]:
    return [word.xpos or word.upos or "" for word in sentence.words]


def _dependencies(sentence: StanzaSentence) -> Dependencies | None:
    """Heads from 0, -1 for the root; None where Stanza made none."""
    if any(word.head is None for word in sentence.words):
        return None
    return single_rooted(
        [word.head - 1 if word.head > 0 else -1 for word in sentence.words],
        [word.deprel or "" for word in sentence.words],
    )


def _constituents(sentence: StanzaSentence, *, where: str) -> Constituents | None:
    tree = sentence.constituency
    if tree is None:
        return None
    found = parse_brackets(_brackets(tree), where=where)
    if len(found) != 1 or len(found[0].words) != len(sentence.words):
        raise LayerError("Stanza's tree is not one over the words of its sentence.", where=where)
    return found[0].constituents


def _brackets(tree: StanzaTree) -> str:
    """The tree as brackets, its words left out: a word of Stanza's may have a space inside."""
    pieces: list[str] = []
    stack: list[StanzaTree | str] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            pieces.append(node)
        elif node.is_leaf():
            pieces.append("_")
        else:
            label = (node.label or "").replace("(", "-LRB-").replace(")", "-RRB-")
            pieces.append(f"({label} ")
            stack.append(") ")
            stack.extend(reversed(node.children))
    return "".join(pieces)


def _mentions(stanza_document: StanzaDocument, document: Document, starts: list[int]) -> tuple[Mention, ...]:
    """The mentions of all chains; those of dropped pronouns, which have no words, are left out."""
    found: dict[tuple[int, int, str], Mention] = {}
    for chain in stanza_document.coref:
        for mention in chain.mentions:
            if isinstance(mention.start_word, int) and mention.start_word < mention.end_word:
                start = starts[mention.sentence] + mention.start_word
                end = starts[mention.sentence] + mention.end_word
                name = str(chain.index)
                head = head_of_span(document, start, end)
                found.setdefault((start, end, name), Mention(start, end, head, name))
    return tuple(sorted(found.values(), key=lambda mention: (mention.start, -mention.end)))
