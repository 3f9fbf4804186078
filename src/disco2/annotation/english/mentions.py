"""Candidate mentions, the phrases that may refer to an entity, and their attributes.

After the guidelines of OntoNotes these are noun phrases at their largest extent, each conjunct of a
coordination, pronouns and possessive pronouns, and names inside larger phrases (*the [Ohio] governor*).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.english.traits import (
    CITATION,
    FIRST_NOMINAL,
    REFLEXIVES,
    Gender,
    Traits,
    name_traits,
    noun_kind,
    noun_traits,
    pronoun_kind,
    pronoun_traits,
)
from disco2.annotation.text import BLANK_LINE
from disco2.data import Constituents, Document, Sentence
from disco2.data.records import head_by_constituents, head_by_dependencies

PRONOUN_TAGS = frozenset({"PRP", "PRP$"})
NAME_TAGS = frozenset({"NNP", "NNPS"})
# Heads that refer to nothing, or only to the next phrase: relative pronouns, "there".
NOT_HEADS = frozenset({"WDT", "WP", "WP$", "WRB", "EX"})
_TRIMMED = frozenset({",", ".", ":"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """The document's tokens ``start`` to ``end`` (exclusive) and their head, in one sentence."""

    start: int
    end: int
    head: int
    sentence: int


def find_candidates(document: Document) -> list[Candidate]:
    """The candidates in text order, larger ones before those inside them, each span once."""
    found: list[Candidate] = []
    for index, sentence in enumerate(document.sentences):
        first = sentence.start
        tags = [token.tag for token in document.tokens[first : sentence.end]]
        spans = {(start, end): head for start, end, head in _in_sentence(sentence, tags)}
        found.extend(
            Candidate(first + start, first + end, first + spans[start, end], index)
            for start, end in sorted(spans, key=lambda span: (span[0], -span[1]))
        )
    return found


