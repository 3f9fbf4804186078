"""What a corpus holds: relations by kind, sense and part, shared entities, what was dropped and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from disco2.data import Corpus, RelationKind
from disco2.data.tree import shared_entities
from disco2.errors import CorpusError
from disco2.experiments.division import Parts

FINDINGS_SHOWN = 20


@dataclass(frozen=True)
class PartStatistics:
    """Counts over one part of a corpus."""

    documents: int
    kinds: Counter[str]
    senses: Counter[str]  # of the implicit relations, at the task's level
    implicit: int
    with_shared_entities: int
    kept: int  # of the kinds that count for the task
    dropped: Counter[str]  # of the same kinds, by reason

    def to_json(self) -> dict[str, Any]:
        return {
            "documents": self.documents,
            "relations": dict(self.kinds.most_common()),
            "implicit": self.implicit,
            "shared_entities": self.with_shared_entities / self.implicit if self.implicit else None,
            "senses": dict(self.senses.most_common()),
            "kept": self.kept,
            "dropped": dict(self.dropped.most_common()),
        }


@dataclass(frozen=True)
class CorpusStatistics:
    """Counts over all parts, and what was wrong in the files."""

    corpus: Corpus
    protocol: str
    labels: tuple[str, ...]
    parts: dict[str, PartStatistics]

    def to_json(self) -> dict[str, Any]:
        findings = self.corpus.dirt.findings
        return {
            "corpus": self.corpus.name,
            "protocol": self.protocol,
            "documents": len(self.corpus.documents),
            "relations": len(self.corpus.relations),
            "labels": list(self.labels),
            "splits": {part: statistics.to_json() for part, statistics in self.parts.items()},
            "dirt": dict(self.corpus.dirt.counts().most_common()),
            "findings": [
                {"kind": finding.kind, "where": finding.where, "detail": finding.detail}
                for finding in findings[:FINDINGS_SHOWN]
            ],
            "notes": list(self.corpus.notes),
        }


def corpus_statistics(corpus: Corpus, parts: Parts, *, only: str = "") -> CorpusStatistics:
    """Counts by part; ``only`` one of them where it is named."""
    if only and only not in parts.relations:
        raise CorpusError(
            f"The protocol '{parts.protocol}' has no part '{only}'.",
            where=corpus.name,
            hint=f"Its parts are: {', '.join(parts.relations)}.",
        )
    chosen = [only] if only else [part for part, relations in parts.relations.items() if relations]
    found = {part: _part(corpus, parts, part) for part in chosen}
    return CorpusStatistics(corpus, parts.protocol, parts.labels, found)


def _part(corpus: Corpus, parts: Parts, part: str) -> PartStatistics:
    relations = parts.relations[part]
    counted = [relation for relation in relations if relation.kind is RelationKind.IMPLICIT]
    return PartStatistics(
        documents=len({relation.document for relation in relations}),
        kinds=Counter(str(relation.kind) for relation in relations),
        senses=Counter(label for relation in counted for label in parts.task.labels_of(relation)),
        implicit=len(counted),
        with_shared_entities=sum(shared_entities(corpus.documents, counted)),
        kept=len(parts.instances[part]),
        dropped=parts.dropped[part],
    )
