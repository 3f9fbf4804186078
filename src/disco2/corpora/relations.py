"""Shared by all readers: kinds and senses as corpora write them, spans, and arguments made of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Self

from disco2.data import WITHOUT_SENSE, Argument, Dirt, Document, RelationKind
from disco2.data.senses import SenseInventory, inventory
from disco2.errors import CorpusError

LONGEST_LABEL = 1_000  # characters; nothing that is longer is meant for a sense of an inventory
MOST_SENSES = 20  # of one relation; annotators give it four at most
MOST_LABELS = 1_000  # that are looked at to tell which inventory fits; a corpus has some dozens

_KINDS = {kind.lower(): kind for kind in RelationKind}
_WITHOUT_SENSE = {
    kind.lower(): kind for kind in (RelationKind.ENTREL, RelationKind.NOREL, RelationKind.HYPOPHORA)
}


def kind_in_place_of_sense(label: str) -> RelationKind | None:
    """EntRel, NoRel and Hypophora have no sense; many corpora repeat the kind in the column of the sense."""
    return _WITHOUT_SENSE.get(label.strip().lower())


def read_senses(labels: Iterable[str], known: SenseInventory, *, where: str, dirt: Dirt) -> tuple[str, ...]:
    """The canonical senses, each once. Kinds are passed over; misspelt and unknown labels are findings."""
    senses: list[str] = []
    labels = list(labels)
    if len(labels) > MOST_SENSES and not known.is_free:
        detail = f"{len(labels)} senses; those behind the first {MOST_SENSES} were left out."
        dirt.add("too many senses", where=where, detail=detail)
        labels = labels[:MOST_SENSES]
    for label in labels:
        if not label.strip() or (not known.is_free and kind_in_place_of_sense(label)):
            continue
        if len(label) > LONGEST_LABEL and not known.is_free:
            dirt.add(
                "unknown sense",
                where=where,
                detail=f"'{label[:40]}...' is no sense of {known.name}; left out.",
            )
            continue
        resolved = known.resolve(label)
        if resolved is None:
            dirt.add("unknown sense", where=where, detail=f"'{label}' is no sense of {known.name}; left out.")
            continue
        if resolved.repaired:
            dirt.add("misspelt sense", where=where, detail=f"'{label}' was taken for '{resolved.sense}'.")
        senses.append(resolved.sense)
    return tuple(dict.fromkeys(senses))


def senses_of_kind(kind: RelationKind, senses: tuple[str, ...], *, where: str, dirt: Dirt) -> tuple[str, ...]:
    """The senses; none, with a finding, where the kind is one that has no sense."""
    if not senses or kind not in WITHOUT_SENSE:
        return senses
    dirt.add("sense of a kind without", where=where, detail=f"{kind} has no sense; {senses[0]} was left out.")
    return ()


def fitting_inventory(labels: Iterable[str], *, names: Sequence[str]) -> SenseInventory:
    """Of the named inventories the one that knows the most labels, if it knows more than half of them.

    Of equals the first; kinds in the place of a sense don't count. Otherwise any label is taken as it is.
    """
    counts = Counter(label for label in labels if label.strip() and not kind_in_place_of_sense(label))
    frequent = counts.most_common(MOST_LABELS)
    known: Counter[str] = Counter()
    for name in names:
        for label, count in frequent:
            resolved = inventory(name).resolve(label)
            if resolved is not None and not resolved.repaired:
                known[name] += count
    best = max(names, key=lambda name: known[name])
    return inventory(best if 2 * known[best] > sum(count for _, count in frequent) or not counts else "free")


def read_kind(label: str) -> RelationKind | None:
    """The kind of relation of that name, in any case; None where there is none."""
    return _KINDS.get(label.strip().lower())


def kind_and_senses(
    kind: str, labels: Sequence[str], known: SenseInventory, *, where: str, dirt: Dirt
) -> tuple[RelationKind, tuple[str, ...]] | None:
    """The kind and the canonical senses; None, with a finding, where the kind is unknown or needs a sense."""
    found = read_kind(kind)
    if found is None:
        dirt.add("unknown kind of relation", where=where, detail=f"'{kind}'; the relation was skipped.")
        return None
    if kind_in_place_of_sense(found) is not None:
        return found, ()
    senses = read_senses(labels, known, where=where, dirt=dirt)
    if not senses:
        dirt.add(
            "relation without a sense",
            where=where,
            detail=f"{found} relations need one; the relation was skipped.",
        )
        return None
    return found, senses


# Character spans, token numbers and the arguments that they make up.


MOST_TIMES = 100  # a word of a treebank is in a handful of arguments, in a deep tree of units in some dozens
ALWAYS = 1_000_000  # characters, for short documents


def runs(tokens: Iterable[int]) -> list[tuple[int, int]]:
    """Find the stretches of adjacent numbers in an ascending list, each as (first, last exclusive)."""
    chosen = tuple(tokens)
    if chosen and chosen[-1] - chosen[0] + 1 == len(chosen):
        return [(chosen[0], chosen[-1] + 1)]
    found: list[tuple[int, int]] = []
    for token in chosen:
        if found and found[-1][1] == token:
            found[-1] = (found[-1][0], token + 1)
        else:
            found.append((token, token + 1))
    return found


def character_spans(document: Document, tokens: Iterable[int]) -> list[tuple[int, int]]:
    """Find where the stretches of some tokens lie in the document's text, ends exclusive."""
    return [(document.tokens[first].start, document.tokens[last - 1].end) for first, last in runs(tokens)]


