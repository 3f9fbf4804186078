"""Gold sentences as the parser learns from them, made harder at random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.english.constituents.chart import CHAIN, tree_to_spans
from disco2.annotation.english.constituents.words import UNKNOWN, Lexicon, WordNumbers
from disco2.records import Document
from disco2.training.annotators.constituents.settings import ParserSettings
from disco2.training.annotators.constituents.weak_tags import WeakTags

Integers = NDArray[np.int32]

DRAWS = 8  # weak tags kept for each word, one of which is taken at a time


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence's numbers, the labelled spans of its gold tree and the rows of its gold tags."""

    numbers: WordNumbers
    starts: Integers
    ends: Integers
    labels: Integers
    tags: Integers  # edges included
    redrawn: Integers  # [words + 2, DRAWS]: tags that a weak tagger might give


def label_chains(documents: Iterable[Document], *, least: int) -> tuple[str, ...]:
    """The chains of labels that occur at least so often, and all single labels, the most frequent first."""
    counts: Counter[str] = Counter()
    for document in documents:
        for sentence in document.sentences:
            if sentence.constituents is not None:
                counts.update(chain for _, _, chain in tree_to_spans(sentence.constituents))
                counts.update(dict.fromkeys(sentence.constituents.labels, 0))
    kept = [chain for chain, count in counts.items() if count >= least or CHAIN not in chain]
    return tuple(sorted(kept, key=lambda chain: (-counts[chain], chain)))


def nearest_chain(chain: str, known: dict[str, int]) -> int:
    """The label of a chain; a rare one loses its innermost labels until it is known."""
    while chain not in known:
        chain = chain.rpartition(CHAIN)[0]
    return known[chain]


def make_examples(
    documents: Sequence[Document], lexicon: Lexicon, labels: Sequence[str], *, seed: int
) -> list[Example]:
    """All sentences that have trees."""
    number = {label: index for index, label in enumerate(labels)}
    random = np.random.default_rng(seed)
    weak_tags = WeakTags(documents, lexicon)
    examples: list[Example] = []
    for document in documents:
        for sentence in document.sentences:
            tree = sentence.constituents
            if tree is None:
                continue
            tokens = document.tokens[sentence.start : sentence.end]
            words = [token.text for token in tokens]
            numbers = lexicon.numbers(words, [token.tag for token in tokens])
            spans = tree_to_spans(tree)
            redrawn = np.repeat(numbers.tags[:, None], DRAWS, axis=1)
            for place, word in enumerate(words, 1):
                redrawn[place] = weak_tags.draw(word, DRAWS, random)
            examples.append(
                Example(
                    numbers=numbers,
                    starts=np.array([start for start, _, _ in spans], dtype=np.int32),
                    ends=np.array([end for _, end, _ in spans], dtype=np.int32),
                    labels=np.array([nearest_chain(chain, number) for _, _, chain in spans], dtype=np.int32),
                    tags=lexicon.numbers(words, tree.tags).tags,
                    redrawn=redrawn,
                )
            )
    return examples


def disturbed(
    example: Example, settings: ParserSettings, random: np.random.Generator, *, no_vector: int
) -> WordNumbers:
    """The sentence with words, vectors and tags hidden or redrawn at random."""
    numbers = example.numbers
    size = len(numbers.words)
    inner = np.ones(size, dtype=np.bool_)
    inner[[0, -1]] = False

    def chosen(share: float) -> NDArray[np.bool_]:
        return inner & (random.random(size) < share)

    drawn = example.redrawn[np.arange(size), random.integers(example.redrawn.shape[1], size=size)]
    tags = np.where(chosen(settings.redrawn_tag), drawn, numbers.tags)
    hidden = 1.0 if random.random() < settings.unknown_tags else settings.unknown_tag
    return replace(
        numbers,
        vectors=np.where(chosen(settings.unknown_vector), no_vector, numbers.vectors),
        words=np.where(chosen(settings.unknown_word), UNKNOWN, numbers.words),
        tags=np.where(chosen(hidden), UNKNOWN, tags),
    )
