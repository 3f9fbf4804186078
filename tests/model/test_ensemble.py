"""Several models scored together, against the mean of each one's own scores."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from disco2.data.batch import collate
from disco2.errors import SettingsError
from disco2.model import ModelSettings, Parameters
from disco2.model.ensemble import batch_scores, members_of, stacked
from disco2.model.network import forward
from disco2.model.shared_rows import shared_rows
from tests.generated import random_example
from tests.model.test_network import FEATURES, LABELS, VOCABULARY, build, every_model

MEMBERS = 3


def an_ensemble(settings: ModelSettings) -> tuple[list, ModelSettings, list[Parameters], np.ndarray]:
    """Examples, the settings, the parameters of each member, and word vectors."""
    made, _, vectors = build(settings)
    members = [build(settings, seed=seed)[1] for seed in range(MEMBERS)]
    return [example for example, *_ in made], replace(settings, members=MEMBERS), members, vectors


def mean_of_forward(settings: ModelSettings, members: list[Parameters], vectors, batch) -> np.ndarray:
    alone = replace(settings, members=1)
    return np.mean([forward(alone, member, vectors, batch).scores for member in members], axis=0)


@pytest.mark.parametrize("rows_at_a_time", [1, 200, 10**6])
@pytest.mark.parametrize("settings", every_model(), ids=str)
def test_scores_are_the_mean_of_the_members(
    settings: ModelSettings, rows_at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disco2.model.ensemble.ROWS_AT_A_TIME", rows_at_a_time)
    examples, several, members, vectors = an_ensemble(settings)
    batch = collate(examples)
    found = batch_scores(several, stacked(members), vectors, batch)
    np.testing.assert_allclose(
        found, mean_of_forward(several, members, vectors, batch), rtol=1e-10, atol=1e-12
    )
    others = mean_of_forward(several, members[:-1], vectors, batch)
    assert np.abs(found - others).max() > 1e-3  # every member counts


@pytest.mark.parametrize("pairs", ["mean", "sum"])
def test_many_random_batches(pairs: str) -> None:
    generator = np.random.default_rng(7)
    _, several, members, vectors = an_ensemble(ModelSettings(K=5, rank=2, pairs=pairs))
    for _ in range(30):
        examples = [
            random_example(
                generator,
                words=(int(generator.integers(1, 12)), int(generator.integers(1, 12))),
                vocabulary=int(generator.integers(1, VOCABULARY)),
                labels=LABELS,
                features=FEATURES,
                chains=int(generator.integers(0, 4)),
                mentions=3,
            )[0]
            for _ in range(int(generator.integers(1, 9)))
        ]
        batch = collate(examples)
        np.testing.assert_allclose(
            batch_scores(several, stacked(members), vectors, batch),
            mean_of_forward(several, members, vectors, batch),
            rtol=1e-9,
            atol=1e-11,
        )


def test_arguments_of_one_word_alone() -> None:
    _, several, members, vectors = an_ensemble(ModelSettings(K=5))
    generator = np.random.default_rng(0)
    batch = collate(
        [
            random_example(
                generator, words=(1, 1), vocabulary=9, labels=LABELS, features=FEATURES, chains=1, mentions=1
            )[0]
            for _ in range(3)
        ]
    )
    assert batch.inner_nodes == 0
    np.testing.assert_allclose(
        batch_scores(several, stacked(members), vectors, batch),
        mean_of_forward(several, members, vectors, batch),
        rtol=1e-10,
    )


def test_single_precision_stays_single_and_close() -> None:
    examples, several, members, vectors = an_ensemble(ModelSettings(K=5))
    batch = collate(examples)
    exact = batch_scores(several, stacked(members), vectors, batch)
    single = {name: value.astype(np.float32) for name, value in stacked(members).items()}
    found = batch_scores(several, single, vectors.astype(np.float32), batch)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-4)


def test_one_member_is_the_plain_model_to_the_digit() -> None:
    settings = ModelSettings(K=5)
    made, parameters, vectors = build(settings)
    batch = collate([example for example, *_ in made])
    np.testing.assert_array_equal(
        batch_scores(settings, parameters, vectors, batch),
        forward(settings, parameters, vectors, batch).scores,
    )
    assert members_of(settings, parameters) == [parameters]


def test_stacked_members_come_apart_again() -> None:
    _, several, members, _ = an_ensemble(ModelSettings(K=4))
    again = members_of(several, stacked(members))
    assert len(again) == MEMBERS
    for one, other in zip(members, again, strict=True):
        assert one.keys() == other.keys()
        assert all(np.array_equal(one[name], other[name]) for name in one)


def test_a_word_on_one_side_is_multiplied_once() -> None:
    """The order of rows, against its description, one node at a time."""
    generator = np.random.default_rng(3)
    examples = [random_example(generator, words=(6, 9), vocabulary=4, labels=LABELS)[0] for _ in range(5)]
    batch = collate(examples)
    rows = shared_rows(batch)
    leaves = len(batch.words)
    left, right = set(batch.left.tolist()), set(batch.right.tolist())
    sides = {row: "left" if row in left else "right" if row in right else "root" for row in range(2 * leaves)}
    expected = {(sides[leaf] == "right", int(word)) for leaf, word in enumerate(batch.words)}
    found = [(row >= rows.left_words, int(word)) for row, word in enumerate(rows.words)]
    assert found == sorted(expected)

    def half_row(node: int) -> int:
        if node < leaves:
            return found.index((sides[node] == "right", int(batch.words[node])))
        return len(found) + int(rows.places[node - leaves])

    assert sorted(rows.places.tolist()) == list(range(batch.inner_nodes))
    for inner, place in enumerate(rows.places.tolist()):
        assert rows.left[place] == half_row(int(batch.left[inner]))
        assert rows.right[place] == half_row(int(batch.right[inner]))
        (begin, middle, roots, end) = next(level for level in rows.levels if level[0] <= place < level[3])
        assert (begin, end) in pairwise(batch.levels.tolist())
        stands = "left" if place < middle else "right" if place < roots else "root"
        assert stands == sides[leaves + inner]


@pytest.mark.parametrize("members", [0, -1, 1001])
def test_impossible_numbers_of_members(members: int) -> None:
    with pytest.raises(SettingsError, match="members"):
        ModelSettings(members=members)
