"""Tasks and splits that leave nothing to learn from, or nothing to measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from disco2.data import Corpus
from disco2.errors import CorpusError, SettingsError
from disco2.experiments.bench import measure, stacked
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.runs import RunPlan, Runs
from disco2.experiments.train_run import train_model
from tests.corpora.made_up import corpus, relation

CAUSE, CONTRAST = "Contingency.Cause", "Comparison.Contrast"


def made_up(parts: dict[str, str]) -> Corpus:
    relations = [
        relation(name, number, [(CAUSE, CONTRAST)[number % 2]]) for name in parts for number in range(4)
    ]
    return corpus(relations, parts=parts, name="role-pairs")


def divided(found: Corpus, **settings: Any) -> tuple[Corpus, Any, Configuration]:
    named = {name.replace("_", ".", 1): value for name, value in settings.items()}
    configuration = Configuration().changed({"task.protocol": "own"} | named)
    return found, divide(found, configuration), configuration


def test_a_label_that_no_training_relation_has_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"'cause'.*Comparison\.Contrast, Contingency\.Cause"):
        divided(made_up({"a": "train"}), task_labels=(CONTRAST, "cause"))


def test_a_class_that_does_not_occur_is_not_trained() -> None:
    with pytest.raises(CorpusError, match="1 labels that count"):
        train_model(*divided(made_up({"a": "train"}), task_versus="Temporal"))


def test_a_run_without_a_dev_part_and_without_entities(tmp_path: Path) -> None:
    found, _, configuration = divided(made_up({"a": "train", "b": "test"}), model_kind="majority")
    answers = Runs(tmp_path, {"own": found}).perform(RunPlan("most common class", configuration)).answers
    assert measure(stacked([answers["dev"]])) is None
    test = stacked([answers["test"]])
    assert test.mean() == 0.5
    assert measure(test[:, answers["test"].shared]) is None


def test_a_run_without_a_test_part_is_refused_at_once(tmp_path: Path) -> None:
    found, _, configuration = divided(made_up({"a": "train", "b": "dev"}), model_kind="majority")
    with pytest.raises(CorpusError, match="to test on"):
        Runs(tmp_path, {"own": found}).perform(RunPlan("most common class", configuration))
