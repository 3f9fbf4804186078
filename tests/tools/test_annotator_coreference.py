"""Training of coreference: the gradient, the tables that back off, and a tiny run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disco2.annotation.annotator import Layer
from disco2.annotation.english.coreference import MentionRanker, mention_feature_sizes
from disco2.data import Document, Mention
from disco2.errors import InputError
from disco2.files import read_listed_files
from tests.annotation.english.parsed import giving
from tools.annotator.coreference import (
    BackedOffTables,
    CoreferenceSettings,
    Example,
    SparseAdaGrad,
    chains_of,
    coreference_scores,
    frequent_words,
    loss_and_gradient,
    make_example,
    train_coreference,
    write_weights,
)

SETTINGS = CoreferenceSettings(passes=8, penalty=0.001, window=6, matches=2, rarest_word=1)


def marked(document: Document, *pairs: tuple[str, str]) -> Document:
    """The document with one-word mentions: (word, chain)."""
    places = {token.text: index for index, token in enumerate(document.tokens)}
    mentions = tuple(Mention(places[word], places[word] + 1, places[word], chain) for word, chain in pairs)
    return replace(document, mentions=mentions)


def two_stories() -> list[Document]:
    return [
        marked(giving("She"), ("Tina", "t"), ("She", "t")),
        marked(giving("He"), ("Bob", "b"), ("He", "b")),
    ]


def random_tables(words: int, seed: int) -> BackedOffTables:
    tables = BackedOffTables(sum(mention_feature_sizes(words).values()))
    generator = np.random.default_rng(seed)
    for value in tables.parameters.values():
        value[...] = generator.normal(0, 0.3, value.shape)
    return tables


def the_example() -> tuple[Example, int]:
    documents = two_stories()
    words = frequent_words(documents, rarest=1)
    made = make_example(documents[0], words, SETTINGS)
    assert made is not None
    return made, len(words)


def test_gold_antecedents_and_costs() -> None:
    made, _ = the_example()
    assert made.antecedents[3].tolist() == [2, 1, 0, -1, -1, -1, -1, -1]
    assert made.gold.nonzero()[0].tolist() == [3]
    assert made.gold[3].tolist() == [False, True, *[False] * 6]
    assert made.costs[3, :3].tolist() == [1.0, 0.0, 1.0]
    assert made.costs[2, :2] == pytest.approx([0.1, 0.1])
    assert made.new_costs.tolist() == [0.0, 0.0, 0.0, 2.0]


def test_the_gradient_is_that_of_the_loss() -> None:
    made, words = the_example()
    tables = random_tables(words, seed=3)
    _, gradient = loss_and_gradient(tables.merged(), made)
    spread = tables.spread(gradient)
    for name, value in tables.parameters.items():
        # The largest derivatives, and one that is 0.
        flat = np.abs(spread[name]).ravel()
        for cell in [*np.argsort(flat)[-4:].tolist(), int(np.argmin(flat))]:
            place = np.unravel_index(cell, value.shape)
            kept = float(value[place])
            losses = []
            for step in (-0.01, 0.01):
                value[place] = kept + step
                losses.append(loss_and_gradient(tables.merged(), made)[0])
            value[place] = kept
            assert (losses[1] - losses[0]) / 0.02 == pytest.approx(float(spread[name][place]), abs=2e-3), name


def test_the_loss_is_minus_the_logarithm_of_the_gold_share() -> None:
    made, words = the_example()
    zero = BackedOffTables(sum(mention_feature_sizes(words).values())).merged()
    costs = np.concatenate([made.new_costs[:, None], made.costs], axis=1)
    expected = 0.0
    for i, row in enumerate(made.antecedents.tolist()):
        choices = {"new": np.exp(costs[i, 0])}
        choices |= {a: np.exp(costs[i, column + 1]) for column, a in enumerate(row) if a >= 0}
        expected -= np.log((choices[1] if i == 3 else choices["new"]) / sum(choices.values()))
    assert loss_and_gradient(zero, made)[0] == pytest.approx(expected, rel=1e-5)


def test_the_penalty_keeps_useless_weights_at_zero() -> None:
    weights = {"w": np.zeros(3, dtype=np.float32)}
    optimiser = SparseAdaGrad(weights, rate=0.1, penalty=0.5)
    for _ in range(5):
        optimiser.step({"w": np.array([1.0, 0.4, 0.0], dtype=np.float32)})
    assert weights["w"][0] < 0
    assert weights["w"][1:].tolist() == [0.0, 0.0]


def test_a_tiny_run_learns_its_stories_and_repeats_itself(tmp_path: Path) -> None:
    documents = two_stories()
    lines: list[str] = []
    train_coreference(documents, documents, tmp_path / "a", settings=SETTINGS, progress=lines.append)
    train_coreference(documents, documents, tmp_path / "b", settings=SETTINGS)
    *passes, score = lines
    losses = [float(line.rpartition(" ")[2]) for line in passes]
    assert len(losses) == SETTINGS.passes
    assert losses[-1] < losses[0] / 4
    assert score == "development: mean F1 100.00%"
    for name in ("tables.safetensors", "model.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    ranker = MentionRanker.load(read_listed_files(tmp_path / "a"))
    resolved = ranker.annotate(documents, layers=frozenset({Layer.COREFERENCE}))
    assert coreference_scores(documents, resolved).mean == pytest.approx(1.0)


def test_what_is_written_is_what_was_trained(tmp_path: Path) -> None:
    merged = random_tables(1, seed=2).merged()
    write_weights(tmp_path / "m", merged, ("dog",), window=7, matches=3)
    found = MentionRanker.load(read_listed_files(tmp_path / "m"))
    assert (found.words, found.window, found.matches) == (("dog",), 7, 3)
    for name in ("new", "antecedent", "pair"):
        assert np.allclose(getattr(found.tables, name), getattr(merged, name), atol=2e-3)


def test_documents_without_candidates_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No training document"):
        train_coreference([Document("d", "", (), ())], [], tmp_path / "m", settings=SETTINGS)
    assert not (tmp_path / "m").exists()


def test_chains_are_compared_by_their_characters() -> None:
    document = marked(giving("She"), ("Tina", "t"), ("She", "t"), ("Bob", "alone"))
    assert chains_of(document) == [{(9, 13), (27, 30)}]
