"""The same model on different layers, judged on all outcomes and among the senses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disco2.bundle import load_bundle
from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
from disco2.data import Corpus, Instance, RelationKind
from disco2.experiments.configuration import read_configuration
from disco2.experiments.coreference import compare_layers, layers_findings, right_answers
from disco2.experiments.division import across_sentences, as_running_text, divide
from disco2.experiments.evaluating import judge
from disco2.experiments.train_run import save_model, train_model
from disco2.reporting.findings import Measure
from tests.corpora.made_up import document, relation

QUICK = read_configuration(
    None, ["model.kind=surface", "training.epochs=2", "task.outcomes=running-text", "task.minimum=1"]
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Role pairs of which every third is an EntRel."""
    made = read_role_pairs(write_role_pairs(tmp_path_factory.mktemp("layers") / "corpus", size=60, seed=1))
    relations = tuple(
        replace(one, kind=RelationKind.ENTREL, senses=()) if number % 3 == 0 else one
        for number, one in enumerate(made.relations)
    )
    return replace(made, relations=relations)


def test_every_seed_is_judged_both_ways(corpus: Corpus) -> None:
    bare = replace(
        corpus, documents={name: replace(one, mentions=()) for name, one in corpus.documents.items()}
    )
    gold, without = compare_layers({"gold": corpus, "no chains": bare}, QUICK, seeds=(1, 2))
    parts = divide(corpus, QUICK)
    for part in ("dev", "test"):
        relations = parts.instances[part]
        with_sense = [one for one in relations if one.relation.kind is RelationKind.IMPLICIT]
        assert len(gold.answers[part]) == 2
        for answers in gold.answers[part]:
            assert answers.senses.size == answers.across.size == len(with_sense)
            assert answers.running_text.size == len(relations)
    assert without.layers == "no chains"
    (table,) = layers_findings(corpus, [gold, without], seeds=2).tables
    assert [row[:2] for row in table.rows] == [
        (layers, part) for layers in ("gold", "no chains") for part in ("dev", "test")
    ]
    senses, _, running_text = table.rows[0][2:]
    assert isinstance(senses, Measure)
    assert senses.n == gold.answers["dev"][0].senses.size
    assert isinstance(running_text, Measure)
    by_seed = [answers.running_text.mean() for answers in gold.answers["dev"]]
    assert running_text.mean == pytest.approx(np.mean(by_seed))
    assert running_text.deviation == pytest.approx(np.std(by_seed, ddof=1))


def test_a_sense_is_chosen_although_entrel_is_likelier(corpus: Corpus, tmp_path: Path) -> None:
    parts = divide(corpus, QUICK)
    fitted = train_model(corpus, parts, QUICK)
    model = fitted.model
    assert model.labels.count("EntRel") == 1
    bias = np.where(model.is_sense, model.parameters["b"], 1e4).astype(np.float32)
    certain = replace(model, parameters={**model.parameters, "b": bias})
    instances = parts.instances["test"]
    answers = right_answers(certain, instances)
    is_entrel = np.array([one.gold == ("EntRel",) for one in instances])
    assert answers.running_text.tolist() == is_entrel.tolist()
    assert answers.senses.shape == (int((~is_entrel).sum()),)
    assert answers.senses.any()

    save_model(replace(fitted, model=certain), parts, QUICK, corpus, tmp_path / "model")
    judged = judge(*load_bundle(tmp_path / "model"), corpus, part="test")
    assert judged.evaluation.accuracy == pytest.approx(is_entrel.mean())
    assert judged.senses_only is not None
    assert judged.senses_only.accuracy == pytest.approx(answers.senses.mean())
    assert "EntRel" not in judged.senses_only.per_sense
    assert judged.to_json()["senses_only"]["n"] == answers.senses.size


def test_running_text_is_pairs_of_whole_neighbouring_sentences() -> None:
    doc = document("a")  # two sentences: tokens 0 to 3, and 4 to 11

    def instance(arg1: tuple[int, ...], arg2: tuple[int, ...]) -> Instance:
        return Instance(relation("a", 1, ["X"], arg1=arg1, arg2=arg2), doc, ("X",))

    inside, between, wide = instance((0, 1), (2,)), instance((1, 2), (6, 10)), instance((2,), (3, 4))
    assert across_sentences([inside, between, wide]) == [between]
    (widened,) = as_running_text([inside, between, wide])
    assert widened.relation.arg1.tokens == (0, 1, 2, 3)
    assert widened.relation.arg2.text == "Nobody (not even Ann-Lea) slept."
    assert widened.gold == between.gold
