"""Finding selected features takes at most twice the steps for twice the pairs or words."""

from __future__ import annotations

from itertools import pairwise

import pytest

from disco2.features import FeatureExtractor, FeatureSettings
from tests.operations import array_bytes, python_steps
from tests.shapes import SHAPES, neighbours, shaped_document

AT_MOST = 2.02
ALL_FAMILIES = FeatureSettings(
    minimum_count=2,
    first_words=3,
    predicates=50,
    attachment=50,
    openings=50,
    neighbouring_relations=True,
    layout=True,
    overlap=True,
)
PAIRS = [{"pairs": pairs, "words": 20} for pairs in (8, 16, 32)]
WORDS = [{"pairs": 2, "words": words} for words in (250, 500, 1000)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sizes", [PAIRS, WORDS], ids=["pairs", "words"])
def test_transform(sizes: list[dict[str, int]], shape: str) -> None:
    """A pair of stems is a feature, so words times words could fire, but never more than were selected."""
    extractor = FeatureExtractor.fit(neighbours(shaped_document(words=12, pairs=40)), settings=ALL_FAMILIES)
    assert len(extractor.word_pairs) == FeatureSettings().word_pairs
    instances = [neighbours(shaped_document(shape=shape, **size)) for size in sizes]
    steps = [python_steps(lambda some=some: extractor.transform(some)) for some in instances]
    assert all(large <= AT_MOST * small for small, large in pairwise(steps)), steps
    memory = [array_bytes(extractor.transform(some)) for some in instances]
    assert all(large <= AT_MOST * small for small, large in pairwise(memory)), memory


def test_fitting_on_more_pairs() -> None:
    steps = [
        python_steps(lambda some=some: FeatureExtractor.fit(some, settings=ALL_FAMILIES))
        for some in (neighbours(shaped_document(words=15, pairs=pairs)) for pairs in (40, 80, 160))
    ]
    assert all(large <= AT_MOST * small for small, large in pairwise(steps)), steps
