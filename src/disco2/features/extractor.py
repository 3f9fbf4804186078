"""Selected surface features: fitted on training relations, found again in any others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from disco2.features.context import CONTEXT_NAMES, context
from disco2.features.counted import (
    COUNTED_FAMILIES,
    FREQUENT_FAMILIES,
    INFORMATIVE_FAMILIES,
    frequent_features,
    informative_features,
)
from disco2.features.dependency_rules import argument_dependency_rules
from disco2.features.first_words import FirstWord, first_words
from disco2.features.matrix import FeatureMatrix
from disco2.features.productions import argument_productions
from disco2.features.selection import Presence, class_membership, select
from disco2.features.settings import FeatureSettings
from disco2.features.stored_rows import stored_rows, stored_settings, stored_texts
from disco2.features.three_way import RulesOf, SidedRule, columns_by_side, rule_candidates, rules_by_side
from disco2.features.word_pairs import WordPair, argument_stems, pair_candidates
from disco2.records import Instance


@dataclass(frozen=True)
class FeatureExtractor:
    """The features that were kept, in the order of their columns: family by family, best first in each.

    First words, neighbouring relations, layout and overlap are not scored, only counted, and stand in
    alphabetical order; all six context features are kept.
    """

    settings: FeatureSettings
    word_pairs: tuple[WordPair, ...] = ()
    production_rules: tuple[SidedRule, ...] = ()
    dependency_rules: tuple[SidedRule, ...] = ()
    first_words: tuple[FirstWord, ...] = ()
    predicates: tuple[str, ...] = ()
    attachment: tuple[str, ...] = ()
    openings: tuple[str, ...] = ()
    neighbouring_relations: tuple[str, ...] = ()
    layout: tuple[str, ...] = ()
    overlap: tuple[str, ...] = ()

    @classmethod
    def fit(
        cls,
        instances: Sequence[Instance],
        settings: FeatureSettings | None = None,
    ) -> FeatureExtractor:
        """Select features on these relations and nothing else.

        A relation with several gold labels counts once for each, one without does not count. Give each
        relation once: repetitions, as in balanced training sets, would lift rare features over
        ``minimum_count``.
        """
        settings = settings or FeatureSettings()
        instances = [instance for instance in instances if instance.gold]
        membership = class_membership([instance.gold for instance in instances])
        least = settings.minimum_count

        def best(
            candidates: Sequence[tuple[str, str]],
            presence: Presence,
            limit: int,
            name: Callable[[tuple[str, str]], str],
        ) -> tuple[tuple[str, str], ...]:
            chosen = select(
                presence,
                membership,
                limit=limit,
                minimum_count=least,
                name=lambda number: (name(candidates[number]), *candidates[number]),
            )
            return tuple(candidates[number] for number in chosen)

        def best_rules(limit: int, rules_of: RulesOf) -> tuple[SidedRule, ...]:
            return best(*rule_candidates(instances, rules_of), limit, _rule_name) if limit else ()

        def best_pairs(limit: int) -> tuple[WordPair, ...]:
            return best(*pair_candidates(instances, minimum_count=least), limit, _pair_name) if limit else ()

        first = Counter(
            word for instance in instances for word in first_words(instance, settings.first_words)
        )
        return cls(
            settings=settings,
            word_pairs=best_pairs(settings.word_pairs),
            production_rules=best_rules(settings.production_rules, argument_productions),
            dependency_rules=best_rules(settings.dependency_rules, argument_dependency_rules),
            first_words=tuple(sorted(word for word, count in first.items() if count >= least)),
            **{
                family: informative_features(
                    instances,
                    membership,
                    features_of,
                    limit=getattr(settings, family),
                    minimum_count=least,
                )
                for family, features_of in INFORMATIVE_FAMILIES.items()
            },
            **{
                family: frequent_features(
                    instances, features_of, wanted=getattr(settings, family), minimum_count=least
                )
                for family, features_of in FREQUENT_FAMILIES.items()
            },
        )

    @property
    def counted(self) -> dict[str, tuple[str, ...]]:
        """The features of each family of texts, in the order of their columns."""
        return {family: getattr(self, family) for family in COUNTED_FAMILIES}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A readable name for each column, for people: two columns could share one in odd texts."""
        return (
            *(_pair_name(pair) for pair in self.word_pairs),
            *(_rule_name(rule) for rule in self.production_rules),
            *(_rule_name(rule) for rule in self.dependency_rules),
            *(f"first:{side}[{place}]={word}" for side, place, word in self.first_words),
            *(f"{family}:{feature}" for family, features in self.counted.items() for feature in features),
            *(f"context:{name}" for name in CONTEXT_NAMES if self.settings.context),
        )

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.names)

    def transform(self, instances: Sequence[Instance]) -> FeatureMatrix:
        """The features of each relation; its labels are not looked at."""
        return FeatureMatrix.from_rows([self._columns(instance) for instance in instances], self.width)

    def _columns(self, instance: Instance) -> list[int]:
        columns: list[int] = []
        if self._pair_columns:
            doc, relation = instance.document, instance.relation
            second = argument_stems(doc, relation.arg2)
            for stem in self._pair_columns.keys() & argument_stems(doc, relation.arg1):
                partners = self._pair_columns[stem]
                columns.extend(partners[partner] for partner in partners.keys() & second)
        for table, rules_of in (
            (self._production_columns, argument_productions),
            (self._dependency_columns, argument_dependency_rules),
        ):
            if any(table):
                for column_of, rules in zip(table, rules_by_side(instance, rules_of), strict=True):
                    columns.extend([column_of[rule] for rule in column_of.keys() & rules])
        if self._first_word_columns:
            opening = first_words(instance, self.settings.first_words)
            columns.extend(
                self._first_word_columns[word] for word in opening if word in self._first_word_columns
            )
        for family, columns_of in self._counted_columns.items():
            found = COUNTED_FAMILIES[family](instance)
            columns.extend(columns_of[feature] for feature in columns_of.keys() & found)
        if self.settings.context:
            start = self.width - len(CONTEXT_NAMES)
            columns.extend(start + place for place in context(instance))
        return columns

    @cached_property
    def _pair_columns(self) -> dict[str, dict[str, int]]:
        columns: dict[str, dict[str, int]] = {}
        for column, (first, second) in enumerate(self.word_pairs):
            columns.setdefault(first, {})[second] = column
        return columns

    @cached_property
    def _production_columns(self) -> list[dict[str, int]]:
        return columns_by_side(self.production_rules, start=len(self.word_pairs))

    @cached_property
    def _dependency_columns(self) -> list[dict[str, int]]:
        start = len(self.word_pairs) + len(self.production_rules)
        return columns_by_side(self.dependency_rules, start=start)

    @cached_property
    def _first_word_columns(self) -> dict[FirstWord, int]:
        start = len(self.word_pairs) + len(self.production_rules) + len(self.dependency_rules)
        return {word: column for column, word in enumerate(self.first_words, start)}

    @cached_property
    def _counted_columns(self) -> dict[str, dict[str, int]]:
        """Only families that have any."""
        start = len(self.word_pairs) + len(self.production_rules)
        start += len(self.dependency_rules) + len(self.first_words)
        columns: dict[str, dict[str, int]] = {}
        for family, features in self.counted.items():
            if features:
                columns[family] = {feature: column for column, feature in enumerate(features, start)}
                start += len(features)
        return columns

    def to_json(self) -> dict[str, Any]:
        """Plain lists, strings and numbers, for a JSON file."""
        return {
            "settings": asdict(self.settings),
            "word_pairs": [list(pair) for pair in self.word_pairs],
            "production_rules": [list(rule) for rule in self.production_rules],
            "dependency_rules": [list(rule) for rule in self.dependency_rules],
            "first_words": [list(word) for word in self.first_words],
            **{family: list(features) for family, features in self.counted.items()},
        }

    @classmethod
    def from_json(cls, data: Any) -> FeatureExtractor:
        """The extractor that ``to_json`` described; BundleError where the description is damaged."""
        settings = stored_settings(data)
        return cls(
            settings=settings,
            word_pairs=stored_rows(data, "word_pairs", str, str),
            production_rules=stored_rows(data, "production_rules", str, str),
            dependency_rules=stored_rows(data, "dependency_rules", str, str),
            first_words=stored_rows(data, "first_words", str, int, str),
            **{
                family: stored_texts(data, family, wanted=bool(getattr(settings, family)))
                for family in COUNTED_FAMILIES
            },
        )


def _pair_name(pair: WordPair) -> str:
    return f"pair:{pair[0]}|{pair[1]}"


def _rule_name(rule: SidedRule) -> str:
    return f"{rule[0]}:{rule[1]}"
