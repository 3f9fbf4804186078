"""Relations to measure with: generated ones with the statistics of GUM, or GUM itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from disco2.corpora.gum import read_gum
from disco2.data import Instance
from disco2.data.batch import Batch, Example, Floats, Ints, collate, encode_argument, encode_links
from disco2.data.tree import ArgumentTree, EntityLink, MentionIndexes, argument_tree, entity_links
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.train_run import prepare_training
from disco2.model import ModelSettings, Parameters, initial_parameters
from disco2.threads import single_threaded
from disco2.training.fit import expand_two_senses
from disco2.training.loop import Learner, composer_for, in_batches


class Made(NamedTuple):
    """An example, and the trees and entity links it was made of."""

    example: Example
    first: ArgumentTree
    second: ArgumentTree
    links: list[EntityLink]


# Statistics of GUM that generated relations share.
LABELS = 12
# Shares of the labels, the most common first.
LABEL_SHARES = (0.248, 0.185, 0.163, 0.161, 0.105, 0.033, 0.029, 0.025, 0.023, 0.017, 0.007, 0.004)
FEATURES = 706  # columns that the default settings select
VOCABULARY = 50_001  # rows of the table of word vectors

WORDS_CORRELATION = 0.39  # between the two arguments of an example
LINK_SHARES = (0.457, 0.407, 0.113, 0.019, 0.004)  # of examples with 0, 1, 2, ... of them
LEAF_MENTIONS = 0.74  # share of mentions that are a single word

# Chosen so that the statistics of GUM above come out.
LENGTH_SHAPE, LENGTH_SCALE = 2.05, 8.4  # of the gamma distribution of lengths
FIRST_WORD_ALONE = 0.73  # how often the left child is a single word, at any length
WIDEST_LEFT = 0.7  # else its share of the words is uniform up to this
SINGLE_MENTION = 0.71  # how often an entity has no further mention in an argument
WORD_OFFSET, WORD_POWER = 2.0, 1.18  # the word of rank r: 1 / (r + 2)^1.18, r from 1 on
FEATURE_RANK, FEATURE_POWER, FEATURE_TOP = 20.0, 1.1, 0.765  # rank r fires in 0.765 / (1 + r / 20)^1.1


def generate(count: int, *, seed: int = 1) -> list[Made]:
    """Encoded relations with the statistics of GUM."""
    draw = np.random.default_rng(seed)
    # Words in each argument: what the two gamma variables share makes them correlate.
    shared = draw.gamma(WORDS_CORRELATION * LENGTH_SHAPE, LENGTH_SCALE, size=(count, 1))
    own = draw.gamma((1 - WORDS_CORRELATION) * LENGTH_SHAPE, LENGTH_SCALE, size=(count, 2))
    lengths = 1 + np.floor(shared + own).astype(np.int64)
    word_rates = np.cumsum((np.arange(1, VOCABULARY + 1) + WORD_OFFSET) ** -WORD_POWER)
    word_rates /= word_rates[-1]
    label_shares = np.array(LABEL_SHARES)
    label_shares /= label_shares.sum()
    fire = FEATURE_TOP / (1 + np.arange(FEATURES) / FEATURE_RANK) ** FEATURE_POWER
    fire = draw.permutation(fire)
    made = []
    for number, (m, n) in enumerate(lengths.tolist()):
        first, second = tree(draw, m), tree(draw, n)
        links = _links(draw, first, second)
        columns = np.flatnonzero(draw.random(FEATURES) < fire).astype(np.int32)
        words = np.searchsorted(word_rates, draw.random(m + n)).astype(np.int32)
        label = int(draw.choice(len(label_shares), p=label_shares))
        made.append(_made(f"generated:{number}", first, second, links, words, columns, label))
    return made


def tree(draw: np.random.Generator, leaves: int) -> ArgumentTree:
    """A binary tree that mostly branches to the right, as English phrases do."""
    if leaves == 1:
        return _numbered([], [], 1)
    # From the top down: spans to split, then numbered from the bottom up.
    spans: list[tuple[int, int, int]] = []  # start, middle, end
    waiting = [(0, leaves)]
    random = draw.random((leaves - 1, 2)).tolist()
    while waiting:
        start, end = waiting.pop()
        alone, place = random[len(spans)]
        width = end - start
        middle = start + 1
        if alone >= FIRST_WORD_ALONE:
            middle = start + min(width - 1, 1 + int(place * WIDEST_LEFT * width))
        spans.append((start, middle, end))
        waiting.extend(span for span in ((start, middle), (middle, end)) if span[1] - span[0] > 1)
    node_of = {(place, place + 1): place for place in range(leaves)}
    left: list[int] = []
    right: list[int] = []
    for start, middle, end in reversed(spans):
        left.append(node_of[start, middle])
        right.append(node_of[middle, end])
        node_of[start, end] = leaves + len(left) - 1
    return _numbered(left, right, leaves)


def _numbered(left: Sequence[int], right: Sequence[int], leaves: int) -> ArgumentTree:
    parent = [-1] * (2 * leaves - 1)
    starts, ends = list(range(leaves)), list(range(1, leaves + 1))
    for inner, (one, other) in enumerate(zip(left, right, strict=True), leaves):
        parent[one] = parent[other] = inner
        starts.append(starts[one])
        ends.append(ends[other])
    arrays = (np.array(values, dtype=np.int32) for values in (left, right, parent, starts, ends))
    return ArgumentTree(tuple(range(leaves)), *arrays)


def _links(draw: np.random.Generator, first: ArgumentTree, second: ArgumentTree) -> list[EntityLink]:
    chains = int(draw.choice(len(LINK_SHARES), p=LINK_SHARES))

    def nodes(side: ArgumentTree) -> tuple[int, ...]:
        wanted = int(draw.geometric(SINGLE_MENTION))
        found: set[int] = set()
        for _ in range(4 * wanted):  # short arguments may not have so many nodes
            leaf = draw.random() < LEAF_MENTIONS or side.leaves < 3
            found.add(int(draw.integers(side.leaves) if leaf else draw.integers(side.leaves, side.root)))
            if len(found) == wanted:
                break
        return tuple(sorted(found))

    return [EntityLink(str(chain), nodes(first), nodes(second)) for chain in range(chains)]


def _made(
    name: str,
    first: ArgumentTree,
    second: ArgumentTree,
    links: list[EntityLink],
    words: Ints,
    columns: Ints,
    label: int,
) -> Made:
    one, first_rows = encode_argument(first, words[: first.leaves], {i for link in links for i in link.first})
    other, second_rows = encode_argument(
        second, words[first.leaves :], {j for link in links for j in link.second}
    )
    example = Example(name, one, other, encode_links(links, first_rows, second_rows), columns, label)
    return Made(example, first, second, links)


STANDARD_K = 50
STANDARD_BATCH = 64
SCORING_BATCH = 1024


@dataclass(frozen=True)
class Workload:
    """Relations and a model for them, the same for every implementation."""

    name: str
    settings: ModelSettings
    made: Sequence[Made]
    vectors: Floats  # [words, K]
    parameters: Parameters

    def portions(self, size: int) -> list[list[Example]]:
        """All relations, for whole batches."""
        examples = [one.example for one in self.made]
        return [examples[begin : begin + size] for begin in range(0, len(examples) - size + 1, size)]

    def batches(self, size: int) -> list[Batch]:
        return [collate(portion) for portion in self.portions(size)]

    def fresh_parameters(self) -> Parameters:
        """A copy to change."""
        return {name: value.copy() for name, value in self.parameters.items()}

    def at_the_start(self) -> Workload:
        """The same before the first step of a training, when every label violates the margin."""
        labels, features = self.parameters["beta"].shape
        start = initial_parameters(self.settings, labels=labels, features=features, seed=1)
        return replace(self, parameters=start)


def generated_workload(pairs: int, *, seed: int = 1) -> Workload:
    """Generated relations with the paper's model, entities and features, in float32.

    Labels are numbered from the most common on, and b falls by one margin from label to label; the random
    remaining terms then decide whether the next label violates the margin. So the number of labels that do is
    the one of a training on GUM, on which the cost of implementations that go label by label depends.
    """
    settings = ModelSettings(K=STANDARD_K)
    generator = np.random.default_rng(seed)
    parameters = initial_parameters(settings, labels=LABELS, features=FEATURES, seed=seed)
    parameters["b"][:] = -np.arange(LABELS)
    parameters["beta"][:] = generator.normal(0, 0.01, size=parameters["beta"].shape)
    for name in ("A3", "B3"):
        parameters[name][:] = generator.normal(0, 0.01, size=parameters[name].shape)
    vectors = generator.standard_normal((VOCABULARY, STANDARD_K), dtype=np.float32)
    vectors[0] = 0  # unknown words
    return Workload("generated", settings, generate(pairs, seed=seed), vectors, parameters)


PASSES = 3  # of training, so that the margins are those in its midst


def load_gum(path: Path) -> Workload:
    """The training part of the corpus, two senses as two, with the default settings and K = 50."""
    corpus = read_gum(path)
    configuration = Configuration().changed({"model.K": STANDARD_K})
    parts = divide(corpus, configuration)
    untrained = prepare_training(corpus, parts, configuration).untrained
    instances = expand_two_senses(parts.instances["train"])
    order = np.random.default_rng(1).permutation(len(instances))
    instances = [instances[place] for place in order]
    examples = untrained.example_encoder.encode(instances)
    mentions = MentionIndexes()
    made = [
        _made_from_gum(instance, example, mentions)
        for instance, example in zip(instances, examples, strict=True)
    ]
    parameters = initial_parameters(
        configuration.model,
        labels=len(parts.labels),
        features=untrained.extractor.width if untrained.extractor else 0,
        seed=1,
    )
    composer = composer_for(configuration.model, untrained.leaves, parameters)
    learner = Learner(configuration.model, parameters, untrained.leaves, configuration.training, composer)
    batches = in_batches(examples, STANDARD_BATCH)
    generator = np.random.default_rng(1)
    with single_threaded():
        for _ in range(PASSES):
            learner.one_pass(batches, generator)
    return Workload("GUM", configuration.model, made, untrained.leaves, parameters)


def _made_from_gum(instance: Instance, example: Example, mentions: MentionIndexes) -> Made:
    document, relation = instance.document, instance.relation
    first = argument_tree(document, relation.arg1.tokens, relation=relation)
    second = argument_tree(document, relation.arg2.tokens, relation=relation)
    return Made(example, first, second, entity_links(first, second, mentions.of(document)))
