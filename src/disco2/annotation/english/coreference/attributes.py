"""What is known about each candidate mention, as arrays: one row a mention, small integers throughout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.english.coreference.detection import NAME_TAGS, Candidate
from disco2.annotation.english.coreference.kinds import FIRST_NOMINAL, noun_kind, pronoun_kind
from disco2.annotation.english.coreference.lexicon import CITATION, REFLEXIVES, Gender
from disco2.annotation.english.coreference.token_context import TokenContext
from disco2.annotation.english.coreference.traits import Traits, name_traits, noun_traits, pronoun_traits
from disco2.records import Document

Integers = NDArray[np.int32]

MODIFIERS = 6  # words beside the key that are compared; a phrase with more keeps its last ones
_COORDINATION = 10  # how many words behind the head an "and" may stand that joins it with another
_FUNCTION_WORDS = frozenset({"DT", "PDT", "PRP$", "POS", "IN", "CC", "TO", "WDT", "WP"})
_NOT_COMPARED = _FUNCTION_WORDS | {",", ":", ".", "-LRB-", "-RRB-", "``", "''", "HYPH"}
_DROPPED_FIRST = frozenset({"DT", "PDT", "PRP$"})


# What is read from the words of a candidate, in the order of a row; its other words follow.
_READ = (
    "kind", "number", "gender", "person", "reflexive", "string", "core", "key", "acronym", "place", "depth",
    "seen_core", "seen_key",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mentions:
    """All candidates of a document, in text order.

    Strings are numbered within the document, in small letters; -1 stands for none.
    """

    start: Integers
    end: Integers
    head: Integers
    sentence: Integers
    paragraph: Integers
    quote: Integers
    role: Integers
    governor: Integers  # the token its head hangs on, -1 for none
    governor_above: Integers  # the token that one hangs on
    governor_word: Integers
    kind: Integers
    number: Integers
    gender: Integers
    person: Integers
    reflexive: Integers  # 1 for "herself" and its like
    string: Integers
    core: Integers  # the string without determiners and possessive endings
    key: Integers  # the head word; in names the last one
    acronym: Integers  # what the initials of a name of several words spell
    words: Integers  # (mentions, MODIFIERS): content words beside the key
    place: Integers  # how many candidates of its sentence come before it
    depth: Integers  # how many of them are around it
    seen_core: Integers  # how many earlier mentions have the same core
    seen_key: Integers  # how many earlier nouns and names have the same key

    def __len__(self) -> int:
        return len(self.start)


def mention_attributes(
    document: Document, candidates: Sequence[Candidate], context: TokenContext
) -> Mentions:
    """The attributes of the candidates, which are in text order."""
    start = np.array([candidate.start for candidate in candidates], dtype=np.int32)
    head = np.array([candidate.head for candidate in candidates], dtype=np.int32)
    governor = context.governor[head]
    reader = _Reader(document)
    rows = np.array([reader.read(candidate) for candidate in candidates], dtype=np.int32)
    columns = rows.reshape(len(candidates), len(_READ) + MODIFIERS).T
    return Mentions(
        start=start,
        end=np.array([candidate.end for candidate in candidates], dtype=np.int32),
        head=head,
        sentence=np.array([candidate.sentence for candidate in candidates], dtype=np.int32),
        paragraph=context.paragraph[start],
        quote=context.quote[start],
        role=context.role[head],
        governor=governor,
        governor_above=np.where(governor >= 0, context.governor[governor], -1),
        governor_word=np.array([reader.word(token) for token in governor.tolist()], dtype=np.int32),
        words=np.ascontiguousarray(columns[len(_READ) :].T),
        **dict(zip(_READ, columns, strict=False)),
    )


class _Reader:
    """Reads candidates in text order and remembers what came before."""

    def __init__(self, document: Document) -> None:
        self._words = [token.text.lower() for token in document.tokens]
        self._forms = [token.text for token in document.tokens]
        self._tags = [token.tag for token in document.tokens]
        self._numbers: dict[str, int] = {}
        self._cores: dict[int, int] = {}
        self._keys: dict[int, int] = {}
        self._named: dict[int, Traits] = {}  # what is known about the bearers of a last name
        self._sentence = -1
        self._open: list[int] = []  # ends of the candidates around the next one
        self._place = 0

    def read(self, candidate: Candidate) -> list[int]:
        """The attributes ``_READ`` of the next candidate, and its words beside the key."""
        words, tags = self._words, self._tags
        start, end, head = candidate.start, candidate.end, candidate.head
        first, last = start, end
        while first < head and tags[first] in _DROPPED_FIRST:
            first += 1
        if tags[last - 1] == "POS" and last - 1 > head:
            last -= 1

        kind = pronoun_kind(words[head], tags[head])
        key = head
        if kind is not None:
            traits = pronoun_traits(CITATION.get(words[head], words[head]))
        else:
            kind = noun_kind(tags[head], words[start], tags[start], possessor="POS" in tags[start:head])
            coordinated = "CC" in tags[head + 1 : min(end, head + _COORDINATION)]
            if tags[head] in NAME_TAGS:
                while key + 1 < last and tags[key + 1] in NAME_TAGS:
                    key += 1
                traits = self._name_traits(start, key, coordinated=coordinated)
            else:
                traits = noun_traits(words[head], tags[head], words[start], coordinated=coordinated)

        core = self._numbered(" ".join(words[first:last]))
        key_word = self._numbered(words[key])
        nominal = kind >= FIRST_NOMINAL
        beside = [
            self._numbered(words[token])
            for token in (range(first, last) if nominal else ())
            if token != key and tags[token] not in _NOT_COMPARED
        ][-MODIFIERS:]
        place, depth = self._nesting(candidate)
        row: list[int] = [
            kind,
            traits.number,
            traits.gender,
            traits.person,
            int(words[head] in REFLEXIVES),
            self._numbered(" ".join(words[start:end])),
            core,
            key_word,
            self._acronym(first, last) if nominal else -1,
            place,
            depth,
            self._cores.get(core, 0),
            self._keys.get(key_word, 0),
            *beside,
            *[-1] * (MODIFIERS - len(beside)),
        ]
        if nominal:
            self._cores[core] = self._cores.get(core, 0) + 1
            self._keys[key_word] = self._keys.get(key_word, 0) + 1
        return row

    def word(self, token: int) -> int:
        """The number of a token's word, -1 for no token."""
        return self._numbered(self._words[token]) if token >= 0 else -1

    def _numbered(self, string: str) -> int:
        return self._numbers.setdefault(string, len(self._numbers))

    def _acronym(self, first: int, last: int) -> int:
        initials = [form[0] for form in self._forms[first:last] if form[:1].isupper()]
        return self._numbered("".join(initials).lower()) if len(initials) > 1 else -1

    def _name_traits(self, start: int, last: int, *, coordinated: bool) -> Traits:
        """A last name alone takes what is known from its earlier mentions with a title or a first name."""
        traits = name_traits(self._words[start : last + 1], self._tags[last], coordinated=coordinated)
        if coordinated:
            return traits._replace(gender=Gender.UNKNOWN)
        last_name = self._numbered(self._words[last])
        if traits.gender == Gender.UNKNOWN:
            return self._named.get(last_name, traits)
        self._named[last_name] = traits
        return traits

    def _nesting(self, candidate: Candidate) -> tuple[int, int]:
        if candidate.sentence != self._sentence:
            self._sentence, self._open, self._place = candidate.sentence, [], -1
        self._open = [end for end in self._open if end > candidate.start]
        depth = len(self._open)
        self._open.append(candidate.end)
        self._place += 1
        return self._place, depth
