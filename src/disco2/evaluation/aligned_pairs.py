"""How well automatic coreference finds the pairs of mentions that align the two arguments of relations."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AlignedPairs:
    """Counts over relations: pairs of mentions, one in each argument, that share a chain."""

    relations: int
    gold: int
    automatic: int
    common: int
    gold_relations: int  # with at least one pair by the gold chains
    automatic_relations: int
    common_relations: int  # with at least one by both

    @property
    def precision(self) -> float:
        return self.common / self.automatic if self.automatic else 0.0

    @property
    def recall(self) -> float:
        return self.common / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        total = self.gold + self.automatic
        return 2 * self.common / total if total else 0.0

    @property
    def gold_share(self) -> float:
        """The share of relations with shared entities under gold coreference."""
        return self.gold_relations / self.relations if self.relations else 0.0

    @property
    def automatic_share(self) -> float:
        """The same under automatic coreference."""
        return self.automatic_relations / self.relations if self.relations else 0.0


def score_aligned_pairs(
    relations: Iterable[tuple[AbstractSet[Hashable], AbstractSet[Hashable]]],
) -> AlignedPairs:
    """Counts over relations, each given as its gold and its automatic pairs, which compare by equality."""
    listed = list(relations)
    return AlignedPairs(
        relations=len(listed),
        gold=sum(len(gold) for gold, _ in listed),
        automatic=sum(len(automatic) for _, automatic in listed),
        common=sum(len(gold & automatic) for gold, automatic in listed),
        gold_relations=sum(bool(gold) for gold, _ in listed),
        automatic_relations=sum(bool(automatic) for _, automatic in listed),
        common_relations=sum(bool(gold) and bool(automatic) for gold, automatic in listed),
    )
