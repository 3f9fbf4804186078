"""Hypothesis strategies, named after what they build."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

from disco2.data import Argument, Constituents, Document, Mention, Relation, RelationKind, Sentence, Token

LABELS = ("S", "NP", "VP", "PP", "SBAR")


@st.composite
def constituents(draw: st.DrawFn, *, max_words: int = 12) -> Constituents:
    """A tree over a sentence, with unary chains, flat nodes and tokens that hang directly below a phrase."""
    words = draw(st.integers(1, max_words))
    labels, starts, ends, parents = [], [], [], []
    waiting = [(0, words, -1)]
    while waiting:
        start, end, parent = waiting.pop()
        node = len(labels)
        labels.append(draw(st.sampled_from(LABELS)))
        starts.append(start)
        ends.append(end)
        parents.append(parent)
        if draw(st.integers(0, 5)) == 0 and len(labels) < 40:
            waiting.append((start, end, node))
            continue
        cuts = sorted(draw(st.sets(st.integers(start, end), max_size=4)) | {start, end})
        pieces = [piece for piece in pairwise(cuts) if piece != (start, end)]
        kept = [piece for piece in pieces if draw(st.booleans())]
        waiting.extend((*piece, node) for piece in reversed(kept))
    return Constituents(tuple(labels), tuple(starts), tuple(ends), tuple(parents), ("NN",) * words)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """One to three sentences, each with or without constituents."""
    sentences, start = [], 0
    for _ in range(draw(st.integers(1, 3))):
        tree = draw(constituents())
        end = start + len(tree.tags)
        sentences.append(Sentence(start, end, tree if draw(st.integers(0, 4)) else None))
        start = end
    tokens = tuple(Token(f"w{index}", 4 * index, 4 * index + 3) for index in range(start))
    text = " ".join(token.text.ljust(3) for token in tokens)
    return Document("d", text, tokens, tuple(sentences))


@st.composite
def arguments(draw: st.DrawFn, document: Document) -> tuple[int, ...]:
    """Any tokens of a document: several sentences, parts of phrases, gaps."""
    count = len(document.tokens)
    return tuple(sorted(draw(st.sets(st.integers(0, count - 1), min_size=1))))


@st.composite
def mentions(draw: st.DrawFn, document: Document) -> Mention:
    """A span of tokens with a head in it."""
    count = len(document.tokens)
    start = draw(st.integers(0, count - 1))
    end = draw(st.integers(start + 1, count))
    return Mention(start, end, draw(st.integers(start, end - 1)), draw(st.sampled_from("abc")))


def relation(first: tuple[int, ...], second: tuple[int, ...]) -> Relation:
    return Relation("d:1", "d", RelationKind.IMPLICIT, Argument(first, ""), Argument(second, ""))
