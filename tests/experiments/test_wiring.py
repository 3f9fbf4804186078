"""What reaches training and judging: no leak between the parts, and a model keeps its own task."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disco2.bundle import Manifest
from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
from disco2.data import Corpus
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.division import divide
from disco2.experiments.evaluating import judge
from disco2.experiments.train_run import prepare_training, save_model, train_model
from disco2.training.preparation import Prepared

QUICK = read_configuration(None, ["model.kind=surface", "training.epochs=2"])


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("wiring") / "corpus"
    return read_role_pairs(write_role_pairs(folder, size=60, seed=1))


def with_senses(corpus: Corpus, part: str, sense: str) -> Corpus:
    """The corpus with one sense on all relations of a part."""
    return replace(
        corpus,
        relations=tuple(
            replace(one, senses=(sense,)) if corpus.parts[one.document] == part else one
            for one in corpus.relations
        ),
    )


def test_training_gets_the_training_part_and_development_the_dev_part(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}

    def spy(training: Any, development: Any, **options: Any) -> Prepared:
        seen.update(options, training=training, development=development)
        return Prepared(None, (), None, development, len(training))  # type: ignore[arg-type]

    monkeypatch.setattr("disco2.experiments.train_run.prepare", spy)
    prepare_training(corpus, divide(corpus, QUICK), QUICK)
    assert {corpus.parts[one.document.id] for one in seen["training"]} == {"train"}
    assert {corpus.parts[one.document.id] for one in seen["development"]} == {"dev"}
    assert (len(seen["training"]), len(seen["development"])) == (60, 12)
    assert not seen["balanced"]

    twice = QUICK.changed({"task.whole_sentences": True})
    prepared = prepare_training(corpus, divide(corpus, twice), twice)
    assert (len(seen["training"]), len(seen["development"])) == (120, 12)
    assert prepared.training_relations == 60

    binary = QUICK.changed({"task.versus": "Contingency"})
    prepare_training(corpus, divide(corpus, binary), binary)
    assert (seen["positive"], seen["balanced"]) == ("Contingency", True)


@pytest.mark.parametrize("part", ["dev", "test"])
def test_labels_come_from_the_training_part_alone(corpus: Corpus, part: str) -> None:
    odd = with_senses(corpus, part, "Temporal.Synchronous")
    parts = divide(odd, QUICK)
    assert parts.labels == ("Comparison.Concession", "Contingency.Cause")
    assert parts.instances[part] == []
    assert parts.dropped[part].total() == 12


def test_folds_do_not_move_with_the_training_seed(corpus: Corpus) -> None:
    first = divide(corpus, QUICK.changed({"task.protocol": "cv5-0", "training.seed": 1}))
    second = divide(corpus, QUICK.changed({"task.protocol": "cv5-0", "training.seed": 2}))
    other = divide(corpus, QUICK.changed({"task.protocol": "cv5-0", "task.folds": 2}))
    assert first.relations == second.relations != other.relations


def test_a_model_is_judged_by_its_own_task_and_protocol(corpus: Corpus, tmp_path: Path) -> None:
    from disco2.bundle import load_bundle

    configuration = QUICK.changed({"task.versus": "Contingency"})
    parts = divide(corpus, configuration)
    save_model(train_model(corpus, parts, configuration), parts, configuration, corpus, tmp_path / "m")
    model, manifest = load_bundle(tmp_path / "m")
    judged = judge(model, manifest, corpus, part="test")
    assert judged.labels == ("Contingency", "Other")
    assert judged.evaluation.positive == "Contingency"
    assert {corpus.parts[one.document.id] for one in judged.instances} == {"test"}
    assert judged.warnings == ()
    fold = judge(model, manifest, corpus, part="test", protocol="cv5-0")
    assert "may hold relations it has seen" in fold.warnings[0]
    other = judge(model, manifest, replace(corpus, automatic=("coreference",)), part="test")
    assert "no automatic layers; here automatic coreference" in other.warnings[0]
    assert {one.relation.id for one in fold.instances} != {one.relation.id for one in judged.instances}
    assert isinstance(manifest, Manifest)
    assert len(set(manifest.label_counts.values())) == 1  # the smaller class was repeated
    assert Configuration.from_json(manifest.configuration) == configuration


def test_training_does_not_depend_on_how_python_hashes(corpus: Corpus, tmp_path: Path) -> None:
    write_role_pairs(tmp_path / "corpus", size=60, seed=1)
    for seed in ("0", "1"):
        arguments = ["train", "--corpus", "role-pairs", "--path", "corpus", "--output", f"model-{seed}"]
        arguments += ["--set", "training.epochs=2"]
        subprocess.run(
            [
                sys.executable,
                "-c",
                "from disco2.interfaces.cli import main; main()",
                *arguments,
                "--set",
                "training.epochs=2",
            ],
            cwd=tmp_path,
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
    first, second = (sorted((tmp_path / f"model-{seed}").iterdir()) for seed in "01")
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name
