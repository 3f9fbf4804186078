"""Generated relations look like GUM's to the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.speed import gum_statistics
from benchmarks.speed.describe import describe
from benchmarks.speed.generated import Recipe, generate, tree
from benchmarks.speed.workload import generated_workload, violated
from disco2.corpora.gum import read_gum
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.features.encoder import Encoder
from disco2.model.network import forward
from disco2.training.preparation import expand_two_senses

SHARE = 0.1  # how far a statistic may be off
RELATIONS = 1280
TREES = ("words", "words_deviation", "nodes", "inner", "inner_children", "down", "up_levels", "down_levels")
OTHERS = ("links", "mentions", "pairs", "fired", "distinct_words")


@pytest.fixture(scope="module")
def found() -> dict[str, float]:
    return describe([one.example for one in generate(RELATIONS)])


@pytest.mark.parametrize(
    "name", ["words", "words_deviation", "nodes", "inner", "inner_children", "down", "links"]
)
def test_trees_have_gum_s_statistics(found: dict[str, float], name: str) -> None:
    assert found[name] == pytest.approx(getattr(gum_statistics, name.upper()), rel=SHARE)


@pytest.mark.parametrize(
    "name", ["links", "mentions", "pairs", "fired", "distinct_words", "up_levels", "down_levels"]
)
def test_links_features_and_words_have_them_too(found: dict[str, float], name: str) -> None:
    assert found[name] == pytest.approx(getattr(gum_statistics, name.upper()), rel=SHARE)


def test_the_arguments_of_a_relation_are_long_together(found: dict[str, float]) -> None:
    assert found["words_correlation"] == pytest.approx(gum_statistics.WORDS_CORRELATION, abs=0.08)


def test_as_many_labels_violate_the_margin_as_in_a_training() -> None:
    workload = generated_workload(512)
    (batch,) = workload.batches(512)
    scores = forward(workload.settings, workload.parameters, workload.vectors, batch).scores
    assert violated(workload, scores) == pytest.approx(gum_statistics.VIOLATED, rel=SHARE)
    start = workload.at_the_start()
    scores = forward(start.settings, start.parameters, start.vectors, batch).scores
    assert violated(start, scores) == gum_statistics.LABELS - 1


def test_the_constants_are_those_of_gum(gum: Path) -> None:
    parts = divide(read_gum(gum), Configuration())
    encoder = Encoder(word_row=_Rows(), labels=parts.labels, extractor=None, with_entities=True)
    instances = expand_two_senses(parts.instances["train"])
    order = np.random.default_rng(1).permutation(len(instances))
    measured = describe(encoder.encode([instances[place] for place in order]))
    for name in sorted(measured.keys() - {"fired", "distinct_words"}):  # these depend on features and vectors
        assert measured[name] == pytest.approx(getattr(gum_statistics, name.upper()), rel=0.03), name
    assert len(parts.labels) == gum_statistics.LABELS


class _Rows(dict[str, int]):
    """A row for each word, as they come."""

    def __call__(self, form: str) -> int:
        return self.setdefault(form, len(self))


def test_the_same_seed_gives_the_same_relations() -> None:
    one, same, other = generate(3), generate(3), generate(3, seed=2)
    assert [made.example.first.words.tolist() for made in one] == [
        made.example.first.words.tolist() for made in same
    ]
    assert one[0].example.features.tolist() != other[0].example.features.tolist()


def test_a_recipe_sets_words_and_mentions() -> None:
    for made in generate(4, Recipe(words=60, mentions=20)):
        assert (made.first.leaves, made.second.leaves) == (60, 60)
        (link,) = made.links
        assert (len(link.first), len(link.second)) == (20, 20)


@pytest.mark.parametrize("leaves", [1, 2, 3, 40])
def test_trees_are_trees(leaves: int) -> None:
    made = tree(np.random.default_rng(leaves), leaves)
    assert made.root == 2 * leaves - 2
    assert (made.starts[made.root], made.ends[made.root]) == (0, leaves)
    assert made.parent[made.root] == -1
    for inner in range(leaves, made.root + 1):
        left, right = made.left[inner - leaves], made.right[inner - leaves]
        assert max(left, right) < inner, "children come before their parents"
        assert made.ends[left] == made.starts[right]
        assert (made.starts[inner], made.ends[inner]) == (made.starts[left], made.ends[right])
        assert made.parent[left] == made.parent[right] == inner
