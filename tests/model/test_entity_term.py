"""The entity term over an encoder: its slow twin, its gradients, its place in scores and explanations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disco2.annotation.annotator import AnnotatorChoice
from disco2.bundle import load_bundle, save_bundle
from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
from disco2.data import Argument, Instance
from disco2.data.tree import MentionIndex, argument_tree, entity_links
from disco2.inference.pipeline import Pipeline
from disco2.model import EncoderModel, ModelSettings
from disco2.model.entity_term import NAMES, EntityTerm, average_pieces, find_roles
from tests.encoders import SIZE, small_encoder
from tests.model.recursive import recursive_scores

K, RANK = 5, 2


@pytest.fixture(scope="module")
def instances(tmp_path_factory: pytest.TempPathFactory) -> list[Instance]:
    corpus = read_role_pairs(write_role_pairs(tmp_path_factory.mktemp("roles") / "c", size=10, seed=3))
    return [Instance(one, corpus.documents[one.document], one.senses) for one in corpus.relations][:8]


def made_up_term(labels: int, *, size: int = SIZE, pairs: str = "mean") -> EntityTerm:
    random = np.random.default_rng(4)
    shapes = [(K, size), (K, 2 * K), (K, 2 * K), (labels, RANK, K), (labels, RANK, K), (labels, K)]
    arrays: dict[str, Any] = {
        name: random.normal(size=shape) for name, shape in zip(NAMES, shapes, strict=True)
    }
    return EntityTerm(**arrays, pairs=pairs)


def with_entities(model: EncoderModel, **options: str) -> EncoderModel:
    term = made_up_term(len(model.labels), **options)  # type: ignore[arg-type]
    arrays = {name: value.astype(np.float32) for name, value in term.parameters.items()}
    settings = ModelSettings(kind="encoder", entity_size=K, rank=RANK)
    return replace(model, settings=settings, entities=EntityTerm(**arrays, pairs=term.pairs))


@pytest.mark.parametrize("pairs", ["mean", "sum"])
def test_it_is_the_term_of_the_paper(instances: Sequence[Instance], pairs: str) -> None:
    term = made_up_term(3, pairs=pairs)
    random = np.random.default_rng(1)
    roles = find_roles(instances)
    assert all(roles)
    means = [random.normal(size=(len(one.words), SIZE)) for one in roles if one]
    found = term.scores([one for one in roles if one], means)
    for row, instance in enumerate(instances):
        relation, document = instance.relation, instance.document
        first = argument_tree(document, relation.arg1.tokens, relation=relation)
        second = argument_tree(document, relation.arg2.tokens, relation=relation)
        links = entity_links(first, second, MentionIndex(document))
        leaves = np.tanh(means[row] @ term.P.T)
        cut = len(relation.arg1.tokens)
        one = roles[row]
        assert one is not None
        example = replace(
            one.example,
            first=replace(one.example.first, words=np.arange(cut, dtype=np.int32)),
            second=replace(one.example.second, words=np.arange(cut, len(leaves), dtype=np.int32)),
        )
        zeros = {"A1": np.zeros((3, 1, K)), "A2": np.zeros((3, 1, K)), "A3": np.zeros((3, K))}
        parameters = {**term.parameters, **zeros, "b": np.zeros(3)}
        settings = ModelSettings(kind="entities", features=False, K=K, rank=RANK, pairs=pairs)
        expected = recursive_scores(settings, parameters, leaves, example, first, second, links)
        np.testing.assert_allclose(found[row], expected, rtol=1e-9)


def test_words_meet_their_pieces(instances: Sequence[Instance]) -> None:
    """Pieces may be parts of words, or reach over several; cut texts leave words without a piece."""
    instance = instances[0]
    roles = find_roles([instance])[0]
    assert roles is not None
    sequences: list[int | None] = [None]
    offsets = [(0, 0)]
    for number, argument in enumerate((instance.relation.arg1, instance.relation.arg2)):
        for start in range(0, len(argument.text), 3):
            sequences.append(number)
            offsets.append((start, min(start + 3, len(argument.text))))
    states = np.random.default_rng(1).normal(size=(len(sequences), 4))
    for mean, (number, first, last) in zip(
        average_pieces(roles, sequences, offsets, states), roles.words.tolist(), strict=True
    ):
        own = [
            piece
            for piece, (sequence, (start, end)) in enumerate(zip(sequences, offsets, strict=True))
            if number == sequence and first < end and start < last
        ]
        np.testing.assert_allclose(mean, states[own].mean(axis=0), rtol=1e-6)
    cut = average_pieces(roles, sequences[:4], offsets[:4], states[:4])
    assert len(cut) == len(roles.words)
    assert not cut[-1].any()


def test_texts_that_disagree_with_their_tokens_have_no_roles(instances: Sequence[Instance]) -> None:
    relation = instances[0].relation
    other = replace(relation, arg1=Argument(relation.arg1.tokens, "Somebody else did it."))
    assert find_roles([replace(instances[0], relation=other)]) == [None]
    spaced = Argument(relation.arg1.tokens, relation.arg1.text.replace(" ", " \n "))
    assert find_roles([replace(instances[0], relation=replace(relation, arg1=spaced))])[0] is not None


def test_it_is_added_to_the_scores_and_stored(instances: Sequence[Instance], tmp_path: Path) -> None:
    plain = small_encoder()
    model = with_entities(plain)
    found, without = model.scores(instances), plain.scores(instances)
    assert np.abs(found - without).max() > 0.1
    for row, instance in enumerate(instances):
        parts = model.contributions(instance)
        links, totals = parts.links, parts.link_totals
        np.testing.assert_allclose(without[row] + totals.sum(axis=0), found[row], atol=1e-4)
        np.testing.assert_allclose(sum(link.sum(axis=(0, 1)) for link in links), totals.sum(axis=0))
        np.testing.assert_allclose(model.scores([instance])[0], found[row], atol=1e-5)
    save_bundle(model, tmp_path / "m", data={"corpus": "made up"})
    np.testing.assert_array_equal(load_bundle(tmp_path / "m")[0].scores(instances), found)


def test_explanations_have_the_pairs_and_add_up() -> None:
    nlp = Pipeline(AnnotatorChoice().open(), with_entities(small_encoder()))
    explanation = nlp.explain(nlp.classify("Tom gave Anna the match.", "She was hungry."))
    assert [(pair.arg1.text, pair.arg2.text) for pair in explanation.pairs] == [("Anna", "She")]
    assert abs(explanation.pairs[0].value) > 1e-3
    assert abs(explanation.rounding.value) < 1e-4
    total = math.fsum(term.value for term in explanation.terms())
    assert total == pytest.approx(explanation.score, abs=1e-12)


def test_a_term_that_does_not_fit_is_refused() -> None:
    model = with_entities(small_encoder())
    assert model.entities is not None
    with pytest.raises(ValueError, match="entity term does not fit"):
        replace(model, entities=replace(model.entities, V=model.entities.V[:, :-1]))
