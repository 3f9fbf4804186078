"""The two arguments of a connective: spans of discourse units, chosen by log-linear rankers.

Arg2, with its connective, is nearly always one stretch of the connective's sentence, and so is Arg1, but for
what Arg2 takes out of its middle; an Arg1 of an earlier sentence is that sentence as a whole. So a span is
two of ``ParsedSentence.boundaries``. Three questions are answered in turn: does Arg1 lie in an earlier
sentence; where does Arg2 begin and end; where, given that, does Arg1.

The score of a span is a sum over its beginning, its end and both, ``s(b, e) = w·f(b) + w·g(e) + w·h(b, e)``,
so that features are made for boundaries, not for pairs of them. Each ranker is a softmax over the candidates.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from disco2.data import Document
from disco2.data.records import depths_below_root
from disco2.errors import LayerError

if TYPE_CHECKING:
    from disco2.parser.connectives import ConnectiveCandidate, ConnectiveList
    from disco2.parser.features import Item, LinearModel

CLAUSES = frozenset({"S", "SBAR", "SBARQ", "SINV", "SQ", "VP", "FRAG", "PRN", "UCP", "ROOT", "TOP"})
_CLAUSE_LINKS = "root conj advcl parataxis ccomp xcomp acl acl:relcl advcl:relcl csubj dep appos"
CLAUSE_LINKS = frozenset(_CLAUSE_LINKS.split())
SUBJECTS = frozenset({"nsubj", "nsubj:pass", "csubj", "csubj:pass", "expl", "nsubj:outer"})
# Marks that belong to the words before them; opening ones belong to the words behind.
CLOSING = frozenset({",", ".", ":", "''", "-RRB-", "?", "!"})
DASHES = frozenset({"-", "\u2013", "\u2014", "--"})
CLOSING_WORDS = frozenset(
    {",", ".", ";", ":", "?", "!", ")", "]", "\u201d", "\u2019", "''", "...", "…", "?!", "!!"}
)


class ParsedSentence:
    """The words and both trees of one sentence; LayerError where it has no phrases or dependencies.

    Tokens count from the sentence's first one; ends are exclusive. ``words`` are in small letters, ``links``
    the labels of dependencies, ``dependents`` the tokens below each token, ``left`` and ``right`` the first
    token and the end of its subtree. ``leaf`` is the smallest phrase over each token, ``children`` are the
    phrases below each phrase. ``closing`` are marks that belong to the words before them, ``behind`` has each
    place moved behind such marks.

    ``boundaries`` are the places where a discourse unit may begin or end: the edges of clauses in either
    tree, and the words behind a mark of punctuation. ``openers`` has the highest token whose subtree begins
    at a place, ``clauses`` and ``clause_ends`` the largest clause that begins or ends there.
    """

    def __init__(self, document: Document, number: int) -> None:
        sentence = document.sentences[number]
        phrases, dependencies = sentence.constituents, sentence.dependencies
        if phrases is None or dependencies is None:
            lacking = "phrases" if phrases is None else "dependencies"
            what = f"Sentence {number + 1} of '{document.id}' has no {lacking}."
            raise LayerError(what, hint="Annotate the document with constituents and dependencies first.")
        tokens = document.tokens[sentence.start : sentence.end]
        length = len(tokens)
        self.start = sentence.start
        self.words = tuple([token.text.lower() for token in tokens])
        self.tags = tuple([token.tag for token in tokens])
        self.closing = tuple(
            [one.text in CLOSING_WORDS or (one.tag in CLOSING and one.text not in DASHES) for one in tokens]
        )
        self.behind = list(range(length + 1))
        for place in range(length - 1, 0, -1):
            if self.closing[place]:
                self.behind[place] = self.behind[place + 1]
        self.heads, self.links = dependencies.heads, dependencies.labels
        self._lay_out_dependencies(length)
        self.labels, self.starts, self.ends = phrases.labels, phrases.starts, phrases.ends
        self.parents = phrases.parents
        self.leaf = [0] * length
        self.children: list[list[int]] = [[] for _ in self.labels]
        for node, (parent, start, end) in enumerate(zip(self.parents, self.starts, self.ends, strict=True)):
            self.leaf[start:end] = [node] * (end - start)
            if parent >= 0:
                self.children[parent].append(node)
        self._find_boundaries(length)

    def _lay_out_dependencies(self, length: int) -> None:
        self.dependents: list[list[int]] = [[] for _ in range(length)]
        for token, head in enumerate(self.heads):
            if head >= 0:
                self.dependents[head].append(token)
        self.depths = depths_below_root(self.heads)
        self.left, self.right = list(range(length)), list(range(1, length + 1))
        for token in sorted(range(length), key=lambda token: -self.depths[token]):
            head = self.heads[token]
            # A comma before a clause hangs on the clause's head, but the clause begins behind it.
            if head >= 0 and not (self.links[token] == "punct" and token < head and self.closing[token]):
                self.left[head] = min(self.left[head], self.left[token])
                self.right[head] = max(self.right[head], self.right[token])

    def _find_boundaries(self, length: int) -> None:
        places = {0, length}
        self.clauses: dict[int, str] = {}
        self.clause_ends: dict[int, str] = {}
        for label, start, end in zip(self.labels, self.starts, self.ends, strict=True):
            if label in CLAUSES:
                places.update((start, end))
                self.clauses.setdefault(start, label)
                self.clause_ends.setdefault(self.behind[end], label)
        self.openers: dict[int, int] = {}
        for token, link in enumerate(self.links):
            left = self.left[token]
            if link in CLAUSE_LINKS:
                places.update((left, self.right[token]))
            if self.depths[token] < self.depths[self.openers.setdefault(left, token)]:
                self.openers[left] = token
        for token in range(1, length):
            after_mark = self.tags[token - 1] in CLOSING or self.words[token - 1] in CLOSING_WORDS
            if after_mark or self.tags[token] in (":", "-LRB-", "``"):
                places.add(token)
        self.boundaries = tuple(sorted({self.behind[place] for place in places}))

    def __len__(self) -> int:
        return len(self.words)

    @property
    def size(self) -> str:
        """The number of tokens, in classes."""
        length = len(self.words)
        return "1" if length < 3 else "3" if length < 6 else "6" if length < 12 else "12"

    def has_subject(self, token: int) -> bool:
        return any(self.links[child] in SUBJECTS for child in self.dependents[token])

    def head_of(self, tokens: Sequence[int]) -> int:
        """The token nearest to the root of the dependencies; of several the first."""
        return min(tokens, key=lambda token: (self.depths[token], token))

    def phrase_over(self, start: int, end: int) -> tuple[int, bool]:
        """The largest phrase of exactly these tokens and True, else the smallest one over them and False."""
        node = self.leaf[start]
        while self.ends[node] < end and node > 0:
            node = self.parents[node]
        exact = self.starts[node] == start and self.ends[node] == end
        while exact and node > 0:
            above = self.parents[node]
            if self.starts[above] != start or self.ends[above] != end:
                break
            node = above
        return node, exact


Span = tuple[int, int]
MOST_BOUNDARIES = 14  # on either side of a connective: bounds the time, whatever the text
FARTHEST = 6  # sentences before the connective's that are looked at for Arg1
FIRST_HEADS_ARG2 = frozenset({"if", "when", "although", "though", "because", "since", "as"})


class Anchor:
    """What ties two arguments in a sentence: a connective, or the place where a clause begins without one.

    ``start`` and ``end`` bound the connective's words that stand in or before Arg2, and are equal where there
    is none; ``other`` bounds its other part ("then" of "if ... then"), if it has one. ``second`` and
    ``first`` head the two clauses (-1 where there is no such word), ``link`` is what binds the connective, or
    the clause. ``upper_starts`` and ``upper_ends`` are the edges of the phrases over it.
    """

    def __init__(
        self, sentence: ParsedSentence, name: str, own: Span, other: Span | None, link: str, second: int
    ) -> None:
        self.sentence = sentence
        self.name = name
        self.start, self.end = own
        self.other = other
        self.link = link
        self.second = second
        self.first = sentence.heads[second] if second >= 0 else -1
        self.boundaries = tuple(sorted({*sentence.boundaries, *own, *(other or ())}))
        self.upper_starts: dict[int, str] = {}
        self.upper_ends: dict[int, str] = {}
        node = sentence.leaf[self.start]
        while node >= 0:
            label = sentence.labels[node]
            here, there = sentence.starts[node], sentence.behind[sentence.ends[node]]
            if here < self.start:
                self.upper_starts.setdefault(here, f"{min(len(self.upper_starts), 3)} {label}")
            if there > self.end:
                self.upper_ends.setdefault(there, f"{min(len(self.upper_ends), 3)} {label}")
            node = sentence.parents[node]


def anchor_connective(sentence: ParsedSentence, candidate: ConnectiveCandidate) -> Anchor:
    """Tie the arguments to a connective."""
    parts = candidate.parts
    own, other = parts[-1], parts[-2] if len(parts) > 1 else None
    if other and sentence.words[parts[0][0]] in FIRST_HEADS_ARG2:
        own, other = parts[0], parts[1]
    head = sentence.head_of(range(*own))
    return Anchor(sentence, candidate.name, own, other, sentence.links[head], sentence.heads[head])


def anchor_clause(sentence: ParsedSentence, place: int) -> Anchor:
    """Tie the arguments to the place where a clause begins without a connective."""
    second = sentence.openers.get(place, place)
    link = sentence.links[second]
    return Anchor(sentence, f"({link})", (place, place), None, link, second)


def arg2_boundaries(anchor: Anchor) -> tuple[list[int], list[int]]:
    """Where Arg2 with its connective may begin, nearest first, and where it may end, nearest first."""
    if anchor.start == anchor.end:
        return [anchor.start], _nearest([place for place in anchor.boundaries if place > anchor.end])
    begins = [place for place in reversed(anchor.boundaries) if place <= anchor.start]
    ends = [place for place in anchor.boundaries if place >= anchor.end]
    return _nearest(begins), _nearest(ends)


def arg1_boundaries(anchor: Anchor, arg2: Span) -> tuple[list[int], list[int], list[Span]]:
    """Where Arg1 of the same sentence may begin, where it may end, and the pairs of these to choose from.

    It lies before Arg2, behind it, or around it, and neither begins nor ends within the connective.
    """
    start, end = arg2
    first, last = anchor.other or (0, 0)
    before = _nearest([place for place in reversed(anchor.boundaries) if place < start])
    behind = _nearest([place for place in anchor.boundaries if place > end])
    begins = [*before, *([end] if end < len(anchor.sentence) else []), *behind[:2]]
    ends = [*([start] if start > 0 else []), *before[:4], *behind]
    pairs: list[Span] = []
    for begin in before:
        pairs.extend((begin, close) for close in (start, *before[:4]) if begin < close)
        pairs.extend((begin, close) for close in behind)
    for begin in (end, *behind[:2]):
        pairs.extend((begin, close) for close in behind if begin < close)
    pairs = [(begin, close) for begin, close in pairs if not (first <= begin < last or first < close <= last)]
    return begins, ends, pairs


def _nearest(places: list[int]) -> list[int]:
    return places if len(places) <= MOST_BOUNDARIES else [*places[: MOST_BOUNDARIES - 1], places[-1]]


def _what_begins(anchor: Anchor, place: int, listed: ConnectiveList) -> tuple[str, str, str, str]:
    """Tag, word, link and clause of what begins at a boundary."""
    sentence = anchor.sentence
    if place >= len(sentence):
        return "$", "$", "$", "$"
    edge = sentence.openers.get(place, place)
    head = sentence.heads[edge]
    target = (
        {anchor.first: "first", anchor.second: "second", -1: "root"}.get(head)
        or {anchor.first: "is first", anchor.second: "is second"}.get(edge)
        or ("left" if head < place else "right")
    )
    link, word = f"{sentence.links[edge]} {target}", listed.word(sentence.words[place])
    return sentence.tags[place], word, link, sentence.clauses.get(place, "none")


def _mark_before(sentence: ParsedSentence, place: int) -> str:
    if place == 0:
        return "^"
    return sentence.tags[place - 1] if sentence.closing[place - 1] else "none"


def _number(count: int) -> str:
    count = max(count, 0)
    return str(count) if count < 4 else "4" if count < 7 else "7"


def begin_features(anchor: Anchor, place: int, rank: int, listed: ConnectiveList) -> Item:
    """Features of the beginning of Arg2, the ``rank``-th boundary before its connective."""
    sentence = anchor.sentence
    tag, word, link, clause = _what_begins(anchor, place, listed)
    where = "here" if place == anchor.start else "first" if place == 0 else "before"
    alone = [
        f"b {where}",
        f"b rank {_number(rank)} {where}",
        f"b upper {anchor.upper_starts.get(place, 'none')}",
        f"b second {anchor.second >= 0 and sentence.left[anchor.second] == place:d} {where}",
        f"b first {anchor.first >= 0 and sentence.left[anchor.first] == place:d} {where}",
        f"b link {link} {where}",
        f"b mark {_mark_before(sentence, place)} {where}",
    ]
    more = [f"b clause {clause} {where}", f"b word {word} {where}", f"b tag {tag} {where}"]
    return _with_connective(anchor, place, alone, more)


def end_features(anchor: Anchor, place: int, rank: int, listed: ConnectiveList) -> Item:
    """Features of the end of Arg2, the ``rank``-th boundary behind its connective."""
    sentence = anchor.sentence
    tag, word, link, clause = _what_begins(anchor, place, listed)
    where = "last" if place == len(sentence) else "here" if place == anchor.end else "behind"
    second = anchor.second
    same = second >= 0 and sentence.behind[sentence.right[second]] == place
    mark = _mark_before(sentence, place)
    alone = [
        f"e {where}",
        f"e rank {_number(rank)} {where}",
        f"e upper {anchor.upper_ends.get(place, 'none')}",
        f"e second {same:d} {where}",
        f"e holds second {second < place:d}",
        f"e link {link} {mark}",
        f"e mark {mark} {where}",
    ]
    more = [
        f"e clause {clause} {sentence.clause_ends.get(place, 'none')}",
        f"e word {word} {mark}",
        f"e tag {tag} {mark}",
    ]
    return _with_connective(anchor, place, alone, more)


def _with_connective(anchor: Anchor, place: int, alone: list[str], more: list[str]) -> Item:
    name, link = anchor.name, anchor.link
    if anchor.other:
        which = "begin" if place == anchor.other[0] else "end" if place == anchor.other[1] else "none"
        alone = [*alone, f"{alone[0]} other {which}"]
    where = "first" if anchor.start == 0 else "inside"
    return [("", [*alone, *more]), (name, alone), (f"{link} {where}", alone), (link, more)]


def arg1_begin_features(anchor: Anchor, place: int, arg2: Span, listed: ConnectiveList) -> Item:
    """Features of the beginning of Arg1, given Arg2."""
    sentence = anchor.sentence
    tag, word, link, clause = _what_begins(anchor, place, listed)
    side = "before" if place < arg2[0] else "next" if place == arg2[1] else "behind"
    first, second = anchor.first, anchor.second
    same = first >= 0 and sentence.left[first] == place
    places = anchor.boundaries
    between = bisect_left(places, arg2[0]) - bisect_left(places, place) - 1
    edge = "^" if place == 0 else ""
    alone = [
        f"B {side}{edge}",
        f"B between {_number(between)} {side}{edge}",
        f"B upper {anchor.upper_starts.get(place, 'none')} {side}",
        f"B first {same:d} {side}{edge}",
        f"B holds first {place <= first:d} {side}",
        f"B holds second {place <= second:d} {side}",
        f"B link {link} {side}",
        f"B mark {_mark_before(sentence, place)} {side}",
    ]
    more = [f"B clause {clause} {side}{edge}", f"B word {word} {side}", f"B tag {tag} {side}"]
    return _with_connective(anchor, place, alone, more)


def arg1_end_features(anchor: Anchor, place: int, arg2: Span, listed: ConnectiveList) -> Item:
    """Features of the end of Arg1, given Arg2."""
    sentence = anchor.sentence
    tag, word, link, clause = _what_begins(anchor, place, listed)
    side = "next" if place == arg2[0] else "before" if place < arg2[0] else "behind"
    edge = "$" if place == len(sentence) else ""
    first = anchor.first
    same = first >= 0 and sentence.behind[sentence.right[first]] == place
    places = anchor.boundaries
    between = bisect_left(places, place) - bisect_left(places, arg2[1]) - 1
    mark = _mark_before(sentence, place)
    alone = [
        f"E {side}{edge}",
        f"E between {_number(between)} {side}{edge}",
        f"E upper {anchor.upper_ends.get(place, 'none')} {side}",
        f"E first {same:d} {side}{edge}",
        f"E holds first {first < place:d} {side}",
        f"E link {link} {side} {mark}",
    ]
    more = [f"E clause {clause} {side}{edge}", f"E word {word} {side} {mark}", f"E tag {tag} {side} {mark}"]
    return _with_connective(anchor, place, alone, more)


def pair_features(anchor: Anchor, spans: Sequence[Span], arg2: Span) -> tuple[list[Item], list[int]]:
    """Features of spans as the whole of Arg1: how they lie to Arg2, which heads and verbs they hold.

    There are few kinds of spans and many spans: features of each kind, and the kind of each span.
    """
    sentence, first = anchor.sentence, anchor.first
    verbs = [0]
    for token, tag in enumerate(sentence.tags):
        verbs.append(verbs[-1] + (tag.startswith(("VB", "MD")) and not arg2[0] <= token < arg2[1]))
    outside = first >= 0 and not arg2[0] <= first < arg2[1]
    place = "first" if arg2[0] == 0 else "inside"
    made: dict[tuple[str, bool, bool, bool], int] = {}
    rows: list[Item] = []
    kinds = []
    for begin, end in spans:
        shape = "before" if end <= arg2[0] else "behind" if begin >= arg2[1] else "around"
        holds = outside and begin <= first < end
        key = shape, holds, verbs[end] > verbs[begin], begin == 0 and end == len(sentence)
        if key not in made:
            alone = [f"P {shape} {holds:d}", f"P verb {key[2]:d} {shape}", f"P whole {key[3]:d}"]
            made[key] = len(rows)
            placed = [(f"{one} {place}", alone[:1]) for one in (anchor.name, anchor.link)]
            rows.append([("", alone), (anchor.name, alone), *placed])
        kinds.append(made[key])
    return rows, kinds


def earlier_features(
    own: ParsedSentence, other: ParsedSentence, name: str, *, distance: int, paragraphs: int
) -> Item:
    """Features of an earlier sentence as the Arg1 of a connective, ``distance`` sentences before its own.

    ``paragraphs`` counts the blank lines between the two.
    """
    shared = len(_content(own) & _content(other))
    verbs = any(tag.startswith(("VB", "MD")) for tag in other.tags)
    same = other.words[0] == own.words[0]
    alone = [
        f"d {distance}",
        f"d {distance} paragraphs {min(paragraphs, 2)}",
        f"d size {other.size}",
        f"d size {other.size} {distance}",
        f"d verbs {verbs:d}",
        f"d shared {min(shared, 3)}",
        f"d shared {min(shared, 3)} {distance}",
        f"d same {same:d} {distance}",
        f"d last {other.words[-1] if not other.words[-1].isalpha() else 'word'}",
        f"d tag {other.tags[0]}",
    ]
    return [("", alone), (name, alone[:8])]


def _content(sentence: ParsedSentence) -> set[str]:
    tagged = zip(sentence.words, sentence.tags, strict=True)
    return {word for word, tag in tagged if tag.startswith(("NN", "VB", "JJ")) and len(word) > 3}


@dataclass(frozen=True, slots=True)
class SpanChoice:
    """The candidates for a span, as features of beginnings, of ends and of kinds of pairs.

    Each of the ``pairs`` has the numbers of its beginning, its end and its kind.
    """

    begins: list[Item]
    ends: list[Item]
    kinds: list[Item]
    pairs: list[tuple[int, int, int]]
    spans: list[Span]


def arg2_choice(anchor: Anchor, listed: ConnectiveList) -> SpanChoice:
    """All spans that Arg2 and its connective may have."""
    begins, ends = arg2_boundaries(anchor)
    return SpanChoice(
        [begin_features(anchor, place, rank, listed) for rank, place in enumerate(begins)],
        [end_features(anchor, place, rank, listed) for rank, place in enumerate(ends)],
        [[]],
        [(begin, end, 0) for begin in range(len(begins)) for end in range(len(ends))],
        [(begin, end) for begin in begins for end in ends],
    )


def arg1_choice(anchor: Anchor, arg2: Span, listed: ConnectiveList) -> SpanChoice:
    """All spans of the same sentence that Arg1 may have, given Arg2; there may be none."""
    begins, ends, spans = arg1_boundaries(anchor, arg2)
    rows, kinds = pair_features(anchor, spans, arg2)
    return SpanChoice(
        [arg1_begin_features(anchor, place, arg2, listed) for place in begins],
        [arg1_end_features(anchor, place, arg2, listed) for place in ends],
        rows,
        [(begins.index(b), ends.index(e), kind) for (b, e), kind in zip(spans, kinds, strict=True)],
        spans,
    )


def choose_spans(model: LinearModel, choices: Sequence[SpanChoice]) -> list[Span | None]:
    """The best span of each choice, ``argmax f(b) + g(e) + h(b, e)``; None where there is none to choose."""
    rows = [row for choice in choices for row in (*choice.begins, *choice.ends, *choice.kinds)]
    scores = model.scores(rows)[:, 0]
    best: list[Span | None] = []
    offset = 0
    for choice in choices:
        middle = offset + len(choice.begins)
        last = middle + len(choice.ends)
        if choice.spans:
            index = np.array(choice.pairs) + np.array([offset, middle, last])
            total = scores[index[:, 0]] + scores[index[:, 1]] + scores[index[:, 2]]
        best.append(choice.spans[int(total.argmax())] if choice.spans else None)
        offset = last + len(choice.kinds)
    return best
