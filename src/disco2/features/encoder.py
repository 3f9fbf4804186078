"""Relation -> Example: the same code for training and for prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from disco2.data import Document, Instance
from disco2.data.batch import Example, Ints, encode_argument, encode_links
from disco2.data.tree import MentionIndex, MentionIndexes, argument_tree, entity_links
from disco2.features import FeatureExtractor

UNKNOWN_WORD = 0  # the first row of every table of word vectors: zeros
REMEMBERED = 20_000  # words whose row is cached


class Encoder:
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
        places: dict[tuple[int, ...], int] = {}
        distinct: list[Instance] = []
        place_of = []
        for instance in instances:
            looked_at = instance.relation, instance.document, instance.previous, instance.following
            place = places.setdefault(tuple(map(id, looked_at)), len(distinct))
            if place == len(distinct):
                distinct.append(instance)
            place_of.append(place)

        unlabelled = self._unlabelled(distinct)
        examples = []
        for place, instance in zip(place_of, instances, strict=True):
            label = self._label_numbers.get(instance.gold[0], -1) if instance.gold else -1
            like = unlabelled[place]
            examples.append(
                Example(
                    like.relation, like.first, like.second, like.links, like.features, label, instance.weight
                )
            )
        return examples

    def _unlabelled(self, instances: Sequence[Instance]) -> list[Example]:
        features = self._extractor.transform(instances) if self._extractor else None
        no_features = np.zeros(0, dtype=np.int32)
        mentions = MentionIndexes()
        examples = []
        for row, instance in enumerate(instances):
            fired = no_features if features is None else features.row(row)
            examples.append(self._example(instance, mentions.of(instance.document), fired))
        return examples

    def _example(self, instance: Instance, mentions: MentionIndex, fired: Ints) -> Example:
        relation, document = instance.relation, instance.document
        first = argument_tree(document, relation.arg1.tokens, relation=relation)
        second = argument_tree(document, relation.arg2.tokens, relation=relation)
        links = entity_links(first, second, mentions) if self._with_entities else []
        first_argument, first_rows = encode_argument(
            first, self._word_rows(document, first.tokens), (node for link in links for node in link.first)
        )
        second_argument, second_rows = encode_argument(
            second, self._word_rows(document, second.tokens), (node for link in links for node in link.second)
        )
        return Example(
            relation=relation.id,
            first=first_argument,
            second=second_argument,
            links=encode_links(links, first_rows, second_rows),
            features=fired,
            label=-1,
        )

    def _word_rows(self, document: Document, tokens: Sequence[int]) -> Ints:
        return np.fromiter(map(self._word_row, document.words(tokens)), dtype=np.int32, count=len(tokens))
