"""Documents, relations and corpora as plain records. Nothing here reads files."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache


@dataclass(frozen=True, slots=True)
class Token:
    """A word form, brackets unescaped, and its place in the document's text."""

    text: str
    start: int
    end: int
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Constituents:
    """The phrases over the n tokens of one sentence, as parallel arrays in pre-order.

    Only phrases are nodes; part-of-speech nodes are the ``tags``, one for each token. Node 0 covers the whole
    sentence. A node's children are the nodes whose parent it is and the tokens under it that no child covers,
    in text order. Unary chains are kept: they are nodes with the same span, the outer one first. Labels are
    bare (``NP``, not ``NP-SBJ``), traces are gone, and a ROOT or TOP above a single phrase is left out.

    Spans count tokens from the sentence's first one and exclude the end.
    """

    labels: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    parents: tuple[int, ...]  # -1 for node 0
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dependencies:
    """One head and one label for each token of a sentence; heads count from the sentence's first token."""

    heads: tuple[int, ...]  # -1 for the root
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens ``start`` to ``end`` (exclusive) of a document."""

    start: int
    end: int
    constituents: Constituents | None = None
    dependencies: Dependencies | None = None

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Mention:
    """The tokens ``start`` to ``end`` (exclusive) that speak of the entity ``chain``, with their head."""

    start: int
    end: int
    head: int
    chain: str


@dataclass(frozen=True)
class Document:
    """A text, its tokens, and their annotation.

    ``sentences`` cover all tokens, in order. ``mentions`` is None if coreference was not annotated.
    """

    id: str
    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...] | None = None

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [sentence.start for sentence in self.sentences]

    def sentence_index(self, token: int) -> int:
        """The index of the sentence that holds a token."""
        return bisect_right(self._sentence_starts, token) - 1

    def words(self, tokens: Sequence[int]) -> list[str]:
        """The forms of the given tokens."""
        return [self.tokens[token].text for token in tokens]


class RelationKind(StrEnum):
    """How the text expresses the relation, as PDTB-style corpora spell it."""

    IMPLICIT = "Implicit"
    EXPLICIT = "Explicit"
    ALTLEX = "AltLex"
    ALTLEXC = "AltLexC"
    HYPOPHORA = "Hypophora"
    ENTREL = "EntRel"
    NOREL = "NoRel"


# Adjacent sentences of these kinds have no sense; for running text the kinds themselves are labels.
WITHOUT_SENSE = frozenset({RelationKind.ENTREL, RelationKind.NOREL})


@dataclass(frozen=True, slots=True)
class Argument:
    """Tokens of the document, in order, not always adjacent; ``text`` joins the pieces with a space."""

    tokens: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Relation:
    """Two arguments and the senses annotated for them.

    ``senses`` are full, canonical names (``Contingency.Cause.Reason``), none for EntRel, NoRel and unlabelled
    pairs. ``where`` says which file and line it came from. ``votes`` is a distribution over senses, where
    several annotators labelled the relation: senses with shares that add up to 1.
    """

    id: str
    document: str
    kind: RelationKind
    arg1: Argument
    arg2: Argument
    senses: tuple[str, ...] = ()
    connective: str = ""
    connective_tokens: tuple[int, ...] = ()
    where: str = ""
    votes: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Instance:
    """A relation with everything a model may look at, and the labels that count as right under some task.

    ``previous`` and ``following`` are its neighbours among all relations of the document, for the context
    features. ``gold`` is empty if the label is unknown. ``weight`` is its weight in training.
    ``target`` is the distribution of the votes over the labels of the task, empty if there are no votes.
    """

    relation: Relation
    document: Document
    gold: tuple[str, ...] = ()
    previous: Relation | None = None
    following: Relation | None = None
    weight: float = 1.0
    target: tuple[tuple[str, float], ...] = ()

    @property
    def has_sense(self) -> bool:
        """False for EntRel and NoRel, by kind or, as in plain pairs, by all labels."""
        labelled_without = bool(self.gold) and WITHOUT_SENSE.issuperset(self.gold)
        return self.relation.kind not in WITHOUT_SENSE and not labelled_without


def find_runs(tokens: Iterable[int]) -> list[tuple[int, int]]:
    """The stretches of adjacent numbers in an ascending list, each as (first, last exclusive)."""
    found: list[tuple[int, int]] = []
    for token in tokens:
        if found and found[-1][1] == token:
            found[-1] = (found[-1][0], token + 1)
        else:
            found.append((token, token + 1))
    return found


_LINE_BREAK = re.compile(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault in a file: a kind that can be counted, the place, and how it was handled."""

    kind: str
    where: str
    detail: str


