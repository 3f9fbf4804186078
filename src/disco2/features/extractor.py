"""Selected surface features: fitted on training relations, found again in any others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.data import Argument, Document, Instance
from disco2.errors import BundleError, SettingsError
from disco2.features.clauses import TEXT_FAMILIES
from disco2.features.pairs_and_rules import (
    CONTEXT_NAMES,
    argument_dependency_rules,
    argument_productions,
    argument_stems,
    context,
    first_words,
    pair_candidates,
    sided_rules,
)
from disco2.features.selection import class_membership, collect, select
from disco2.settings import Settings, setting


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
    layout: bool = setting(False, "order, distance and extent of the arguments")
    overlap: bool = setting(False, "how many words the arguments share, and how long they are")


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of features. The setting of the same name says how many to keep, or whether to use it.

    A feature is a tuple of the types in ``row``, or a text if there are none. Of a ``scored`` family, the
    frequent features that tell most about the classes are kept, best first; of the others all frequent ones,
    sorted.
    """

    find: Callable[[Instance, FeatureSettings], Set[Any]]
    name: Callable[[Any], str]
    readable: Callable[[Any], str] = str
    row: tuple[type, ...] = ()
    scored: bool = True


def _rules(rules_of: Callable[[Document, Argument], set[str]]) -> Family:
    return Family(
        find=lambda instance, _: sided_rules(instance, rules_of),
        name=lambda rule: f"{rule[0]}:{rule[1]}",
        readable=lambda rule: f"{rule[1]} in {'both arguments' if rule[0] == 'both' else rule[0]}",
        row=(str, str),
    )


def _texts(family: str, find: Callable[[Instance], Set[str]], *, scored: bool) -> Family:
    def find_in(instance: Instance, _: FeatureSettings) -> Set[str]:
        if not (instance.relation.arg1.tokens and instance.relation.arg2.tokens):
            return frozenset()  # data.tree raises an error for such a relation
        return find(instance)

    return Family(find_in, lambda text: f"{family}:{text}", scored=scored)


FAMILIES = {  # in the order of their columns; the context comes last
    "word_pairs": Family(
        find=lambda *_: frozenset(),  # there are millions: see ``pair_candidates``
        name=lambda pair: f"pair:{pair[0]}|{pair[1]}",
        readable=lambda pair: f"stem '{pair[0]}' in arg1, '{pair[1]}' in arg2",
        row=(str, str),
    ),
    "production_rules": _rules(argument_productions),
    "dependency_rules": _rules(argument_dependency_rules),
    "first_words": Family(
        find=lambda instance, settings: first_words(instance, settings.first_words),
        name=lambda found: f"first:{found[0]}[{found[1]}]={found[2]}",
        readable=lambda found: f"word {found[1]} of {found[0]} is '{found[2]}'",
        row=(str, int, str),
        scored=False,
    ),
    **{name: _texts(name, find, scored=scored) for name, (find, scored) in TEXT_FAMILIES.items()},
}


