"""Surface features of relations: selected on training relations, found again in any others.

Features are selected by mutual information with the classes, or all frequent ones are kept.
``ExampleEncoder`` turns relations into examples, in the same way for training and for prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.data import Argument, Document, Instance
from disco2.data.batch import Example, Ints, encode_argument, encode_links
from disco2.data.tree import MentionIndex, MentionIndexes, argument_tree, entity_links
from disco2.features.clauses import TEXT_FAMILIES
from disco2.features.pairs_and_rules import (
    CONTEXT_NAMES,
    Presence,
    argument_dependency_rules,
    argument_productions,
    argument_stems,
    context,
    first_words,
    pair_candidates,
    sided_rules,
)
from disco2.settings import Settings, setting


def mutual_information(joint: NDArray[np.int64], classes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mutual information, in bits, between the presence of each feature and each class against the rest.

        I(f, c) = sum over present/absent i and class/other j of  n_ij / N * log2(n_ij N / (n_i. n_.j))

    ``joint`` [features, classes] counts the training instances of a class that have the feature, ``classes``
    [classes] all instances of the class; an instance has one class. Returns [features, classes].

    With T(n) = n log2 n the sum is N I = sum T(n_ij) - sum T(n_i.) - sum T(n_.j) + T(N). All counts are whole
    numbers up to N, so T is a table, and equal counts give equal scores to the last bit on every processor.
    """
    total = int(classes.sum())
    if total == 0:
        return np.zeros(joint.shape)
    n = np.arange(total + 1, dtype=np.float64)
    t = n * np.log2(np.maximum(n, 1))
    present = joint.sum(axis=1, keepdims=True)
    cells = t[joint] + t[present - joint] + t[classes - joint] + t[total - present - classes + joint]
    margins = t[present] + t[total - present] + t[classes] + t[total - classes]
    information: NDArray[np.float64] = np.maximum((cells - margins + t[total]) / total, 0.0)
    return information


def select(
    presence: Presence,
    frequent: NDArray[np.int64],
    membership: NDArray[np.bool_],
    *,
    limit: int,
    name: Callable[[int], tuple[Any, ...]],
) -> list[int]:
    """Of the frequent candidates those with the best scores, best first; equal ones in the order of names.

    A candidate's score is its largest mutual information with any class, rounded to 12 decimals so that
    rounding errors do not decide ties. A relation with several labels counts once for each of them, as it
    does in training. ``membership`` [classes, relations] says which classes a relation has.
    """
    if not len(frequent):
        return []
    place = np.full(presence.count, -1)
    place[frequent] = np.arange(len(frequent))
    places = place[presence.candidates]
    relations = presence.relations[places >= 0]
    places = places[places >= 0]

    joint = np.stack(
        [np.bincount(places[members[relations]], minlength=len(frequent)) for members in membership], axis=1
    )
    scores = mutual_information(joint, membership.sum(axis=1)).max(axis=1).round(12)
    # Names are spelled out for those alone that may be among the best.
    limit = min(limit, len(scores))
    worst = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    contenders = [(-scores[place], int(frequent[place])) for place in np.flatnonzero(scores >= worst)]
    return [number for _, number in sorted(contenders, key=lambda one: (one[0], name(one[1])))[:limit]]