@dataclass(slots=True)
class ReadIssues:
    """The faults that a reader repaired or skipped."""

    findings: list[Finding] = field(default_factory=list)

    def add(self, kind: str, where: str, detail: str) -> None:
        """Add a finding, on one line: a line break in a file's name must not look like another finding."""
        self.findings.append(Finding(kind, _LINE_BREAK.sub("?", where), _LINE_BREAK.sub("?", detail)))

    def counts(self) -> Counter[str]:
        return Counter(finding.kind for finding in self.findings)


@dataclass(frozen=True)
class Corpus:
    """Documents by id, and relations in the order of their files.

    ``inventory`` names the sense inventory. ``parts`` maps a document to the corpus's own part (train, dev,
    test) where it has one. ``groups`` maps a document to the source it is an excerpt of, where documents are
    excerpts: a split by documents keeps a group together. ``automatic`` names the layers that are not the
    corpus's own, and ``annotators`` who made them.
    """

    name: str
    inventory: str
    documents: Mapping[str, Document]
    relations: tuple[Relation, ...]
    parts: Mapping[str, str] = field(default_factory=dict)
    issues: ReadIssues = field(default_factory=ReadIssues)
    automatic: tuple[str, ...] = ()
    annotators: str = ""
    notes: tuple[str, ...] = ()  # choices of the reader that a user should know
    groups: Mapping[str, str] = field(default_factory=dict)

    def only(self, names: Collection[str]) -> Corpus:
        """The documents of these names, with their relations and parts."""
        return replace(
            self,
            documents={name: one for name, one in self.documents.items() if name in names},
            relations=tuple(one for one in self.relations if one.document in names),
            parts={name: part for name, part in self.parts.items() if name in names},
        )

    def sentences(self) -> Iterator[list[str]]:
        """The words of every sentence of every document."""
        for document in self.documents.values():
            for sentence in document.sentences:
                yield document.words(range(sentence.start, sentence.end))


@lru_cache(maxsize=16)  # asked for again with every mention of a sentence
def depths_below_root(heads: tuple[int, ...]) -> tuple[int, ...]:
    """The number of steps from each word to the root, whose head is -1; takes linear time.

    A word whose heads end in a cycle is deeper than any other.
    """
    unknown, on_the_way = -1, -2
    depths = [unknown] * len(heads)
    for word in range(len(heads)):
        path = []
        while word >= 0 and depths[word] == unknown:
            depths[word] = on_the_way
            path.append(word)
            word = heads[word]
        depth = -1
        if word >= 0:
            depth = depths[word] if depths[word] != on_the_way else len(heads)
        for passed in reversed(path):
            depth = min(depth + 1, len(heads))
            depths[passed] = depth
    return tuple(depths)


def token_in_cycle(heads: Sequence[int]) -> int | None:
    """The first token whose heads never lead to a root (-1), if there is one."""
    depths = depths_below_root(tuple(heads))
    return depths.index(len(heads)) if len(heads) in depths else None


ROOT = "root"  # as Universal Dependencies name it


def single_rooted(heads: Sequence[int], labels: Sequence[str]) -> Dependencies:
    """The dependencies with one root: further words without a head (-1) are attached to the first."""
    if heads.count(-1) < 2:
        return Dependencies(tuple(heads), tuple(labels))
    root = heads.index(-1)
    new_heads, new_labels = list(heads), list(labels)
    for place, head in enumerate(heads):
        if head < 0 and place != root:
            new_heads[place], new_labels[place] = root, "parataxis"
    return Dependencies(tuple(new_heads), tuple(new_labels))


# For each phrase, the side to search from and the children to look for (labels or tags), best first: the head
# rules of Collins (1999), Appendix A, simplified.
_NOMINAL = "NN NNS NNP NNPS NX POS JJR"

