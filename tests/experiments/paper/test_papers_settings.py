"""What differs from the paper's settings is said, and nothing else."""

from __future__ import annotations

from pathlib import Path

from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.published import PAPERS_SETTINGS, differences, said_differences

EXAMPLES = Path(__file__).parent.parent.parent.parent / "examples"
PAPERS = Configuration().changed(PAPERS_SETTINGS)


def test_the_example_has_the_papers_settings() -> None:
    assert read_configuration(EXAMPLES / "paper.toml") == PAPERS


def test_the_defaults_differ_in_these() -> None:
    assert differences(Configuration()) == [
        "GloVe in 100 dimensions",
        "mention pairs averaged",
        "a running mean of the parameters",
        "no warm start",
        "B with a rate and a regulariser of its own",
        "other learning rates and regularisers",
    ]
    assert said_differences(Configuration()).endswith("and training stops by the development loss.")


def test_the_papers_settings_differ_in_nothing() -> None:
    luck = {"training.seed": 3, "model.kind": "upward", "task.protocol": "lin"}
    assert differences(PAPERS.changed(luck)) == []
    assert said_differences(PAPERS).startswith("The settings are the paper's (examples/paper.toml), but the ")
    same = PAPERS.changed({"model.initialisation": "zero", "training.stop_by": "score"})
    assert said_differences(same) == "The settings are the paper's (examples/paper.toml)."


def test_every_other_setting_is_named() -> None:
    assert differences(PAPERS.changed({"model.K": 30})) == ["30 dimensions"]
    assert differences(PAPERS.changed({"model.rank": 2, "training.loss": "logistic"})) == [
        "model.rank = 2",
        'training.loss = "logistic"',
    ]
    assert differences(PAPERS.changed({"training.rate_entities": 0.03})) == [
        "B with a rate of its own",
        "other learning rates and regularisers",
    ]
