"""Shared by all readers: kinds and senses as corpora write them, spans, and arguments made of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Self

from disco2.data import WITHOUT_SENSE, Argument, Corpus, Document, ReadIssues, Relation, RelationKind
from disco2.data.records import find_runs
from disco2.data.senses import SenseInventory, inventory, senses_2_to_3, senses_3_to_2
from disco2.errors import CorpusError

MOST_TIMES = 100  # a word of a treebank is in a handful of arguments, in a deep tree of units in some dozens
ALWAYS = 1_000_000  # characters of arguments that a short document may have

_KINDS = {kind.lower(): kind for kind in RelationKind}
_WITHOUT_SENSE = {
    kind.lower(): kind for kind in (RelationKind.ENTREL, RelationKind.NOREL, RelationKind.HYPOPHORA)
}
_MAPPINGS: dict[tuple[str, str], Callable[[str], str | None]] = {
    ("pdtb2", "pdtb3"): senses_2_to_3,
    ("pdtb3", "pdtb2"): senses_3_to_2,
    ("gdtb", "pdtb2"): senses_3_to_2,
    ("gdtb", "pdtb3"): lambda sense: sense,  # GDTB's senses are PDTB 3's
}


def read_kind(label: str) -> RelationKind | None:
    """The kind of relation of that name, in upper or lower case; None for other names."""
    return _KINDS.get(label.strip().lower())


def read_kind_without_sense(label: str) -> RelationKind | None:
    """EntRel, NoRel and Hypophora have no sense; many corpora repeat the kind in the sense column."""
    return _WITHOUT_SENSE.get(label.strip().lower())


def read_senses(
    labels: Iterable[str],
    known: SenseInventory,
    *,
    kind: RelationKind = RelationKind.IMPLICIT,
    where: str,
    issues: ReadIssues,
) -> tuple[str, ...]:
    """The canonical senses, each once. Kinds are skipped; an unknown label is a finding.

    So is a sense of a kind that has none.
    """
    senses: list[str] = []
    for label in labels:
        if not label.strip() or (not known.is_free and read_kind_without_sense(label)):
            continue
        sense = known.resolve(label)
        if sense is None:
            issues.add("unknown sense", where, f"'{label:.80}' is no sense of {known.name}; left out.")
        else:
            senses.append(sense)
    if senses and kind in WITHOUT_SENSE and not known.is_free:
        issues.add("sense of a kind without", where, f"{kind} has no sense; {senses[0]} was left out.")
        return ()
    return tuple(dict.fromkeys(senses))


def read_kind_and_senses(
    kind: str, labels: Sequence[str], known: SenseInventory, *, where: str, issues: ReadIssues
) -> tuple[RelationKind, tuple[str, ...]] | None:
    """The kind and canonical senses; None, with a finding, if the kind is unknown or lacks its sense."""
    found = read_kind(kind)
    if found is None:
        issues.add("unknown kind of relation", where, f"'{kind}'; the relation was skipped.")
        return None
    if read_kind_without_sense(found) is not None:
        return found, ()
    senses = read_senses(labels, known, where=where, issues=issues)
    if not senses:
        detail = f"{found} relations need one; the relation was skipped."
        issues.add("relation without a sense", where, detail)
        return None
    return found, senses


def choose_inventory(labels: Iterable[str], *, known: Sequence[str]) -> SenseInventory:
    """The inventory that has the most of the labels, and more than half of them; else the free one.

    The first wins a tie; kinds in the place of a sense don't count.
    """
    counts = Counter(label for label in labels if label.strip() and not read_kind_without_sense(label))
    found = {
        one: sum(count for label, count in counts.items() if inventory(one).resolve(label)) for one in known
    }
    best = max(known, key=lambda one: found[one])
    return inventory(best if 2 * found[best] > counts.total() or not counts else "free")


def normalise_votes(votes: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """The votes for each sense as shares that add up to 1."""
    total = sum(votes.values())
    return tuple((sense, vote / total) for sense, vote in votes.items())


def drop_doubles(
    relations: Iterable[Relation], *, issues: ReadIssues, keep: bool = False
) -> Iterator[Relation]:
    """Leave out, or ``keep``, relations that repeat one of their document; a finding reports each."""
    seen: dict[tuple[object, ...], str] = {}
    for one in relations:
        arguments = one.arg1.tokens, one.arg2.tokens, one.connective_tokens, one.connective
        key = one.document, one.kind, one.senses, arguments
        if key in seen:
            what = "both count" if keep else "it was left out"
            issues.add("relation twice", one.where, f"{one.id} repeats the relation at {seen[key]}; {what}.")
            if not keep:
                continue
        seen.setdefault(key, one.where)
        yield one


def compare_text(words: Sequence[str], stated: str, name: str, *, where: str, issues: ReadIssues) -> None:
    """Report an argument whose words are not those of the text that the file states for it."""
    found, expected = keep_letters("".join(words)).casefold(), keep_letters(stated).casefold()
    if found and expected and found != expected:
        by_place, by_text = " ".join(words[:12])[:60], " ".join(stated[:200].split())[:60]
        detail = f"{name} is '{by_place}' by its place and '{by_text}' by its text; the place was taken."
        issues.add("argument differs from its text", where, detail)


def with_senses_of(corpus: Corpus, name: str) -> Corpus:
    """Map the senses to another inventory; those without a counterpart are left out, with a finding."""
    if corpus.inventory == name:
        return corpus
    mapping = _MAPPINGS.get((corpus.inventory, name))
    if mapping is None:
        raise CorpusError(
            f"Senses of '{corpus.inventory}' can't be turned into those of '{name}'.",
            where=corpus.name,
            hint="Known: pdtb2 to pdtb3, pdtb3 or gdtb to pdtb2.",
        )

    def mapped(relation: Relation) -> Relation:
        senses = {sense: mapping(sense) for sense in relation.senses}
        for sense in [sense for sense, found in senses.items() if found is None]:
            detail = f"'{sense}' has none in {name}; left out."
            corpus.issues.add("sense without a counterpart", relation.where, detail)
        votes: dict[str, float] = {}
        for sense, share in relation.votes:
            if found := mapping(sense):
                votes[found] = votes.get(found, 0.0) + share
        kept = tuple(dict.fromkeys(filter(None, senses.values())))
        return replace(relation, senses=kept, votes=normalise_votes(votes))

    return replace(corpus, inventory=name, relations=tuple(map(mapped, corpus.relations)))


def find_character_spans(document: Document, tokens: Iterable[int]) -> list[tuple[int, int]]:
    """The places of stretches of tokens in the document's text, ends exclusive."""
    return [
        (document.tokens[first].start, document.tokens[last - 1].end) for first, last in find_runs(tokens)
    ]


