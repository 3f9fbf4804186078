"""Preparation takes at most twice the work and memory for twice the pairs, words or mentions."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from disco2.data import Document
from disco2.data.batch import collate
from disco2.data.tree import MentionIndex, argument_tree, entity_links
from disco2.features.encoder import Encoder
from tests.growth import LINEAR, growth
from tests.operations import array_bytes, array_work, python_steps
from tests.shapes import SHAPES, neighbours, shaped_document, shaped_examples

AT_MOST = 2.02
SORTED_AT_MOST = 2.2  # sorting n numbers takes n log n steps

# Each list of sizes doubles one thing.
PAIRS = [{"pairs": pairs, "words": 20, "mentions": 5} for pairs in (8, 16, 32)]
WORDS = [{"words": words, "mentions": 10} for words in (250, 500, 1000)]
ONE_CHAIN = [{"words": 200, "mentions": mentions} for mentions in (25, 50, 100)]
MANY_CHAINS = [size | {"chains": size["mentions"]} for size in ONE_CHAIN]
DOUBLED = {"pairs": PAIRS, "words": WORDS, "mentions": ONE_CHAIN, "chains": MANY_CHAINS}


def an_encoder() -> Encoder:
    return Encoder(word_row=lambda form: int(form[1:]), labels=(), extractor=None, with_entities=True)


def trees_and_links(document: Document) -> object:
    mentions = MentionIndex(document)
    found = []
    for instance in neighbours(document):
        relation = instance.relation
        first = argument_tree(document, relation.arg1.tokens, relation=relation)
        second = argument_tree(document, relation.arg2.tokens, relation=relation)
        found.append(entity_links(first, second, mentions))
    return found


def encoded(document: Document) -> object:
    return an_encoder().encode(neighbours(document))


def collated(document: Document) -> object:
    return collate(an_encoder().encode(neighbours(document)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("doubled", DOUBLED)
@pytest.mark.parametrize("work", [trees_and_links, encoded, collated])
def test_python_steps(work: Callable[[Document], object], doubled: str, shape: str) -> None:
    documents = [shaped_document(shape=shape, **size) for size in DOUBLED[doubled]]
    steps = [python_steps(lambda document=document: work(document)) for document in documents]
    assert all(large <= AT_MOST * small for small, large in pairwise(steps)), steps


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("doubled", DOUBLED)
def test_arrays(doubled: str, shape: str) -> None:
    """What is kept, and what collating does with it."""
    examples = [shaped_examples(shape=shape, **size) for size in DOUBLED[doubled]]
    for sizes in (map(array_bytes, examples), (array_bytes(collate(some)) for some in examples)):
        assert all(large <= AT_MOST * small for small, large in pairwise(sizes))
    work = [array_work(collate, some) for some in examples]
    assert all(large.elements <= SORTED_AT_MOST * small.elements for small, large in pairwise(work)), work


@pytest.mark.parametrize(
    ("small", "large"),
    [
        ({"pairs": 16, "words": 40, "mentions": 5}, {"pairs": 64, "words": 40, "mentions": 5}),
        ({"words": 1000, "mentions": 20}, {"words": 4000, "mentions": 20}),
        ({"words": 400, "mentions": 25}, {"words": 400, "mentions": 100}),
    ],
)
@pytest.mark.parametrize("shape", ["balanced", "rightward"])
def test_memory(shape: str, small: dict[str, int], large: dict[str, int]) -> None:
    """At its peak, Python's lists and sets included. Four times as much: a set grows fourfold at a time."""
    before, after = (
        _peak(lambda size=size: collated(shaped_document(shape=shape, **size))) for size in (small, large)
    )
    assert after <= 4.4 * before


@pytest.mark.parametrize("shape", ["balanced", "rightward"])
def test_time_does_not_explode(shape: str) -> None:
    """What no count of Python steps sees: copies of tuples, lists and sets. Eight times the words."""
    documents = {
        words: shaped_document(shape=shape, words=words, mentions=words // 10) for words in (800, 6400)
    }
    assert growth(lambda words: collated(documents[words]), 800) < LINEAR


def _peak(work: Callable[[], Any]) -> int:
    """Bytes above what there was before; the work is done once before, so that caches are filled."""
    work()
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
