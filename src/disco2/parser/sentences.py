"""One parsed sentence, laid out for quick questions: who governs whom, which phrase holds which words.

Everything here counts tokens from the sentence's first one; ends are exclusive.
"""

from __future__ import annotations

from collections.abc import Sequence

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


class ParsedSentence:
    """The words and both trees of one sentence; LayerError where it has no phrases or dependencies.

    ``words`` are in small letters, ``links`` the labels of dependencies, ``dependents`` the tokens below each
    token, ``left`` and ``right`` the first token and the end of the subtree that a token heads. ``leaf`` is
    the smallest phrase over each token, ``children`` the phrases below each phrase. ``closing`` are marks
    that belong to the words before them, ``behind`` has each place moved behind such marks.

    ``boundaries`` are the places where a discourse unit may begin or end, in order, with both ends of the
    sentence: the edges of clauses in either tree, and the words behind a mark of punctuation. Closing marks
    belong to the unit before them, as in RST segmentation. ``openers`` has the highest token whose subtree
    begins at a place, ``clauses`` and ``clause_ends`` the largest clause that begins there, or ends there
    with its closing marks.
    """

    def __init__(self, document: Document, number: int) -> None:
        sentence = document.sentences[number]
        phrases, dependencies = sentence.constituents, sentence.dependencies
        if phrases is None or dependencies is None:
            lacking = "phrases" if phrases is None else "dependencies"
            raise LayerError(
                f"Sentence {number + 1} of '{document.id}' has no {lacking}.",
                hint="Annotate the document with constituents and dependencies first.",
            )
        tokens = document.tokens[sentence.start : sentence.end]
        length = len(tokens)
        self.start = sentence.start
        self.words = tuple([token.text.lower() for token in tokens])
        self.tags = tuple([token.tag for token in tokens])
        self.closing = tuple([_closes(token) for token in tokens])
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


def _closes(token: Token) -> bool:
    return token.text in CLOSING_WORDS or (token.tag in CLOSING and token.text not in DASHES)