def argument_from_tokens(document: Document, tokens: Iterable[int]) -> Argument:
    """An argument of some tokens of a document; its pieces are joined by a space."""
    chosen = tuple(sorted(set(tokens)))
    pieces = [document.text[start:end] for start, end in find_character_spans(document, chosen)]
    return Argument(chosen, " ".join(pieces))


def keep_letters(text: str) -> str:
    """The letters and digits of a text: spaces, quotes and brackets differ from corpus to corpus."""
    return "".join(filter(str.isalnum, text))


class TokenSpans:
    """Looks up tokens by character offsets, ends exclusive; both starts and ends of the tokens ascend.

    Limits how often arguments may repeat the text: a line of a hundred bytes can name a whole document as an
    argument, and a file has thousands of lines. Raises CorpusError beyond that limit.
    """

    def __init__(self, text: str, tokens: Sequence[tuple[int, int]], *, document: str = "") -> None:
        self._text = text
        self._document = document
        self._starts = [start for start, _ in tokens]
        self._ends = [end for _, end in tokens]
        self._left = max(ALWAYS, MOST_TIMES * len(text))

    @classmethod
    def of(cls, document: Document) -> Self:
        places = [(token.start, token.end) for token in document.tokens]
        return cls(document.text, places, document=document.id)

    def under(self, spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], bool]:
        """The tokens that share a character with some spans, in order, and whether the spans cut no token.

        Spaces at the edges of a span don't matter. Raises CorpusError for a span beyond the text.
        """
        found: list[tuple[int, int]] = []
        exact = True
        for start, end in spans:
            if end > len(self._text):
                raise CorpusError(
                    f"The span {start}..{end} ends beyond the text of {len(self._text)} characters."
                )
            first = bisect_right(self._ends, start)
            last = bisect_left(self._starts, end)
            exact &= first < last and start <= self._starts[first] and self._ends[last - 1] <= end
            if start < end:
                found.append((first, last))
        return self.tokens(join_intervals(found)), exact

    def argument(self, spans: Iterable[tuple[int, int]]) -> tuple[Argument, bool]:
        """The argument under the spans, its pieces joined by a space, and whether the spans cut no token."""
        spans = tuple(spans)
        tokens, exact = self.under(spans)
        pieces = (self._text[start:end] for start, end in join_intervals(spans))
        return Argument(tokens, " ".join(pieces)), exact

    def tokens(self, runs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """The tokens of runs that are in order and don't overlap; CorpusError as in ``count``."""
        self.count(sum(self._ends[last - 1] - self._starts[first] for first, last in runs))
        return tuple(chain.from_iterable(self._numbers[first:last] for first, last in runs))

    def count(self, characters: int) -> None:
        """Raise CorpusError once the arguments are together much longer than any annotator's."""
        if characters > self._left:
            raise CorpusError(
                f"The arguments in {self._document or 'a document'} are together more than {MOST_TIMES} times"
                " as long as its text.",
                hint="The relations are damaged, or belong to another text.",
            )
        self._left -= characters

    @cached_property
    def _numbers(self) -> tuple[int, ...]:
        """All token numbers, once: arguments share these objects, which saves memory."""
        return tuple(range(len(self._starts)))


def join_intervals(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sort intervals (ends exclusive), merge those that overlap, and leave out empty ones.

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
