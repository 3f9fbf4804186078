"""Relations that one system gets right and another one wrong, with the entities their arguments share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from disco2.data import Corpus, Document, Relation
from disco2.data.tree import MentionIndexes, aligned_pairs
from disco2.errors import InputError
from disco2.experiments.paper.measuring import stacked
from disco2.experiments.runs.result import Answers
from disco2.reporting.findings import Turned


def turned_relations(
    corpus: Corpus, before: Sequence[Answers], after: Sequence[Answers], *, at_most: int = 20
) -> Iterator[Turned]:
    """Those with shared entities on which most seeds of the two systems disagree, clearest first.

    At most so many were turned right, and as many wrong. The answer of a system is the one that most of its
    seeds give; the ``seeds`` of a relation are those with which the first system is wrong and the second
    right, or the other way round. Both systems must have been trained with the same seeds, in one order.
    """
    seeds = len(after)
    if len(before) != seeds:
        raise InputError(f"{len(before)} seeds of one system and {seeds} of the other can't be paired.")
    right = stacked([*before, *after])
    was, is_now = right[:seeds], right[seeds:]
    turns = {1: (is_now & ~was).sum(axis=0), -1: (was & ~is_now).sum(axis=0)}
    relations = {(one.document, one.id): one for one in corpus.relations}
    mentions = MentionIndexes()
    shared = before[0].shared
    for sign in (1, -1):
        strength = turns[sign] - turns[-sign]
        clear = shared & (2 * strength > seeds)
        for number in [n for n in np.argsort(-strength, kind="stable") if clear[n]][:at_most]:
            relation = relations[before[0].documents[number], before[0].relations[number]]
            document = corpus.documents[relation.document]
            yield Turned(
                relation=relation.id,
                first=relation.arg1.text,
                second=relation.arg2.text,
                gold=before[0].gold[number],
                before=_usual_answer(before, number),
                after=_usual_answer(after, number),
                right=sign > 0,
                entities=_shared_mentions(document, relation, mentions),
                seeds=(int(turns[sign][number]), seeds),
            )


def _usual_answer(seeds: Sequence[Answers], number: int) -> str:
    given = [one.predicted[number] for one in seeds]
    return max(given, key=given.count)


def _shared_mentions(
    document: Document, relation: Relation, mentions: MentionIndexes
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """The words of the aligned mentions, for each entity those in the first and in the second argument."""
    pairs = aligned_pairs(document, relation, mentions.of(document), whole=True)
    groups: list[tuple[set[tuple[int, int]], set[tuple[int, int]]]] = []
    for first, second in sorted(pairs):
        for left, right in groups:  # pairs of one entity are all with all: they share a side
            if first in left or second in right:
                left.add(first)
                right.add(second)
                break
        else:
            groups.append(({first}, {second}))
    return tuple(
        tuple(tuple(document.text[start:end] for start, end in sorted(side)) for side in group)  # type: ignore[misc]
        for group in groups
    )
