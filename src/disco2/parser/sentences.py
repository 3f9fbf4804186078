"""One parsed sentence, laid out for quick questions: who governs whom, which phrase holds which words.

Everything here counts tokens from the sentence's first one; ends are exclusive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from disco2.annotation.heads import depths_below_root
from disco2.data import Document, Token
from disco2.errors import LayerError

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


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """The words and both trees of a sentence.

    ``leaf`` is the smallest phrase over each token, ``children`` the phrases below each phrase, ``left`` and
    ``right`` the first token and the end of the subtree that a token heads. ``closing`` are marks that belong
    to the words before them, ``behind`` has each place moved behind such marks.

    ``boundaries`` are the places where a discourse unit may begin or end, in order, with both ends of the
    sentence: the edges of clauses in either tree, and the words behind a mark of punctuation. Closing marks
    belong to the unit before them, as in RST segmentation. ``openers`` has the highest token whose subtree
    begins at a place, ``clauses`` and ``clause_ends`` the largest clause that begins there, or ends there
    with its closing marks.
    """

    start: int
    words: tuple[str, ...]  # small letters
    forms: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    links: tuple[str, ...]
    depths: tuple[int, ...]
    dependents: tuple[tuple[int, ...], ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    labels: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    parents: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    leaf: tuple[int, ...]
    closing: tuple[bool, ...]
    behind: tuple[int, ...]
    boundaries: tuple[int, ...]
    openers: dict[int, int]
    clauses: dict[int, str]
    clause_ends: dict[int, str]

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


def read_sentence(document: Document, number: int) -> ParsedSentence:
    """Lay out one sentence of a document; LayerError where it has no tags, phrases or dependencies."""
    sentence = document.sentences[number]
    phrases, links = sentence.constituents, sentence.dependencies
    if phrases is None or links is None:
        lacking = "phrases" if phrases is None else "dependencies"
        raise LayerError(
            f"Sentence {number + 1} of '{document.id}' has no {lacking}.",
            hint="Annotate the document with constituents and dependencies first.",
        )
    tokens = document.tokens[sentence.start : sentence.end]
    length = len(tokens)
    heads = links.heads
    dependents: list[list[int]] = [[] for _ in range(length)]
    for token, head in enumerate(heads):
        if head >= 0:
            dependents[head].append(token)
    depths = depths_below_root(heads)
    closing = tuple([_closes(token) for token in tokens])
    behind = list(range(length + 1))
    for place in range(length - 1, 0, -1):
        if closing[place]:
            behind[place] = behind[place + 1]
    left, right = list(range(length)), list(range(1, length + 1))
    for token in sorted(range(length), key=lambda token: -depths[token]):
        head = heads[token]
        # A comma before a clause hangs on the clause's head, but the clause begins behind it.
        if head >= 0 and not (links.labels[token] == "punct" and token < head and closing[token]):
            left[head] = min(left[head], left[token])
            right[head] = max(right[head], right[token])
    leaf = [0] * length
    children: list[list[int]] = [[] for _ in phrases.labels]
    for node, parent in enumerate(phrases.parents):
        start, end = phrases.starts[node], phrases.ends[node]
        leaf[start:end] = [node] * (end - start)
        if parent >= 0:
            children[parent].append(node)
    forms = tuple([token.text for token in tokens])
    words = tuple([form.lower() for form in forms])
    tags = tuple([token.tag for token in tokens])
    places = {0, length}
    clauses: dict[int, str] = {}
    clause_ends: dict[int, str] = {}
    for label, start, end in zip(phrases.labels, phrases.starts, phrases.ends, strict=True):
        if label in CLAUSES:
            places.update((start, end))
            clauses.setdefault(start, label)
            clause_ends.setdefault(behind[end], label)
    openers: dict[int, int] = {}
    for token, link in enumerate(links.labels):
        if link in CLAUSE_LINKS:
            places.update((left[token], right[token]))
        other = openers.get(left[token])
        if other is None or depths[token] < depths[other]:
            openers[left[token]] = token
    for token in range(1, length):
        after_mark = tags[token - 1] in CLOSING or words[token - 1] in CLOSING_WORDS
        if after_mark or tags[token] in (":", "-LRB-", "``"):
            places.add(token)
    return ParsedSentence(
        start=sentence.start,
        words=words,
        forms=forms,
        tags=tags,
        heads=heads,
        links=links.labels,
        depths=depths,
        dependents=tuple(map(tuple, dependents)),
        left=tuple(left),
        right=tuple(right),
        labels=phrases.labels,
        starts=phrases.starts,
        ends=phrases.ends,
        parents=phrases.parents,
        children=tuple(map(tuple, children)),
        leaf=tuple(leaf),
        closing=closing,
        behind=tuple(behind),
        boundaries=tuple(sorted({behind[place] for place in places})),
        openers=openers,
        clauses=clauses,
        clause_ends=clause_ends,
    )


def _closes(token: Token) -> bool:
    return token.text in CLOSING_WORDS or (token.tag in CLOSING and token.text not in DASHES)
