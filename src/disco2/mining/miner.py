"""Paragraphs of text -> pairs: filtered by words, annotated where it pays, taken apart by patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from disco2.annotation.annotator import Annotator, Layer
from disco2.annotation.text import tokenise
from disco2.corpora.protocols import HeldOutSentences, sentence_texts
from disco2.data import Document, Sentence, Token
from disco2.errors import SettingsError
from disco2.mining.clauses import ClausePair, clause_pairs, may_hold_pair, may_link, neighbour_pair
from disco2.threads import single_threaded

BETWEEN, INSIDE, BOTH = "between", "inside", "both"
PLACES = (BOTH, BETWEEN, INSIDE)
LAYERS = frozenset({Layer.TAGS, Layer.DEPENDENCIES})
BATCH = 100_000  # characters of text whose sentences are annotated together
_MARKS = 8  # tokens of a sentence beside the words of two arguments: connective, commas, quotes


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningSettings:
    """Which pairs are wanted."""

    place: str = BOTH
    most_words: int = 22  # of one argument
    least_words: int = 3

    def __post_init__(self) -> None:
        if self.place not in PLACES:
            raise SettingsError(f"Unknown place '{self.place}'.", hint=f"Choose one of: {', '.join(PLACES)}.")
        if not 1 <= self.least_words <= self.most_words:
            raise SettingsError(
                f"An argument can't have {self.least_words} to {self.most_words} words.",
                hint="Give --most-words of at least 3.",
            )


@dataclass(frozen=True, slots=True)
class MinedPair:
    """A pair, the sense that its connective told, and where it stood."""

    arg1: str
    arg2: str
    label: str
    connective: str
    place: str


class Miner:
    """Finds the pairs of paragraphs; ``annotator`` makes tags and dependencies."""

    def __init__(self, annotator: Annotator, settings: MiningSettings, held_out: HeldOutSentences) -> None:
        self._annotator = annotator
        self._settings = settings
        self._held_out = held_out

    def pairs(self, paragraphs: Sequence[str]) -> Iterator[MinedPair]:
        """The pairs, in the order of the text."""
        waiting: list[_Candidates] = []
        size = 0
        for paragraph in paragraphs:
            found = self._candidates(paragraph)
            size += len(paragraph)
            if found.document.sentences:
                waiting.append(found)
            if size > BATCH:
                yield from self._annotated(waiting)
                waiting, size = [], 0
        yield from self._annotated(waiting)

    def _candidates(self, paragraph: str) -> _Candidates:
        """The sentences of a paragraph that may hold a pair; all others are left out."""
        place, most = self._settings.place, self._settings.most_words
        sentences = tokenise(paragraph)
        links: list[int] = []
        holds: list[int] = []
        for number, tokens in enumerate(sentences):
            if len(tokens) > 2 * most + _MARKS or not any(token.text == "." for token in tokens[-3:]):
                continue
            text = paragraph[tokens[0].start : tokens[-1].end]
            if place != BETWEEN and may_hold_pair(text):
                holds.append(number)
            if place != INSIDE and number and may_link(text) and len(sentences[number - 1]) <= most + _MARKS:
                links.append(number)
        wanted = sorted({*holds, *links, *(number - 1 for number in links)})
        index = {number: order for order, number in enumerate(wanted)}
        return _Candidates(
            _document(paragraph, [sentences[number] for number in wanted]),
            holds=frozenset(index[number] for number in holds),
            links=frozenset(index[number] for number in links),
        )

    def _annotated(self, waiting: Sequence[_Candidates]) -> Iterator[MinedPair]:
        if not waiting:
            return
        with single_threaded():
            documents = self._annotator.annotate([one.document for one in waiting], layers=LAYERS)
        for one, document in zip(waiting, documents, strict=True):
            for number, sentence in enumerate(document.sentences):
                if number in one.links:
                    before = document.sentences[number - 1]
                    pair = neighbour_pair(document, before, sentence)
                    yield from self._checked([pair] if pair else [], BETWEEN, document, before, sentence)
                if number in one.holds:
                    yield from self._checked(clause_pairs(document, sentence), INSIDE, document, sentence)

    def _checked(
        self,
        pairs: Iterator[ClausePair] | list[ClausePair],
        place: str,
        document: Document,
        *around: Sentence,
    ) -> Iterator[MinedPair]:
        """Those of the right length that share no sentence with what is held out."""
        least, most = self._settings.least_words, self._settings.most_words
        for pair in pairs:
            if not all(least <= len(text.split()) <= most for text in (pair.arg1, pair.arg2)):
                continue
            texts = (pair.arg1, pair.arg2, *sentence_texts(document, around))
            if not any(map(self._held_out.holds, texts)):
                yield MinedPair(pair.arg1, pair.arg2, pair.sense, pair.connective, place)


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The sentences of a paragraph that are to be annotated; numbers count these."""

    document: Document
    holds: frozenset[int]  # may hold a pair
    links: frozenset[int]  # may be linked to the one before


def _document(text: str, sentences: Sequence[Sequence[Token]]) -> Document:
    tokens: list[Token] = []
    spans: list[Sentence] = []
    for sentence in sentences:
        spans.append(Sentence(len(tokens), len(tokens) + len(sentence)))
        tokens += sentence
    return Document("", text, tuple(tokens), tuple(spans))
