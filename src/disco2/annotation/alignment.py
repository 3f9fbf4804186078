"""Match words with a text, with other words, or with the sentences of a document, by their characters.

Characters are compared as a stream in which different spellings of one text are the same. Spaces are removed,
brackets and slashes are unescaped, and quotes, dashes and ellipses have one form. Every quotation mark is one
or two ``'``: the treebank's double backquotes, ``''``, ``"`` and the curly ones are all the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from disco2.annotation.treebanks import BRACKETS, BracketedSentence, ConlluSentence
from disco2.data import Document, Sentence
from disco2.errors import LayerError

_DOUBLE = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033'
_SINGLE = "'`\u00b4\u2018\u2019\u201a\u201b\u2032"
_HYPHENS = "\u2010\u2011\u2012\u2013\u2212"
_DASHES = "\u2014\u2015"
_INVISIBLE = "\u00ad\u200b\ufeff"
_FOLDS = (
    dict.fromkeys(_DOUBLE, "''")
    | dict.fromkeys(_SINGLE, "'")
    | dict.fromkeys(_HYPHENS, "-")
    | dict.fromkeys(_DASHES, "--")
    | dict.fromkeys(_INVISIBLE, "")
    | {"\u2026": "...", "\u2044": "/"}
    | BRACKETS
    | {r"\/": "/", r"\*": "*"}
)
_FOLDABLE = re.compile("|".join(re.escape(old) for old in sorted(_FOLDS, key=len, reverse=True)) + r"|\s+")


@dataclass(frozen=True, slots=True)
class Folded:
    """The stream; its character i comes from ``text[starts[i]:ends[i]]``.

    ``starts`` has one more number at the end: the length of the text.
    """

    characters: str
    starts: Sequence[int]
    ends: Sequence[int]


def fold(text: str) -> Folded:
    """The stream of a text, with the position of each character."""
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for match in _FOLDABLE.finditer(text):
        start, end = match.span()
        if start > position:
            characters.append(text[position:start])
            starts.extend(range(position, start))
            ends.extend(range(position + 1, start + 1))
        new = _FOLDS.get(match[0], "")
        if new:
            characters.append(new)
            starts.extend([start] * len(new))
            ends.extend([end] * len(new))
        position = end
    characters.append(text[position:])
    starts.extend(range(position, len(text) + 1))
    ends.extend(range(position + 1, len(text) + 1))
    return Folded("".join(characters), starts, ends)


def fold_word(word: str) -> str:
    """The folded characters of one word."""
    return _FOLDABLE.sub(lambda match: _FOLDS.get(match[0], ""), word)


# The raw files of the Wall Street Journal begin each text with this word; its trees do not have it.
_NOT_IN_TREES = re.compile(r"\s*\.START\b")

ANCHOR = 24  # characters that usually identify a position in a text
_IN_STEP = 12  # characters that must agree before two streams count as back in step
_REACH = 400  # how far to look for them


def align_to_text(words: Sequence[str], text: str, *, where: str = "") -> list[tuple[int, int]]:
    """The span of each word in the text: (start, end exclusive), in order.

    A full stop that a treebank adds after an abbreviation (``Corp.`` ``.``) and the text has only once gets
    the span of the abbreviation's. Raises LayerError for the first word that is not the next in the text, and
    if the text goes on after the last word.
    """
    matcher = TextMatcher(text)
    spans, failed = matcher.match(words)
    if spans is not None and matcher.offset == len(text):
        return spans
    word = f"Word {failed + 1}, '{words[failed]}'," if spans is None else "The end of the words"
    raise LayerError(
        f"{word} does not fit the text at offset {matcher.offset}: '{matcher.next_text()}'.",
        where=where,
        hint="Check that the layer belongs to this text.",
    )


class TextMatcher:
    """Walks through a text and finds words in it, one sentence after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded = fold(text)
        header = _NOT_IN_TREES.match(text)
        self._next = bisect_left(self._folded.starts, header.end()) if header else 0

    @property
    def offset(self) -> int:
        """The position of the next character that is not matched yet."""
        return self._folded.starts[self._next]

    def next_text(self) -> str:
        """The text from there on, shortened for a message; empty at the end."""
        return " ".join(self.text[self.offset : self.offset + 30].split())

    def match(self, words: Sequence[str]) -> tuple[list[tuple[int, int]] | None, int]:
        """The spans of the next words; or None and the index of the first word that does not fit.

        The matcher moves to the end of the words, or to the first word that does not fit.
        """
        characters, starts, ends = self._folded.characters, self._folded.starts, self._folded.ends
        spans: list[tuple[int, int]] = []
        position = self._next
        for index, word in enumerate(words):
            folded = fold_word(word)
            if characters.startswith(folded, position):
                end = position + len(folded)
                spans.append((starts[position], ends[end - 1] if folded else starts[position]))
                position = end
            elif folded == "." and position and characters[position - 1] == ".":
                spans.append((starts[position - 1], ends[position - 1]))
            else:
                self._next = position
                return None, index
        self._next = position
        return spans, -1

    def move_to(self, offset: int) -> None:
        """Continue at an offset in the text."""
        self._next = bisect_left(self._folded.starts, offset)

    def find(self, words: Sequence[str], *, offset: int) -> bool:
        """Move to the first occurrence of the words from an offset on; False if there is none."""
        start = bisect_left(self._folded.starts, offset)
        folded = [fold_word(word) for word in words]
        # With the full stops that a treebank adds after abbreviations, and without them.
        once = [
            word
            for before, word in zip(["", *folded], folded, strict=False)
            if (before[-1:], word) != (".", ".")
        ]
        anchors = {"".join(spelling)[:ANCHOR] for spelling in (folded, once)} - {""}
        found = [place for anchor in anchors if (place := self._folded.characters.find(anchor, start)) >= 0]
        if found:
            self._next = min(found)
        return bool(found)