def _in_sentence(sentence: Sentence, tags: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """(start, end, head), counted from the sentence's first token; of equal spans the last one counts."""
    if sentence.constituents is not None:
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
        heads[node] = head = (
            head_by_dependencies(sentence.dependencies, start, end)
            if sentence.dependencies is not None
            else head_by_constituents(tree, start, end)
        )
        if tags[head] in NOT_HEADS:
            continue
        # Of phrases around one head the largest is the mention, but each conjunct is a mention too.
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
    """Runs of names inside a noun phrase that do not contain its head."""
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
    """For each token the smallest phrase around it: outer phrases come first, so the last one counts."""
    owners = [0] * len(tree.tags)
    for node in range(1, len(tree.labels)):
        start, end = tree.starts[node], tree.ends[node]
        owners[start:end] = [node] * (end - start)
    return owners


# The context of each token: paragraph, quotation, and its place in the dependencies.

Integers = NDArray[np.int32]

_ROLE_NAMES = """
nsubj csubj
nsubj:pass csubj:pass
obj
iobj
obl obl:agent obl:arg
obl:unmarked obl:tmod
nmod nmod:desc nmod:unmarked
nmod:poss
appos
conj
compound flat
root
vocative dislocated discourse parataxis
xcomp ccomp advcl acl acl:relcl
"""
_ROLES = {
    role: number
    for number, roles in enumerate(_ROLE_NAMES.strip().splitlines(), start=1)
    for role in roles.split()
}
ROLES = max(_ROLES.values()) + 1  # 0 for all other labels, and where there are no dependencies
SUBJECT, OBLIQUE = _ROLES["nsubj"], _ROLES["obl"]  # these and the roles between them are arguments of a verb
POSSESSOR, APPOSITION, CONJUNCT = _ROLES["nmod:poss"], _ROLES["appos"], _ROLES["conj"]

_OPENING = frozenset({"``", "\u201c", "\u00ab"})
_CLOSING = frozenset({"''", "\u201d", "\u00bb"})


def _syntax(document: Document) -> tuple[Integers, Integers]:
    """The token that each token hangs on, -1 for none, and its role."""
    governor = np.full(len(document.tokens), -1, dtype=np.int32)
    role = np.zeros(len(document.tokens), dtype=np.int32)
    for sentence in document.sentences:
        if sentence.dependencies is not None:
            own = slice(sentence.start, sentence.end)
            heads = np.array(sentence.dependencies.heads, dtype=np.int32)
            governor[own] = np.where(heads >= 0, heads + sentence.start, -1)
            role[own] = [_ROLES.get(label, 0) for label in sentence.dependencies.labels]
    return governor, role


def _paragraphs_and_quotes(document: Document) -> tuple[Integers, Integers]:
    """The number of each token's paragraph, counted by blank lines, and of the quotation around it, or 0.

    Straight quotation marks open and close in turn; a new paragraph closes what is open.
    """
    text = document.text
    paragraph = np.zeros(len(document.tokens), dtype=np.int32)
    quote = np.zeros(len(document.tokens), dtype=np.int32)
    paragraphs, quotes, inside, behind = 0, 0, False, 0
    for index, token in enumerate(document.tokens):
        if token.start > behind and BLANK_LINE.search(text, behind, token.start):
            paragraphs += 1
            inside = False
        behind = token.end
        word = token.text
        if word in _OPENING or (word == '"' and not inside):
            quotes += 1
            inside = True
        elif word == '"' or word in _CLOSING:
            inside = False
        paragraph[index] = paragraphs
        quote[index] = quotes if inside else 0
    return paragraph, quote


# The attributes of candidate mentions as arrays of small integers, one row a mention.

MODIFIERS = 6  # other words that are compared; of a phrase with more the last ones count
_COORDINATION = 10  # how far after the head an "and" may be that coordinates it
_FUNCTION_WORDS = frozenset({"DT", "PDT", "PRP$", "POS", "IN", "CC", "TO", "WDT", "WP"})
_NOT_COMPARED = _FUNCTION_WORDS | {",", ":", ".", "-LRB-", "-RRB-", "``", "''", "HYPH"}
_DROPPED_FIRST = frozenset({"DT", "PDT", "PRP$"})


@dataclass(frozen=True, slots=True)
class Mentions:
    """All candidates of a document, in text order.

    Strings are in lower case and numbered within the document; -1 means none.
    """

    start: Integers
    end: Integers
    head: Integers
    sentence: Integers
    paragraph: Integers
    quote: Integers
    role: Integers
    governor: Integers  # the token its head hangs on, -1 for none
    governor_above: Integers  # the head of the governor
    governor_word: Integers
    kind: Integers
    number: Integers
    gender: Integers
    person: Integers
    reflexive: Integers  # 1 for "herself" and similar pronouns
    string: Integers
    core: Integers  # the string without determiners and possessive endings
    key: Integers  # the head word; in names the last one
    acronym: Integers  # the initials of a name of several words
    words: Integers  # (mentions, MODIFIERS): content words beside the key
    place: Integers  # the number of candidates before it in its sentence
    depth: Integers  # the number of candidates that contain it
    seen_core: Integers  # the number of earlier nouns and names with the same core
    seen_key: Integers  # the number of earlier nouns and names with the same key

    def __len__(self) -> int:
        return len(self.start)


# The attributes that ``_Reader`` gives, in the order of a row; the other words follow.
_NAMES = "kind number gender person reflexive string core key acronym place depth seen_core seen_key"
READ = tuple(_NAMES.split())


def read_mentions(document: Document) -> Mentions:
    """All candidate mentions of a document."""
    candidates = find_candidates(document)
    spans = [(one.start, one.end, one.head, one.sentence) for one in candidates]
    start, end, head, sentence = np.array(spans, dtype=np.int32).reshape(-1, 4).T
    paragraph, quote = _paragraphs_and_quotes(document)
    governors, role = _syntax(document)
    governor = governors[head]
    reader = _Reader(document)
    rows = np.array([reader.read(candidate) for candidate in candidates], dtype=np.int32)
    columns = rows.reshape(len(candidates), len(READ) + MODIFIERS).T
    return Mentions(
        start=start,
        end=end,
        head=head,
        sentence=sentence,
        paragraph=paragraph[start],
        quote=quote[start],
        role=role[head],
        governor=governor,
        governor_above=np.where(governor >= 0, governors[governor], -1),
        governor_word=np.array([reader.word(token) for token in governor.tolist()], dtype=np.int32),
        words=np.ascontiguousarray(columns[len(READ) :].T),
        **dict(zip(READ, columns, strict=False)),
    )


class _Reader:
    """Reads candidates in text order and remembers what came before."""

    def __init__(self, document: Document) -> None:
        self._words = [token.text.lower() for token in document.tokens]
        self._forms = [token.text for token in document.tokens]
        self._tags = [token.tag for token in document.tokens]
        self._numbers: dict[str, int] = {}
        self._cores: Counter[int] = Counter()
        self._keys: Counter[int] = Counter()
        self._named: dict[int, Traits] = {}  # traits of people by their last name
        self._sentence = -1
        self._open: list[int] = []  # ends of the candidates around the next one
        self._place = 0

    def read(self, candidate: Candidate) -> list[int]:
        """The attributes ``READ`` of the next candidate, then its other words."""
        words, tags = self._words, self._tags
        start, end, head = candidate.start, candidate.end, candidate.head
        first, last = start, end
        while first < head and tags[first] in _DROPPED_FIRST:
            first += 1
        if tags[last - 1] == "POS" and last - 1 > head:
            last -= 1

        kind, key = pronoun_kind(words[head], tags[head]), head
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
            self._cores[core],
            self._keys[key_word],
            *beside,
            *[-1] * (MODIFIERS - len(beside)),
        ]
        if nominal:
            self._cores[core] += 1
            self._keys[key_word] += 1
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
        """A last name alone has the traits of its last mention with a title or a first name."""
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
