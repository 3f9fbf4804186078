"""A corpus as it was read, with an account of what was wrong in its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from disco2.records.document import Document
from disco2.records.relation import Relation


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault in a file: a kind that can be counted, the place, and what was done about it."""

    kind: str
    where: str
    detail: str


@dataclass(slots=True)
class Dirt:
    """The faults that a reader met, repaired or skipped, and survived."""

    findings: list[Finding] = field(default_factory=list)

    def add(self, kind: str, *, where: str, detail: str) -> None:
        self.findings.append(Finding(kind, where, detail))

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
    dirt: Dirt = field(default_factory=Dirt)
    automatic: tuple[str, ...] = ()
    annotators: str = ""
    notes: tuple[str, ...] = ()  # choices of the reader that a user should know
    groups: Mapping[str, str] = field(default_factory=dict)

    def sentences(self) -> Iterator[list[str]]:
        """The words of every sentence of every document."""
        for document in self.documents.values():
            for sentence in document.sentences:
                yield document.words(range(sentence.start, sentence.end))
