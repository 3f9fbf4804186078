"""Selected surface features: fitted on training relations, found again in any others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.data import Instance
from disco2.errors import BundleError, SettingsError
from disco2.features.descriptions import FREQUENT_FAMILIES, INFORMATIVE_FAMILIES, TEXT_FAMILIES
from disco2.features.pairs_and_rules import (
    CONTEXT_NAMES,
    FirstWord,
    SidedRule,
    WordPair,
    argument_stems,
    context,
    dependency_rules,
    first_words,
    pair_candidates,
    production_rules,
)
from disco2.features.selection import class_membership, frequent_features, informative_features, select
from disco2.settings import Settings, setting

RULE_FAMILIES = {"production_rules": production_rules, "dependency_rules": dependency_rules}
FAMILIES: dict[str, Callable[[Instance], Set[Any]]] = {**RULE_FAMILIES, **TEXT_FAMILIES}


@dataclass(frozen=True)
class FeatureSettings(Settings):
    """How many features of each family to keep; the defaults are those of Lin, Kan & Ng (2009)."""

    word_pairs: int = setting(500, "pairs of stems, one from each argument, to keep", minimum=0)
    production_rules: int = setting(100, "rules of the constituent trees to keep", minimum=0)
    dependency_rules: int = setting(100, "rules of the dependency trees to keep", minimum=0)
    minimum_count: int = setting(5, "features in fewer training relations than this are dropped", minimum=1)
    context: bool = setting(True, "six features on how the neighbouring relations touch this one")
    first_words: int = setting(
        0, "first lower-cased words of each argument as features; 0: none, 3 is useful", minimum=0
    )
    predicates: int = setting(
        0,
        "features on tense, negation, subject and dependents of each argument's main predicate to keep; "
        "0: none, 300 is useful",
        minimum=0,
    )
    attachment: int = setting(
        0,
        "features on how the arguments' heads hang in the dependency trees to keep; 0: none, 200 is useful",
        minimum=0,
    )
    openings: int = setting(
        0,
        "features on the first words and tags of each argument and of the two together to keep; "
        "0: none, 300 is useful",
        minimum=0,
    )
    neighbouring_relations: bool = setting(
        False, "which arguments of the relations before and after overlap with these"
    )
    layout: bool = setting(False, "order, distance and extent of the arguments")
    overlap: bool = setting(False, "how many words the arguments share, and how long they are")


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMatrix:
    """The columns that are 1 in each row: row i has ``indices[indptr[i] : indptr[i + 1]]``, ascending."""

    indptr: NDArray[np.int64]  # [rows + 1]
    indices: NDArray[np.int32]  # [ones]
    width: int

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[int]], width: int) -> FeatureMatrix:
        """From the columns of each row, in any order, each once."""
        indptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=indptr[1:])
        indices = np.array([column for row in rows for column in sorted(row)], dtype=np.int32)
        return cls(indptr, indices, width)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def row(self, row: int) -> NDArray[np.int32]:
        """The columns that are 1 in a row."""
        return self.indices[self.indptr[row] : self.indptr[row + 1]]


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

        word_pairs: tuple[WordPair, ...] = ()
        if settings.word_pairs:
            pairs, presence = pair_candidates(instances, minimum_count=least)
            chosen = select(
                presence,
                membership,
                limit=settings.word_pairs,
                minimum_count=least,
                name=lambda number: (_pair_name(pairs[number]), *pairs[number]),
            )
            word_pairs = tuple(pairs[number] for number in chosen)

        def best_rules(family: str) -> tuple[SidedRule, ...]:
            return informative_features(
                instances,
                membership,
                RULE_FAMILIES[family],
                limit=getattr(settings, family),
                minimum_count=least,
                name=lambda rule: (_rule_name(rule), *rule),
            )

        return cls(
            settings=settings,
            word_pairs=word_pairs,
            production_rules=best_rules("production_rules"),
            dependency_rules=best_rules("dependency_rules"),
            first_words=frequent_features(
                instances, lambda instance: first_words(instance, settings.first_words), minimum_count=least
            ),
            **{
                family: informative_features(
                    instances,
                    membership,
                    features_of,
                    limit=getattr(settings, family),
                    minimum_count=least,
                    name=lambda feature: (feature,),
                )
                for family, features_of in INFORMATIVE_FAMILIES.items()
            },
            **{
                family: frequent_features(instances, features_of, minimum_count=least)
                for family, features_of in FREQUENT_FAMILIES.items()
                if getattr(settings, family)
            },
        )

    @property
    def texts(self) -> dict[str, tuple[str, ...]]:
        """The features of each family of texts, in the order of their columns."""
        return {family: getattr(self, family) for family in TEXT_FAMILIES}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A readable name for each column; in rare cases two columns share one."""
        return (
            *(_pair_name(pair) for pair in self.word_pairs),
            *(_rule_name(rule) for rule in self.production_rules),
            *(_rule_name(rule) for rule in self.dependency_rules),
            *(f"first:{side}[{place}]={word}" for side, place, word in self.first_words),
            *(f"{family}:{feature}" for family, features in self.texts.items() for feature in features),
            *(f"context:{name}" for name in CONTEXT_NAMES if self.settings.context),
        )

    @cached_property
    def readable_names(self) -> tuple[str, ...]:
        """For explanations: ``stem 'rain' in arg1, 'cancel' in arg2``; ``NP -> DT NN in arg1``."""
        sides = {"both": "both arguments"}
        return (
            *(f"stem '{first}' in arg1, '{second}' in arg2" for first, second in self.word_pairs),
            *(
                f"{rule} in {sides.get(side, side)}"
                for side, rule in (*self.production_rules, *self.dependency_rules)
            ),
            *(f"word {place} of {side} is '{word}'" for side, place, word in self.first_words),
            *(feature for features in self.texts.values() for feature in features),
            *(CONTEXT_NAMES if self.settings.context else ()),
        )

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.names)

    def transform(self, instances: Sequence[Instance]) -> FeatureMatrix:
        """The features of each relation; its labels are not used."""
        return FeatureMatrix.from_rows([self._columns(instance) for instance in instances], self.width)

    def _columns(self, instance: Instance) -> list[int]:
        columns: list[int] = []
        if self._pair_columns:
            doc, relation = instance.document, instance.relation
            second = argument_stems(doc, relation.arg2)
            for stem in self._pair_columns.keys() & argument_stems(doc, relation.arg1):
                partners = self._pair_columns[stem]
                columns.extend(partners[partner] for partner in partners.keys() & second)
        for family, columns_of in self._family_columns.items():
            if family == "first_words":
                found: Any = first_words(instance, self.settings.first_words)
            else:
                found = FAMILIES[family](instance)
            columns.extend([columns_of[feature] for feature in columns_of.keys() & found])
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
    def _family_columns(self) -> dict[str, dict[Any, int]]:
        """The columns of all families but word pairs; only families that have any."""
        found: dict[str, dict[Any, int]] = {}
        start = len(self.word_pairs)
        for family in (*RULE_FAMILIES, "first_words", *TEXT_FAMILIES):
            features = getattr(self, family)
            if features:
                found[family] = {feature: column for column, feature in enumerate(features, start)}
            start += len(features)
        return found

    def to_json(self) -> dict[str, Any]:
        """Plain lists, strings and numbers, for a JSON file."""
        return {
            "settings": asdict(self.settings),
            "word_pairs": [list(pair) for pair in self.word_pairs],
            "production_rules": [list(rule) for rule in self.production_rules],
            "dependency_rules": [list(rule) for rule in self.dependency_rules],
            "first_words": [list(word) for word in self.first_words],
            **{family: list(features) for family, features in self.texts.items()},
        }

    @classmethod
    def from_json(cls, data: Any) -> FeatureExtractor:
        """The extractor that ``to_json`` described; BundleError if the description is damaged."""
        settings = stored_settings(data)
        return cls(
            settings=settings,
            word_pairs=stored_rows(data, "word_pairs", str, str),
            production_rules=stored_rows(data, "production_rules", str, str),
            dependency_rules=stored_rows(data, "dependency_rules", str, str),
            first_words=stored_rows(data, "first_words", str, int, str),
            **{
                family: stored_texts(data, family, wanted=bool(getattr(settings, family)))
                for family in TEXT_FAMILIES
            },
        )


