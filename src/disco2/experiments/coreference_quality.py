"""Automatic coreference against gold: chains, aligned mention pairs, shared entities as in the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from disco2.data import Document, Relation, RelationKind
from disco2.data.tree import MentionIndexes, aligned_pairs
from disco2.evaluation.coreference import AlignedPairs, CoreferenceScores, Score, score_aligned_pairs
from disco2.training.annotators.coreference import coreference_scores


@dataclass(frozen=True, slots=True)
class CoreferenceQuality:
    """Figures over one part of a corpus."""

    chains: CoreferenceScores
    heads: AlignedPairs  # pairs of mentions that agree in their heads
    spans: AlignedPairs  # pairs that agree in all their words

    def to_json(self) -> dict[str, Any]:
        return {
            "chains": {
                "mentions": _score(self.chains.mentions),
                "muc": _score(self.chains.muc),
                "b_cubed": _score(self.chains.b_cubed),
                "ceaf": _score(self.chains.ceaf),
                "mean": self.chains.mean,
            },
            "aligned_pairs": {"heads": _pairs(self.heads), "spans": _pairs(self.spans)},
            "relations": self.heads.relations,
            "shared_entities": {
                "gold": self.heads.gold_share,
                "automatic": self.heads.automatic_share,
                "both": self.heads.common_relations / self.heads.relations if self.heads.relations else 0.0,
            },
        }


def coreference_quality(
    gold: Mapping[str, Document],
    automatic: Mapping[str, Document],
    relations: Sequence[Relation],
    *,
    automatic_relations: Sequence[Relation] | None = None,
) -> CoreferenceQuality:
    """Compare the mentions of documents with the same ids and texts, on the implicit relations among them.

    ``automatic_relations`` are the same relations, in the same order, on the automatic documents' tokens;
    without them those are the gold ones. Relations of documents that are not in both are left out.
    """
    places, automatic_places = MentionIndexes(), MentionIndexes()
    pairs: dict[bool, list[tuple[set[Any], set[Any]]]] = {False: [], True: []}
    others = relations if automatic_relations is None else automatic_relations
    for relation, other in zip(relations, others, strict=True):
        name = relation.document
        if relation.kind is not RelationKind.IMPLICIT or name not in gold or name not in automatic:
            continue
        right, found = gold[name], automatic[name]
        for whole, listed in pairs.items():
            listed.append(
                (
                    aligned_pairs(right, relation, places.of(right), whole=whole),
                    aligned_pairs(found, other, automatic_places.of(found), whole=whole),
                )
            )
    names = [name for name in gold if name in automatic]
    return CoreferenceQuality(
        coreference_scores([gold[name] for name in names], [automatic[name] for name in names]),
        heads=score_aligned_pairs(pairs[False]),
        spans=score_aligned_pairs(pairs[True]),
    )


def _score(score: Score) -> dict[str, float]:
    return {"precision": score.precision, "recall": score.recall, "f1": score.f1}


def _pairs(pairs: AlignedPairs) -> dict[str, float]:
    return {
        "precision": pairs.precision,
        "recall": pairs.recall,
        "f1": pairs.f1,
        "gold": pairs.gold,
        "automatic": pairs.automatic,
    }
