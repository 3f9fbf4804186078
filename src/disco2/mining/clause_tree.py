"""The dependencies of a sentence as a tree of clauses."""

from __future__ import annotations

from disco2.data import Document, Sentence

_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_SUBJECTS = frozenset({"nsubj", "csubj", "expl"})
_QUESTION_WORDS = frozenset({"WP", "WP$", "WRB", "WDT"})
_BE = frozenset({"is", "are", "was", "were", "am", "'s", "'re", "'m", "’s", "’re", "’m"})  # noqa: RUF001
_HAVE = frozenset({"has", "have", "had", "'ve", "’ve"})  # noqa: RUF001
_QUOTES = frozenset({'"', "'", "``", "''", "“", "”", "‘", "’"})  # noqa: RUF001


class ClauseTree:
    """Heads, subjects, finite verbs, spans and tenses of a sentence with tags and dependencies.

    Tokens are counted from its first one. ``begin`` and ``stop`` are the first token and the full stop;
    quotation marks around them are left out.
    """

    def __init__(self, document: Document, sentence: Sentence) -> None:
        assert sentence.dependencies is not None  # noqa: S101  # callers annotate
        self._text = document.text
        self._tokens = document.tokens[sentence.start : sentence.end]
        self.words = tuple([token.text.lower() for token in self._tokens])
        self.tags = [token.tag for token in self._tokens]
        self.heads = sentence.dependencies.heads
        self.labels = [label.split(":")[0] for label in sentence.dependencies.labels]
        self.children: list[list[int]] = [[] for _ in self._tokens]
        for token, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(token)
        self.root = self.heads.index(-1)
        marks = [word in _QUOTES and tag != "POS" for word, tag in zip(self.words, self.tags, strict=True)]
        quotes = [token for token, is_quote in enumerate(marks) if is_quote]
        inside = [token for token, is_quote in enumerate(marks) if not is_quote]
        self.begin, self.stop = (inside[0], inside[-1]) if inside else (0, 0)
        self.has_quotes = bool(quotes)
        self.is_statement = self.words[self.stop] == "." and not any(
            self.begin < token < self.stop for token in quotes
        )

    def members(self, head: int) -> set[int]:
        """The tokens of a subtree."""
        found, waiting = {head}, [head]
        while waiting:
            below = self.children[waiting.pop()]
            found.update(below)
            waiting += below
        return found

    def main_level(self) -> set[int]:
        """The heads of the main clause and of the clauses that are coordinated with it."""
        found, waiting = {self.root}, [self.root]
        while waiting:
            for child in self.children[waiting.pop()]:
                if self.labels[child] in ("conj", "parataxis") and self.is_clause(child):
                    found.add(child)
                    waiting.append(child)
        return found

    def subject(self, head: int) -> int | None:
        """The first subject, or the expletive in its place."""
        return min(self._below(head, _SUBJECTS), default=None)

    def finite(self, head: int) -> int | None:
        """The token that makes a clause finite: the head, an auxiliary or a copula."""
        verbs = [head, *self._below(head, {"aux", "cop"})]
        return min((token for token in verbs if self.tags[token] in _FINITE), default=None)

    def is_clause(self, head: int) -> bool:
        """Whether it has a subject and a finite verb."""
        return self.finite(head) is not None and self.subject(head) is not None

    def is_complete(self, head: int, start: int, end: int) -> bool:
        """Whether these tokens have the head's subject, behind it its finite verb, and are no question."""
        subject, finite = self.subject(head), self.finite(head)
        if subject is None or finite is None or not start <= subject < finite < end:
            return False
        asked = self.members(subject) | {start}
        return not any(self.tags[token] in _QUESTION_WORDS for token in asked)

    def tense(self, head: int) -> str:
        """``modal``, ``past`` or ``present``."""
        finite = self.finite(head)
        tag = "" if finite is None else self.tags[finite]
        return {"MD": "modal", "VBD": "past"}.get(tag, "present")

    def is_progressive(self, head: int) -> bool:
        """As in "was going"; neither "has been going" nor "is going to rain"."""
        if self.words[head] == "going" and self._below(head, {"xcomp"}):
            return False
        finite = self.finite(head)
        return self.tags[head] == "VBG" and finite is not None and self.words[finite] in _BE

    def is_perfect(self, head: int) -> bool:
        return any(self.words[child] in _HAVE for child in self._below(head, {"aux"}))

    def is_stative(self, head: int) -> bool:
        return bool(self._below(head, {"cop"})) or self.words[head] in _BE | _HAVE

    def span(self, tokens: set[int]) -> tuple[int, int] | None:
        """From the first word to behind the last; None if other words are between them."""
        words = [token for token in tokens if self._is_word(token)]
        if not words:
            return None
        start, end = min(words), max(words) + 1
        if any(token not in tokens and self._is_word(token) for token in range(start, end)):
            return None
        while end in tokens and (self.words[end] == "%" or self.tags[end] == "POS"):
            end += 1
        return start, end

    def text(self, start: int, end: int) -> str:
        """The text of some tokens, with single spaces."""
        return " ".join(self._text[self._tokens[start].start : self._tokens[end - 1].end].split())

    def _below(self, head: int, labels: set[str] | frozenset[str]) -> list[int]:
        return [child for child in self.children[head] if self.labels[child] in labels]

    def _is_word(self, token: int) -> bool:
        return any(map(str.isalnum, self.words[token]))
