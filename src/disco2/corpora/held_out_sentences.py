"""The sentences that models are judged on, to find out which training pairs contain one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b

from disco2.annotation.tokenise import tokenise
from disco2.records import Corpus, Document, Relation, Sentence

FEWEST_WORDS = 8  # shorter sentences, such as "I agree.", are anybody's

_WORD = re.compile(r"[^\W_]+")


class HeldOutSentences:
    """Texts whose sentences of eight or more words must not be in the training data.

    Case and punctuation don't matter, nor where a corpus cuts its sentences: a sentence of one side counts as
    shared wherever its words stand in a row on the other side.
    """

    def __init__(self) -> None:
        self._runs: set[str] = set()  # eight words in a row
        self._by_opening: dict[str, set[str]] = {}  # sentences by their first eight words

    def __len__(self) -> int:
        """The number of sentences of eight or more words."""
        return sum(map(len, self._by_opening.values()))

    def add(self, document: Document) -> None:
        self._add(document.text, sentence_texts(document, document.sentences))

    def add_text(self, text: str) -> None:
        """Add a paragraph of plain text."""
        self._add(text, (text[tokens[0].start : tokens[-1].end] for tokens in tokenise(text)))

    def add_parts(self, corpus: Corpus, parts: Mapping[str, str], names: Iterable[str]) -> None:
        """Add the documents of these parts of a corpus; ``parts`` has the part of each document."""
        wanted = frozenset(names)
        for name, document in corpus.documents.items():
            if parts.get(name) in wanted:
                self.add(document)

    def add_evaluated(self, corpus: Corpus) -> None:
        """Add the dev and test parts of a corpus; all of it where it has no parts."""
        self.add_parts(corpus, corpus.parts or dict.fromkeys(corpus.documents, "test"), ("dev", "test"))

    def shares(self, relation: Relation, document: Document) -> bool:
        """Whether a sentence that an argument of the relation lies in is shared."""
        tokens = (*relation.arg1.tokens, *relation.arg2.tokens)
        places = dict.fromkeys(map(document.sentence_index, tokens))
        return any(map(self.holds, sentence_texts(document, map(document.sentences.__getitem__, places))))

    def holds(self, sentence: str) -> bool:
        words = _words(sentence)
        runs = list(_runs(words))
        if runs and self._runs.issuperset(runs):
            return True
        text = f" {' '.join(words)} "
        return any(f" {known} " in text for run in runs for known in self._by_opening.get(run, ()))

    @property
    def digest(self) -> str:
        """Tells one set of texts from another, in every process."""
        sentences = (one for some in self._by_opening.values() for one in some)
        lines = (*sorted(self._runs), "", *sorted(sentences))
        return blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()

    def _add(self, text: str, sentences: Iterable[str]) -> None:
        self._runs.update(_runs(_words(text)))
        for sentence in sentences:
            words = _words(sentence)
            if opening := next(_runs(words), ""):
                self._by_opening.setdefault(opening, set()).add(" ".join(words))


def sentence_texts(document: Document, sentences: Iterable[Sentence]) -> Iterator[str]:
    """The texts of sentences of a document."""
    for sentence in sentences:
        if len(sentence):
            start, end = document.tokens[sentence.start].start, document.tokens[sentence.end - 1].end
            yield document.text[start:end]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _runs(words: list[str]) -> Iterator[str]:
    return (" ".join(words[place : place + FEWEST_WORDS]) for place in range(len(words) - FEWEST_WORDS + 1))