def _pair_name(pair: WordPair) -> str:
    return f"pair:{pair[0]}|{pair[1]}"


def _rule_name(rule: SidedRule) -> str:
    return f"{rule[0]}:{rule[1]}"


def stored_rows(data: Mapping[str, Any], family: str, *types: type) -> tuple[tuple[Any, ...], ...]:
    """The rows of a family, each a list of values of the given types, no two alike; else BundleError."""
    rows = data.get(family)
    if not isinstance(rows, list):
        raise _damaged(family)
    for row in rows:
        if not isinstance(row, list) or [type(value) for value in row] != list(types):
            raise _damaged(family)
    found = tuple(tuple(row) for row in rows)
    if len(set(found)) < len(found):
        raise _damaged(family)
    return found


def stored_texts(data: Mapping[str, Any], family: str, *, wanted: bool) -> tuple[str, ...]:
    """The texts of a family, no two alike; else BundleError. It may be missing if it is not wanted."""
    texts = data.get(family, None if wanted else [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise _damaged(family)
    if len(set(texts)) < len(texts) or (texts and not wanted):
        raise _damaged(family)
    return tuple(texts)


def stored_settings(data: Any) -> FeatureSettings:
    """The settings of a stored extractor; BundleError if they are missing or invalid."""
    if not isinstance(data, Mapping) or not isinstance(data.get("settings"), Mapping):
        raise _damaged("settings")
    try:
        return FeatureSettings(**data["settings"])
    except (SettingsError, TypeError) as error:
        raise _damaged("settings") from error


def _damaged(part: str) -> BundleError:
    return BundleError(
        f"The stored surface features have no usable {part}.",
        hint="Take a fresh copy of the model, or train it again.",
    )