def argument_from_tokens(document: Document, tokens: Iterable[int]) -> Argument:
    """Make an argument of tokens of a document; its pieces are joined by a space."""
    chosen = tuple(sorted(set(tokens)))
    pieces = [document.text[start:end] for start, end in character_spans(document, chosen)]
    return Argument(chosen, " ".join(pieces))


@dataclass(frozen=True, slots=True)
class TokensUnder:
    """The tokens that share a character with some spans, in order; ``exact`` where the spans cut none."""

    tokens: tuple[int, ...]
    exact: bool


class TokenSpans:
    """Looks up tokens, given as their spans in a text, by character offsets, ends exclusive.

    Both the starts and the ends of the tokens ascend. CorpusError is raised where what was looked up is many
    times the text.
    """

    def __init__(self, text: str, tokens: Sequence[tuple[int, int]], *, document: str = "") -> None:
        self._text = text
        self._starts = [start for start, _ in tokens]
        self._ends = [end for _, end in tokens]
        self._coverage = Coverage(document, len(text), self._starts, self._ends)

    @classmethod
    def of(cls, document: Document) -> Self:
        places = [(token.start, token.end) for token in document.tokens]
        return cls(document.text, places, document=document.id)

    def under(self, spans: Iterable[tuple[int, int]]) -> TokensUnder:
        """The tokens under the spans; spaces at the edges of a span do not make it inexact."""
        found: list[tuple[int, int]] = []
        exact = True
        for start, end in spans:
            first = bisect_right(self._ends, start)
            last = bisect_left(self._starts, end)
            whole = first < last and start <= self._starts[first] and self._ends[last - 1] <= end
            exact = exact and whole and end <= len(self._text)
            if start < end:
                found.append((first, last))
        return TokensUnder(self._coverage.tokens(joined(found)), exact)

    def argument(self, spans: Iterable[tuple[int, int]]) -> tuple[Argument, bool]:
        """The argument under the spans, its pieces joined by a space, and whether the spans cut no token."""
        spans = tuple(spans)
        under = self.under(spans)
        pieces = (self._text[start:end] for start, end in joined(spans))
        return Argument(under.tokens, " ".join(pieces)), under.exact


class Coverage:
    """Counts the characters of one document's arguments, and hands out their tokens.

    It limits how often the arguments may repeat the text. A line of a hundred bytes can name a whole document
    as an argument, and a file has thousands of lines: together they could take all memory.
    """

    def __init__(self, document: str, length: int, starts: Sequence[int], ends: Sequence[int]) -> None:
        """``length`` is that of the document's text; its tokens are given as their places there."""
        self._document = document
        self._starts = starts
        self._ends = ends
        self._left = max(ALWAYS, MOST_TIMES * length)

    @classmethod
    def of(cls, document: Document) -> Self:
        starts = [token.start for token in document.tokens]
        ends = [token.end for token in document.tokens]
        return cls(document.id, len(document.text), starts, ends)

    def tokens(self, runs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """The tokens of runs that are in order and do not overlap; CorpusError as in ``take``."""
        self.take(sum(self._ends[last - 1] - self._starts[first] for first, last in runs))
        return tuple(chain.from_iterable(self._numbers[first:last] for first, last in runs))

    def take(self, characters: int) -> None:
        """Raise CorpusError where the arguments have become longer than any annotator's."""
        if characters > self._left:
            raise CorpusError(
                f"The arguments in {self._document or 'a document'} are together more than {MOST_TIMES} times"
                " as long as its text.",
                hint="The relations are damaged, or belong to another text.",
            )
        self._left -= characters

    @cached_property
    def _numbers(self) -> tuple[int, ...]:
        """All tokens, once: arguments share these numbers, which are larger than the places they take."""
        return tuple(range(len(self._starts)))


def joined(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sort intervals (ends exclusive), make one of those that overlap, and leave out empty ones.

    A list that names the same stretch a thousand times is then no longer than the stretch. Intervals that
    only touch stay apart.
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(intervals):
        if start >= end:
            continue
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