_RULES = {
    "ADJP": "left NNS | QP | NN | JJ VBN VBG ADJP JJR JJS | RB RBR",
    "ADVP": "right RB RBR RBS | ADVP | IN NP JJ NN",
    "CONJP": "right CC RB IN",
    "PP": "left IN TO VBG VBN RP",
    "PRN": "left S NP SBAR VP",
    "QP": "left $ | NNS NN CD | JJ RB DT",
    "S": "left VP | S SBAR | ADJP UCP NP | TO IN",
    "SBAR": "left S SQ SINV SBAR FRAG | WHNP WHPP WHADVP WHADJP | IN DT",
    "SBARQ": "left SQ S SINV SBARQ FRAG",
    "SINV": "left VP VBZ VBD VBP VB MD | S SINV | ADJP NP",
    "SQ": "left VP | VBZ VBD VBP VB MD | SQ",
    "VP": "left VP | VBD VBN VBZ VB VBG VBP | MD TO | ADJP NN NNS NP",
    "WHADJP": "right JJ ADJP | CC WRB",
    "WHADVP": "right WRB CC",
    "WHNP": f"right {_NOMINAL} | NP | WDT WP WP$ WHADJP WHPP WHNP",
    "WHPP": "left IN TO",
    # The last noun, else the first noun phrase, else the next best from the right.
    **dict.fromkeys(("NP", "NX", "NAC"), f"right {_NOMINAL} | <NP | $ ADJP PRN | CD | JJ JJS RB QP PRP DT"),
}

LONGEST = 2_000  # words

_PUNCTUATION = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP", "SYM", "#"})


def head_of_span(document: Document, start: int, end: int) -> int:
    """The head among the document's tokens ``start`` to ``end`` (exclusive).

    A span that crosses into the next sentence has its head in the first one. The head of a span of more than
    ``LONGEST`` words is its last word.
    """
    sentence = document.sentences[document.sentence_index(start)]
    end = min(end, sentence.end)
    if end - start == 1:
        return start
    if end - start > LONGEST:
        return end - 1
    first, last = start - sentence.start, end - sentence.start
    if sentence.dependencies is not None:
        return sentence.start + head_by_dependencies(sentence.dependencies, first, last)
    if sentence.constituents is not None:
        return sentence.start + head_by_constituents(sentence.constituents, first, last)
    return end - 1


def head_by_dependencies(dependencies: Dependencies, start: int, end: int) -> int:
    """The token whose head lies outside the span; of several the nearest to the root, punctuation last."""
    heads, labels = dependencies.heads, dependencies.labels
    candidates = [token for token in range(start, end) if not start <= heads[token] < end]
    if not candidates:  # a cycle
        return end - 1
    if len(candidates) == 1:
        return candidates[0]
    depths = depths_below_root(heads)
    return min(candidates, key=lambda token: (labels[token] == "punct", depths[token], token))


def head_by_constituents(constituents: Constituents, start: int, end: int) -> int:
    """The head by rules for each phrase, from the largest phrases inside the span downwards."""
    labels, starts, ends = constituents.labels, constituents.starts, constituents.ends
    label, node = "NP", -1
    while end - start > 1:
        # The children: largest phrases strictly below, and the tokens that none of them covers.
        # Phrases are in pre-order, so their starts are sorted: phrases inside a child are skipped.
        children: list[tuple[str, int, int, int]] = []
        position = start
        index = bisect_left(starts, start, node + 1)
        while index < len(starts) and starts[index] < end:
            if ends[index] > end:
                index += 1
                continue
            children.extend(
                (constituents.tags[token], token, token + 1, -1) for token in range(position, starts[index])
            )
            children.append((labels[index], starts[index], ends[index], index))
            position = ends[index]
            index = bisect_left(starts, position, index + 1)
        children.extend((constituents.tags[token], token, token + 1, -1) for token in range(position, end))
        label, start, end, node = children[_head_child(label, [child[0] for child in children])]
    return start


def _head_child(parent: str, children: Sequence[str]) -> int:
    side, _, rule = _RULES.get(parent, "right").partition(" ")
    from_left = range(len(children))
    order = from_left if side == "left" else from_left[::-1]
    possessive = parent in ("NP", "NX", "NAC") and children[-1] == "POS"  # "the goat 's": not its own head
    for rank, wanted in enumerate(rule.split(" | ")):
        labels = wanted.removeprefix("<").split()
        for index in from_left if wanted.startswith("<") else order:
            if children[index] in labels and not (possessive and not rank and index == len(children) - 1):
                return index
    return next((index for index in order if children[index] not in _PUNCTUATION), order[0])
