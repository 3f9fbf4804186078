"""spaCy's documents and ours, in both directions.

A text goes to spaCy in pieces, and comes back by ``document_of_pieces``: the words have exact places in the
text, and whitespace is no token. A document with tokens goes there by ``to_spacy``, as a whole or part by
part, which keeps tokens and sentences, and takes its layers back by ``with_layers``. What lies between is an
``Analysis``: plain lists, for spaCy's own documents do not outlive the memory zone they were made in.

Other packages' components leave more in spaCy's documents: benepar trees, spacy-experimental chains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from threading import Lock
from typing import TYPE_CHECKING

from disco2.annotation.annotator import Layer, Layers
from disco2.annotation.formats.ptb import BracketedSentence, parse_brackets
from disco2.annotation.heads import ROOT, single_rooted
from disco2.annotation.text import Piece, encodable
from disco2.data import Dependencies, Document, Sentence, Token

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

SPACY_ROOT = "ROOT"  # spaCy's name for the root's label


@dataclass(frozen=True, slots=True)
class Analysis:
    """The tokens of a spaCy document, with its sentences; tags and dependencies are empty where not made."""

    starts: Sequence[int]  # characters
    ends: Sequence[int]
    sentences: Sequence[tuple[int, int]]  # spans of tokens
    tags: Sequence[str]
    dependencies: Sequence[Dependencies | None]  # one a sentence


def to_spacy(
    document: Document, vocab: Vocab, first: int = 0, end: int | None = None, *, split: bool = True
) -> Doc:
    """spaCy's document with the tokens ``first`` to ``end`` (exclusive) and their sentences.

    Any gap between words becomes one space. Without ``split`` nothing is said about sentences.
    """
    from spacy.tokens import Doc

    tokens = document.tokens[first:end]
    sentence_starts: list[bool | int | None] = [False if split else None] * len(tokens)
    for sentence in document.sentences[max(0, document.sentence_index(first)) :] if split else ():
        if sentence.start >= first + len(tokens):
            break
        if len(sentence):
            sentence_starts[sentence.start - first] = True
    return Doc(
        vocab,
        words=[encodable(token.text) for token in tokens],
        spaces=[*(token.end < follower.start for token, follower in pairwise(tokens)), False][: len(tokens)],
        sent_starts=sentence_starts,
    )


def sentence_spans(doc: Doc) -> list[tuple[int, int]]:
    """The sentences of a document as spans of tokens; without any boundary it is one sentence."""
    marks = doc.to_array("SENT_START").view("int64").tolist()
    bounds = [0, *(index for index, mark in enumerate(marks) if mark == 1 and index > 0), len(doc)]
    return list(pairwise(bounds))


def word_mask(doc: Doc) -> list[bool]:
    """Which tokens are words, and not whitespace."""
    strings = doc.vocab.strings
    return [not strings[key].isspace() for key in doc.to_array("ORTH").tolist()]


def analysis_of(
    doc: Doc,
    sentences: Sequence[tuple[int, int]],
    *,
    tagged: bool,
    parsed: bool,
    words: Sequence[bool] | None = None,
) -> Analysis:
    """Read off a document with these sentences what the components made.

    With ``words``, a mask of its tokens, the others are left out, and so are sentences without any word. A
    word that hangs on what is left out takes its head and label. Each sentence has one root: a further word
    whose head lies outside hangs on the first.
    """
    strings = doc.vocab.strings
    starts, lengths = doc.to_array(["IDX", "LENGTH"]).T.tolist()
    ends = [start + length for start, length in zip(starts, lengths, strict=True)]
    tags = [strings[key] for key in doc.to_array("TAG").tolist()] if tagged else []
    heads: list[int] = []
    labels: list[str] = []
    if parsed:
        offsets = doc.to_array("HEAD").view("int64").tolist()
        heads = [index + offset for index, offset in enumerate(offsets)]
        labels = [strings[key] for key in doc.to_array("DEP").tolist()]
    if words is not None and not all(words):
        before = [0, *accumulate(words)]
        kept = [index for index, word in enumerate(words) if word]
        starts, ends = [starts[index] for index in kept], [ends[index] for index in kept]
        tags = [tags[index] for index in kept] if tagged else []
        heads, labels = _passed_over(heads, labels, kept, words) if parsed else (heads, labels)
        spans = [(before[start], before[end]) for start, end in sentences]
        sentences = [(start, end) for start, end in spans if start < end]
    dependencies = [_tree(heads, labels, start, end) if parsed else None for start, end in sentences]
    return Analysis(starts, ends, sentences, tags, dependencies)


def _passed_over(
    heads: Sequence[int], labels: Sequence[str], kept: Sequence[int], words: Sequence[bool]
) -> tuple[list[int], list[str]]:
    """Heads and labels of the tokens kept, counted among these; a root is its own head."""
    place_of = {index: place for place, index in enumerate(kept)}
    new_heads: list[int] = []
    new_labels: list[str] = []
    for place, index in enumerate(kept):
        head, label = heads[index], labels[index]
        while not words[head] and heads[head] != head:
            head, label = heads[head], labels[head]
        new_heads.append(place_of.get(head, place))
        new_labels.append(label)
    return new_heads, new_labels


def _tree(heads: Sequence[int], labels: Sequence[str], start: int, end: int) -> Dependencies:
    """The dependencies of the tokens ``start`` to ``end``.

    A document's heads never go in circles, and a token whose head lies outside counts as a root, so this
    gives a tree.
    """
    inside = [heads[index] != index and start <= heads[index] < end for index in range(start, end)]
    return single_rooted(
        [heads[start + place] - start if hangs else -1 for place, hangs in enumerate(inside)],
        [labels[start + place] if hangs else ROOT for place, hangs in enumerate(inside)],
    )


def document_of_pieces(document: Document, pieces: Iterable[tuple[Piece, Analysis]]) -> Document:
    """The document with nothing but what was found in the pieces of its text."""
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    text = document.text
    for piece, analysis in pieces:
        first = len(tokens)
        tags = analysis.tags or [""] * len(analysis.starts)
        for start, end, tag in zip(analysis.starts, analysis.ends, tags, strict=True):
            start, end = piece.span(start, end)
            tokens.append(Token(text[start:end], start, end, tag))
        for (start, end), tree in zip(analysis.sentences, analysis.dependencies, strict=True):
            sentences.append(Sentence(first + start, first + end, dependencies=tree))
    return Document(document.id, text, tuple(tokens), tuple(sentences))


def with_layers(document: Document, analyses: Sequence[Analysis], *, layers: Layers) -> Document:
    """The document with new tags or dependencies from its parts, all else kept.

    The parts cover all its tokens, in order; empty sentences stay without dependencies.
    """
    tokens, sentences = document.tokens, document.sentences
    if Layer.TAGS in layers:
        tags = [tag for analysis in analyses for tag in analysis.tags]
        tokens = tuple([replace(token, tag=tag) for token, tag in zip(tokens, tags, strict=True)])
    if Layer.DEPENDENCIES in layers:
        trees = (tree for analysis in analyses for tree in analysis.dependencies)
        sentences = tuple(
            [
                replace(sentence, dependencies=next(trees)) if len(sentence) else sentence
                for sentence in sentences
            ]
        )
    return replace(document, tokens=tokens, sentences=sentences)


KEPT = 20_000  # words that a pipeline may remember; frequent ones are soon among them


class MemoryZones:
    """Stretches of work with a pipeline, one thread at a time; late words are forgotten at their ends.

    spaCy's vocabulary would keep every word that it meets, for ever. No document of spaCy's that was made in
    a zone may be used after it.
    """

    def __init__(self, pipeline: Language, *, kept: int = KEPT) -> None:
        self._pipeline = pipeline
        self._kept = kept
        self._lock = Lock()  # zones can't be nested, and a pipeline has one vocabulary

    @contextmanager
    def zone(self) -> Iterator[None]:
        with self._lock:
            if len(self._pipeline.vocab) < self._kept:  # quicker, for what is met again
                yield
            else:
                with self._pipeline.memory_zone():
                    yield


# benepar gives a sentence its tree as brackets, ``sentence._.parse_string``.


EXTENSION = "parse_string"


def trees_of(doc: Doc, sentences: Sequence[tuple[int, int]]) -> list[BracketedSentence]:
    """The trees of those sentences, given as spans of tokens, that have one; whitespace is no leaf of it.

    A sentence has none where benepar has not seen the document, where it is not one constituent there, and
    where a token holds a space, for then the brackets can't be read.
    """
    from spacy.tokens import Span

    if not Span.has_extension(EXTENSION):
        return []
    trees: list[BracketedSentence] = []
    for start, end in sentences:
        with suppress(Exception):  # benepar raises bare exceptions where it has no tree
            trees += parse_brackets(str(doc[start:end]._.get(EXTENSION)), where=EXTENSION)
    return trees


# Coreference as span groups, one group a chain: spacy-experimental names them ``coref_clusters_1``,
# ``coref_clusters_2`` and so on.


PREFIX = "coref_clusters"

ChainSpan = tuple[int, int, str]  # the tokens of a mention (end exclusive), and its chain


def chains_of(doc: Doc, *, prefix: str = PREFIX) -> list[ChainSpan] | None:
    """The mentions in all groups called ``prefix_...``, in text order; None where there is no such group."""
    groups = {key: group for key, group in doc.spans.items() if key.startswith(f"{prefix}_")}
    if not groups:
        return None
    found = {
        (span.start, span.end, key[len(prefix) + 1 :])
        for key, group in groups.items()
        for span in group
        if span.end > span.start
    }
    return sorted(found, key=lambda mention: (mention[0], -mention[1], mention[2]))
