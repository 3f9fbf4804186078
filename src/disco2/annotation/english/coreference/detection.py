"""Candidate mentions: the phrases of a document that may speak of an entity.

After the guidelines of OntoNotes these are noun phrases at their largest extent, each conjunct of a
coordination, pronouns and possessive pronouns, and names inside larger phrases (*the [Ohio] governor*).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from disco2.annotation.heads import head_by_constituents, head_by_dependencies
from disco2.records import Constituents, Document, Sentence

PRONOUN_TAGS = frozenset({"PRP", "PRP$"})
NAME_TAGS = frozenset({"NNP", "NNPS"})
NOUN_TAGS = NAME_TAGS | {"NN", "NNS"}
# Heads that refer to nothing, or only to what the next phrase says: relative pronouns, "there".
NOT_HEADS = frozenset({"WDT", "WP", "WP$", "WRB", "EX"})
_TRIMMED = frozenset({",", ".", ":"})
_BEFORE_NOUNS = frozenset({"DT", "PDT", "PRP$", "JJ", "JJR", "JJS", "CD", "VBN", "VBG"}) | NOUN_TAGS


@dataclass(frozen=True, slots=True)
class Candidate:
    """The document's tokens ``start`` to ``end`` (exclusive) and their head, in one sentence."""

    start: int
    end: int
    head: int
    sentence: int


def candidate_mentions(document: Document) -> list[Candidate]:
    """The candidates in text order, larger ones before those inside them, each span once.

    A sentence without phrases gives runs of nouns with what may stand before them, found by their tags.
    """
    tags = [token.tag for token in document.tokens]
    found: list[Candidate] = []
    for index, sentence in enumerate(document.sentences):
        first = sentence.start
        spans = {
            (start, end): head
            for start, end, head in _in_sentence(sentence, tags[sentence.start : sentence.end])
        }
        found.extend(
            Candidate(first + start, first + end, first + spans[start, end], index)
            for start, end in sorted(spans, key=lambda span: (span[0], -span[1]))
        )
    return found


def _in_sentence(sentence: Sentence, tags: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """(start, end, head), counted from the sentence's first token; later ones stand for earlier repeats."""
    if sentence.constituents is None:
        yield from _noun_runs(tags)
    else:
        yield from _noun_phrases(sentence, sentence.constituents, tags)
    for token, tag in enumerate(tags):
        if tag in PRONOUN_TAGS:
            yield token, token + 1, token


def _noun_phrases(
    sentence: Sentence, tree: Constituents, tags: Sequence[str]
) -> Iterator[tuple[int, int, int]]:
    owners = _owners(tree)
    coordinated = {owner for owner, tag in zip(owners, tags, strict=True) if tag == "CC"}
    heads: dict[int, int] = {}
    for node, label in enumerate(tree.labels):
        if label != "NP":
            continue
        start, end, parent = tree.starts[node], tree.ends[node], tree.parents[node]
        heads[node] = head = _head(sentence, tree, start, end)
        if tags[head] in NOT_HEADS:
            continue
        # Of phrases around one head the largest is the mention, but a conjunct is one of its own.
        if heads.get(parent) != head or parent in coordinated:
            while tags[end - 1] in _TRIMMED and end - 1 > head:
                end -= 1
            while tags[start] in _TRIMMED and start < head:
                start += 1
            yield start, end, head
    yield from _names_inside(owners, heads, tags)


def _names_inside(
    owners: Sequence[int], heads: dict[int, int], tags: Sequence[str]
) -> Iterator[tuple[int, int, int]]:
    """Runs of names that stand in a noun phrase but do not hold its head."""
    start = 0
    while start < len(tags):
        end = start + 1
        if tags[start] in NAME_TAGS:
            while end < len(tags) and tags[end] in NAME_TAGS and owners[end] == owners[start]:
                end += 1
            if owners[start] in heads and not start <= heads[owners[start]] < end:
                yield start, end, end - 1
        start = end


def _owners(tree: Constituents) -> list[int]:
    """For each token the smallest phrase around it: phrases come outer first, so the last one stays."""
    owners = [0] * len(tree.tags)
    for node in range(1, len(tree.labels)):
        start, end = tree.starts[node], tree.ends[node]
        owners[start:end] = [node] * (end - start)
    return owners


def _head(sentence: Sentence, tree: Constituents, start: int, end: int) -> int:
    if end - start == 1:
        return start
    if sentence.dependencies is not None:
        return head_by_dependencies(sentence.dependencies, start, end)
    return head_by_constituents(tree, start, end)


def _noun_runs(tags: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """The longest runs of nouns, with determiners and adjectives before them; the last noun is the head."""
    start = 0
    while start < len(tags):
        end, last_noun = start, -1
        while end < len(tags) and tags[end] in _BEFORE_NOUNS:
            if last_noun >= 0 and tags[end] not in NOUN_TAGS:
                break
            if tags[end] in NOUN_TAGS:
                last_noun = end
            end += 1
        if last_noun >= 0:
            yield start, last_noun + 1, last_noun
        start = max(end, start + 1)