@dataclass(frozen=True)
class FeatureExtractor:
    """The features that were kept, by family; all six context features are kept if they are wanted."""

    settings: FeatureSettings
    kept: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kept = {family: tuple(self.kept.get(family, ())) for family in FAMILIES}
        object.__setattr__(self, "kept", kept)

    @classmethod
    def fit(cls, instances: Sequence[Instance], settings: FeatureSettings | None = None) -> FeatureExtractor:
        """Select features on these relations and nothing else.

        A relation with several gold labels counts once for each, one without does not count. Give each
        relation once: repetitions, as in balanced training sets, would lift rare features over
        ``minimum_count``.
        """
        settings = settings or FeatureSettings()
        instances = [instance for instance in instances if instance.gold]
        membership = class_membership([instance.gold for instance in instances])
        return cls(settings, {name: _fit(name, instances, membership, settings) for name in FAMILIES})

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each column; in rare cases two columns share one."""
        names = [FAMILIES[family].name(one) for family, features in self.kept.items() for one in features]
        return (*names, *(f"context:{name}" for name in CONTEXT_NAMES if self.settings.context))

    @cached_property
    def readable_names(self) -> tuple[str, ...]:
        """For explanations: ``stem 'rain' in arg1, 'cancel' in arg2``; ``NP -> DT NN in arg1``."""
        names = [FAMILIES[family].readable(one) for family, features in self.kept.items() for one in features]
        return (*names, *(CONTEXT_NAMES if self.settings.context else ()))

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.names)

    def transform(self, instances: Sequence[Instance]) -> list[NDArray[np.int32]]:
        """The columns that are 1 for each relation, ascending; its labels are not used."""
        return [np.array(sorted(self._columns(instance)), dtype=np.int32) for instance in instances]

    def _columns(self, instance: Instance) -> list[int]:
        columns: list[int] = []
        if self.kept["word_pairs"]:
            doc, relation = instance.document, instance.relation
            second = argument_stems(doc, relation.arg2)
            for stem in self._pair_columns.keys() & argument_stems(doc, relation.arg1):
                partners = self._pair_columns[stem]
                columns.extend(partners[partner] for partner in partners.keys() & second)
        for family, column_of in self._family_columns.items():
            found = FAMILIES[family].find(instance, self.settings)
            columns.extend(column_of[feature] for feature in column_of.keys() & found)
        if self.settings.context:
            start = self.width - len(CONTEXT_NAMES)
            columns.extend(start + place for place in context(instance))
        return columns

    @cached_property
    def _pair_columns(self) -> dict[str, dict[str, int]]:
        columns: dict[str, dict[str, int]] = {}
        for column, (first, second) in enumerate(self.kept["word_pairs"]):
            columns.setdefault(first, {})[second] = column
        return columns

    @cached_property
    def _family_columns(self) -> dict[str, dict[Any, int]]:
        """The columns of all families but word pairs; only families that have any."""
        found: dict[str, dict[Any, int]] = {}
        start = 0
        for family, features in self.kept.items():
            if features and family != "word_pairs":
                found[family] = {feature: column for column, feature in enumerate(features, start)}
            start += len(features)
        return found

    def to_json(self) -> dict[str, Any]:
        """Plain lists, strings and numbers, for a JSON file."""
        return {
            "settings": asdict(self.settings),
            **{
                family: [list(feature) if FAMILIES[family].row else feature for feature in features]
                for family, features in self.kept.items()
            },
        }

    @classmethod
    def from_json(cls, data: Any) -> FeatureExtractor:
        """The extractor that ``to_json`` described; BundleError if the description is damaged."""
        if not isinstance(data, Mapping) or not isinstance(data.get("settings"), Mapping):
            raise _damaged("settings")
        known, given = {one.name for one in fields(FeatureSettings)}, data["settings"]
        # Settings that this version does not have are passed over where they were off.
        if unknown := [name for name, value in given.items() if name not in known and value]:
            raise _damaged(f"'{unknown[0]}': this version does not have it")
        try:
            settings = FeatureSettings(**{name: value for name, value in given.items() if name in known})
        except (SettingsError, TypeError) as error:
            raise _damaged("settings") from error
        return cls(settings, {name: _stored(data, name, bool(getattr(settings, name))) for name in FAMILIES})


def _fit(
    name: str, instances: Sequence[Instance], membership: NDArray[np.bool_], settings: FeatureSettings
) -> tuple[Any, ...]:
    """The features of one family to keep."""
    family, limit, least = FAMILIES[name], getattr(settings, name), settings.minimum_count
    if not limit:
        return ()
    if name == "word_pairs":
        features, presence = pair_candidates(instances, minimum_count=least)
    else:
        features, presence = collect(family.find(instance, settings) for instance in instances)
    if not family.scored:
        return tuple(sorted(features[number] for number in presence.frequent(least)))
    chosen = select(
        presence,
        membership,
        limit=limit,
        minimum_count=least,
        name=lambda number: (family.name(features[number]), features[number]),
    )
    return tuple(features[number] for number in chosen)


def _stored(data: Mapping[str, Any], name: str, wanted: bool) -> tuple[Any, ...]:
    """The features of a family, no two alike; else BundleError. It may be missing if it is not wanted."""
    row = FAMILIES[name].row
    stored = data.get(name, None if wanted else [])
    if not isinstance(stored, list) or (stored and not wanted):
        raise _damaged(name)

    def fits(one: object) -> bool:
        if row:
            return isinstance(one, list) and tuple(map(type, one)) == row
        return isinstance(one, str)

    if not all(map(fits, stored)):
        raise _damaged(name)
    found = tuple(map(tuple, stored)) if row else tuple(stored)
    if len(set(found)) < len(found):
        raise _damaged(name)
    return found


def _damaged(part: str) -> BundleError:
    return BundleError(
        f"The stored surface features have no usable {part}.",
        hint="Take a fresh copy of the model, or train it again.",
    )
