"""The paper's central claim: one vector is not enough, the roles of entities are needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
from disco2.data import Corpus
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.train_run import train_model


@pytest.fixture(scope="module")
def role_pairs(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder: Path = tmp_path_factory.mktemp("role-pairs") / "corpus"
    return read_role_pairs(write_role_pairs(folder, size=1000, seed=3))


def accuracy_on_test(corpus: Corpus, kind: str) -> float:
    configuration = Configuration().changed({"model.kind": kind})
    parts = divide(corpus, configuration)
    test = parts.instances["test"]
    predicted = train_model(corpus, parts, configuration).model.predict(test)
    return sum(label in one.gold for label, one in zip(predicted, test, strict=True)) / len(test)


def test_with_entities_the_roles_are_told_apart(role_pairs: Corpus) -> None:
    assert accuracy_on_test(role_pairs, "entities") >= 0.9


@pytest.mark.parametrize("kind", ["upward", "additive", "surface"])
def test_without_them_there_is_nothing_to_go_by(role_pairs: Corpus, kind: str) -> None:
    assert accuracy_on_test(role_pairs, kind) == 0.5
