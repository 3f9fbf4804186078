"""Made-up pairs of a given size and shape: deep trees and shallow ones, few mentions and many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from disco2.data import Constituents, Dependencies, Document, Instance, Mention, Sentence, Token
from disco2.data.batch import Example
from disco2.features.extractor import ExampleEncoder
from disco2.inference.candidates import with_neighbours
from tests.strategies import relation

SHAPES = ("balanced", "leftward", "rightward", "flat")
TAGS = ("DT", "JJ", "NN", "VBD", "IN")


def shaped_document(
    *,
    words: int,
    pairs: int = 1,
    shape: str = "balanced",
    mentions: int = 0,
    chains: int = 1,
    vocabulary: int = 50,
) -> Document:
    """``pairs`` + 1 sentences of ``words`` words, with so many mentions in each.

    Mentions are words that lie evenly apart, and belong to the chains by turns.
    """
    tree, links = constituents(shape, words), dependencies(shape, words)
    tokens, sentences, found = [], [], []
    for number in range(pairs + 1):
        begin = number * words
        sentences.append(Sentence(begin, begin + words, tree, links))
        for place in range(begin, begin + words):
            word = f"w{7 * place % vocabulary}"
            tokens.append(Token(word, 8 * place, 8 * place + len(word), TAGS[place % len(TAGS)]))
        for mention in range(mentions):
            head = begin + mention * words // mentions
            found.append(Mention(head, head + 1, head, f"c{mention % chains}"))
    text = "".join(token.text.ljust(8) for token in tokens)
    return Document("shaped", text, tuple(tokens), tuple(sentences), tuple(found))


def neighbours(document: Document, *, labels: Sequence[str] = ("Cause", "Result")) -> list[Instance]:
    """One pair for each two neighbouring sentences."""
    tokens = [tuple(range(sentence.start, sentence.end)) for sentence in document.sentences]
    relations = [
        replace(relation(first, second), id=f"{document.id}:{number}", document=document.id)
        for number, (first, second) in enumerate(pairwise(tokens))
    ]
    return [
        replace(instance, gold=(labels[number % len(labels)],))
        for number, instance in enumerate(with_neighbours(document, relations))
    ]


def shaped_examples(**sizes: int | str) -> list[Example]:
    """The pairs of such a document as the model reads them; words are rows below 50."""
    encoder = ExampleEncoder(
        word_row=lambda form: int(form[1:]), labels=("Cause", "Result"), extractor=None, with_entities=True
    )
    return encoder.encode(neighbours(shaped_document(**sizes)))  # type: ignore[arg-type]


def constituents(shape: str, words: int) -> Constituents:
    """Phrases over so many words: halves of halves, the longest possible ways down, or one phrase alone."""
    spans: list[tuple[int, int, int]] = []  # start, end, parent, in pre-order
    waiting = [(0, words, -1)]
    while waiting:
        start, end, parent = waiting.pop()
        node = len(spans)
        spans.append((start, end, parent))
        middle = {"balanced": (start + end) // 2, "leftward": end - 1, "rightward": start + 1, "flat": end}[
            shape
        ]
        for begin, finish in ((middle, end), (start, middle)):
            if 1 < finish - begin < end - start:
                waiting.append((begin, finish, node))
    starts, ends, parents = zip(*spans, strict=True)
    tags = tuple(TAGS[place % len(TAGS)] for place in range(words))
    return Constituents(("X",) * len(spans), starts, ends, parents, tags)


def dependencies(shape: str, words: int) -> Dependencies:
    """Each word depends on the one before, on the first, or on that at half its place."""
    if shape == "flat":
        heads = (-1, *(0 for _ in range(1, words)))
    elif shape == "balanced":
        heads = (-1, *((place - 1) // 2 for place in range(1, words)))
    else:
        heads = (-1, *range(words - 1))
    return Dependencies(heads, ("root", *("dep",) * (words - 1)))