def align_tokens(words_a: Sequence[str], words_b: Sequence[str]) -> list[tuple[int, int] | None]:
    """For each word of ``b`` the words of ``a`` that share its characters: (first, last exclusive).

    None for a word whose characters ``a`` does not have there; the following words are matched again.
    """
    if len(words_a) == len(words_b) and all(a == b for a, b in zip(words_a, words_b, strict=True)):
        return [(index, index + 1) for index in range(len(words_b))]
    folded_a, folded_b = ([fold_word(word) for word in words] for words in (words_a, words_b))
    owners = [index for index, word in enumerate(folded_a) for _ in word]  # of the characters of a
    counterparts = _counterparts("".join(folded_a), "".join(folded_b))
    spans: list[tuple[int, int] | None] = []
    position = 0
    for word in folded_b:
        end = position + len(word)
        matched = [place for place in counterparts[position:end] if place is not None]
        whole = matched and len(matched) == len(word)
        spans.append((owners[matched[0]], owners[matched[-1]] + 1) if whole else None)
        position = end
    return spans


def _counterparts(a: str, b: str) -> list[int | None]:
    """For each character of ``b`` the index of its counterpart in ``a``, None where there is none."""
    if a == b:
        return list(range(len(b)))
    result: list[int | None] = [None] * len(b)
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            result[j] = i
            i += 1
            j += 1
            continue
        skip_a, skip_b = _resynchronise(a, b, i, j)
        i += skip_a
        j += skip_b
    return result


def _resynchronise(a: str, b: str, i: int, j: int) -> tuple[int, int]:
    """How many characters to skip in each stream until they agree again."""
    best: tuple[int, int] | None = None
    for skip_b in range(min(_REACH, len(b) - j)):
        if best is not None and skip_b >= sum(best):
            break
        anchor = b[j + skip_b : j + skip_b + _IN_STEP]
        found = a.find(anchor, i, i + _REACH + _IN_STEP)
        if found >= 0 and (best is None or found - i + skip_b < sum(best)):
            best = found - i, skip_b
    return best or (_REACH, _REACH)


Ranges = list[tuple[int, int]]


_Fit = TypeVar("_Fit", BracketedSentence, ConlluSentence)


def fit_sentences(
    document: Document, layer: Sequence[_Fit]
) -> Iterator[tuple[Sentence, _Fit | None, Ranges | None]]:
    """Each sentence of the document, the layer's sentence with the same words, or None, and their alignment.

    The last value gives, for each token of the sentence, the words that share its characters (first, last
    exclusive); an empty range for punctuation that the layer lacks; None where words and tokens are the same.
    """
    waiting: dict[str, deque[_Fit]] = {}  # the layer's sentences by their letters, in order
    for one in layer:
        waiting.setdefault(_letters(one.words), deque()).append(one)
    for sentence in document.sentences:
        tokens = document.words(range(sentence.start, sentence.end))
        candidates = waiting.get(_letters(tokens))
        found = candidates.popleft() if candidates else None
        ranges = None
        if found is not None and list(found.words) != tokens:
            ranges = _without_holes(align_tokens(found.words, tokens), tokens)
            found = None if ranges is None else found
        yield sentence, found, ranges


def _letters(words: Sequence[str]) -> str:
    """The letters and digits of a sentence, or its signs if it has none."""
    folded = "".join(map(fold_word, words))
    return "".join(filter(str.isalnum, folded)) or folded


def _without_holes(places: Sequence[tuple[int, int] | None], tokens: Sequence[str]) -> Ranges | None:
    """Empty ranges next to a neighbour for punctuation that the layer lacks; None if it lacks a word."""
    ranges: Ranges = []
    beside = next((place[0] for place in places if place is not None), None)
    for place, token in zip(places, tokens, strict=True):
        if place is None:
            if beside is None or any(map(str.isalnum, token)):
                return None
            place = beside, beside
        beside = max(place[0], place[1] - 1)
        ranges.append(place)
    return ranges