def collect(found: Iterable[Set[Any]]) -> tuple[list[Any], Presence]:
    """Number the features of all relations, given those of each; which relation has which."""
    numbers: dict[Any, int] = {}
    candidates: list[int] = []
    lengths: list[int] = []
    for features in found:
        candidates.extend(numbers.setdefault(feature, len(numbers)) for feature in features)
        lengths.append(len(features))
    relations = np.repeat(np.arange(len(lengths)), lengths)
    return list(numbers), Presence(np.array(candidates, dtype=np.int64), relations, len(numbers))


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
        classes = sorted({label for instance in instances for label in instance.gold})
        membership = np.array([[name in instance.gold for instance in instances] for name in classes])
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
        for family, column_of in self._family_columns.items():
            if family == "word_pairs":
                doc, relation = instance.document, instance.relation
                second = argument_stems(doc, relation.arg2)
                for stem in column_of.keys() & argument_stems(doc, relation.arg1):
                    columns.extend(column_of[stem][partner] for partner in column_of[stem].keys() & second)
            else:
                found = FAMILIES[family].find(instance, self.settings)
                columns.extend(column_of[feature] for feature in column_of.keys() & found)
        if self.settings.context:
            start = self.width - len(CONTEXT_NAMES)
            columns.extend(start + place for place in context(instance))
        return columns

    @cached_property
    def _family_columns(self) -> dict[str, dict[Any, Any]]:
        """Feature -> column for each family that has any; of word pairs, first stem -> second -> column."""
        found: dict[str, dict[Any, Any]] = {}
        start = 0
        for family, features in self.kept.items():
            for column, feature in enumerate(features, start):
                columns = found.setdefault(family, {})
                if family == "word_pairs":
                    columns.setdefault(feature[0], {})[feature[1]] = column
                else:
                    columns[feature] = column
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
        """The extractor that ``to_json`` described; a damaged description raises errors of several kinds."""
        known = {one.name for one in fields(FeatureSettings)}
        # Settings that this version does not have are passed over where they were off.
        given = {name: value for name, value in data["settings"].items() if name in known or value}
        settings = FeatureSettings(**given)
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
    frequent = presence.frequent(least)
    if not family.scored:
        return tuple(sorted(features[number] for number in frequent))
    chosen = select(
        presence,
        frequent,
        membership,
        limit=limit,
        name=lambda number: (family.name(features[number]), features[number]),
    )
    return tuple(features[number] for number in chosen)


def _stored(data: Mapping[str, Any], name: str, wanted: bool) -> tuple[Any, ...]:
    """The features of a family, no two alike. It may be missing if it is not wanted."""
    row = FAMILIES[name].row
    stored = data[name] if wanted else data.get(name, [])
    found = tuple(tuple(one) if row else one for one in stored)
    fits = all(tuple(map(type, one)) == row if row else type(one) is str for one in found)
    if not fits or len(set(found)) < len(found) or (found and not wanted):
        raise ValueError(f"its features have no usable {name}")
    return found


UNKNOWN_WORD = 0  # the first row of every table of word vectors: zeros
REMEMBERED = 20_000  # words whose row is cached


class ExampleEncoder:
    """Knows the rows of words, the columns of features and the numbers of labels.

    ``word_row`` gives a form's row in the table of word vectors. Entity links are computed only
    ``with_entities``; without an extractor no feature fires.
    """

    def __init__(
        self,
        *,
        word_row: Callable[[str], int],
        labels: Sequence[str],
        extractor: FeatureExtractor | None,
        with_entities: bool,
    ) -> None:
        self._word_row = lru_cache(maxsize=REMEMBERED)(word_row)
        self._label_numbers = {label: number for number, label in enumerate(labels)}
        self._extractor = extractor
        self._with_entities = with_entities

    def encode(self, instances: Sequence[Instance]) -> list[Example]:
        """One example for each instance, in order; its label is the first gold one.

        Instances that differ in label and weight alone, as in balanced training sets, share their arrays.
        """

        def key(instance: Instance) -> tuple[int, ...]:
            return tuple(
                map(id, (instance.relation, instance.document, instance.previous, instance.following))
            )

        distinct = {key(instance): instance for instance in instances}
        features = [np.zeros(0, dtype=np.int32)] * len(distinct)
        if self._extractor is not None:
            features = self._extractor.transform(list(distinct.values()))
        mentions = MentionIndexes()
        unlabelled = {
            place: self._example(instance, mentions.of(instance.document), fired)
            for (place, instance), fired in zip(distinct.items(), features, strict=True)
        }
        return [
            replace(
                unlabelled[key(instance)],
                label=self._label_numbers.get(instance.gold[0], -1) if instance.gold else -1,
                weight=instance.weight,
            )
            for instance in instances
        ]

    def _example(self, instance: Instance, mentions: MentionIndex, fired: Ints) -> Example:
        relation, document = instance.relation, instance.document
        first = argument_tree(document, relation.arg1.tokens, relation=relation)
        second = argument_tree(document, relation.arg2.tokens, relation=relation)
        links = entity_links(first, second, mentions) if self._with_entities else []
        words1, words2 = (
            np.array([self._word_row(form) for form in document.words(tree.tokens)], dtype=np.int32)
            for tree in (first, second)
        )
        arg1, rows1 = encode_argument(first, words1, (node for link in links for node in link.first))
        arg2, rows2 = encode_argument(second, words2, (node for link in links for node in link.second))
        return Example(relation.id, arg1, arg2, encode_links(links, rows1, rows2), fired, label=-1)
