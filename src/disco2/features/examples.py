"""Relation -> Example: the same code for training and for prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from disco2.data import Document, Instance
from disco2.data.batch import Example, Ints, encode_argument, encode_links
from disco2.data.tree import MentionIndex, MentionIndexes, argument_tree, entity_links
from disco2.features import FeatureExtractor

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
            looked_at = instance.relation, instance.document, instance.previous, instance.following
            return tuple(map(id, looked_at))

        distinct = {key(instance): instance for instance in instances}
        features = self._extractor.transform(list(distinct.values())) if self._extractor else None
        mentions = MentionIndexes()
        unlabelled = {}
        for row, (place, instance) in enumerate(distinct.items()):
            fired = np.zeros(0, dtype=np.int32) if features is None else features[row]
            unlabelled[place] = self._example(instance, mentions.of(instance.document), fired)
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
        arg1, rows1 = encode_argument(
            first, self._word_rows(document, first.tokens), (node for link in links for node in link.first)
        )
        arg2, rows2 = encode_argument(
            second, self._word_rows(document, second.tokens), (node for link in links for node in link.second)
        )
        return Example(relation.id, arg1, arg2, encode_links(links, rows1, rows2), fired, label=-1)

    def _word_rows(self, document: Document, tokens: Sequence[int]) -> Ints:
        return np.fromiter(map(self._word_row, document.words(tokens)), dtype=np.int32, count=len(tokens))
