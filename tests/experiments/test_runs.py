"""Runs as folders: what is in them, when they are done again, and the same figures from several processes."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disco2.data import Corpus
from disco2.errors import CorpusError, InputError
from disco2.experiments import runs as module
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.runs import (
    RunPlan,
    Runs,
    corpus_digest,
    perform_all,
    plain_words,
)

SMALL = {"model.K": 8, "training.epochs": 3, "vectors.frequent": 0, "model.kind": "entities"}


def plan(**changes: Any) -> RunPlan:
    named = {name.replace("_", ".", 1): value for name, value in changes.items()}
    return RunPlan("a model", Configuration().changed(SMALL | named))


def plans(count: int, **changes: Any) -> list[RunPlan]:
    return [plan(training_seed=seed, **changes) for seed in range(1, count + 1)]


def predictions(root: Path) -> dict[str, bytes]:
    return {str(file.relative_to(root)): file.read_bytes() for file in root.glob("*/predictions-*.jsonl")}


@pytest.fixture
def trained_seeds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds of the trainings in this process."""
    seeds: list[int] = []
    train = module.train_model

    def counting(corpus: Corpus, parts: Any, configuration: Configuration, **options: Any) -> Any:
        seeds.append(configuration.training.seed)
        return train(corpus, parts, configuration, **options)

    monkeypatch.setattr(module, "train_model", counting)
    return seeds


def test_a_run_is_a_folder_with_everything_in_it(role_pairs: Corpus, tmp_path: Path) -> None:
    result = Runs(tmp_path, {"own": role_pairs}).perform(plan(model_members=2))
    (folder,) = tmp_path.iterdir()
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.toml",
        "predictions-dev.jsonl",
        "predictions-test.jsonl",
        "run.json",
        "scores.json",
    ]
    assert read_configuration(folder / "config.toml") == plan(model_members=2).configuration
    described = json.loads((folder / "run.json").read_text())
    assert (described["seed"], described["corpus"]) == (1, "role-pairs")
    assert "numpy" in described["versions"]
    lines = [json.loads(line) for line in (folder / "predictions-test.jsonl").read_text().splitlines()]
    right = [line["predicted"] in line["gold"] for line in lines]
    assert right == result.answers["test"].right.tolist()
    assert [line["id"] for line in lines] == list(result.answers["test"].relations)
    figures = json.loads((folder / "scores.json").read_text())["figures"]
    assert figures["test"]["accuracy"] == pytest.approx(np.mean(right))


def test_a_finished_run_is_not_done_again(
    role_pairs: Corpus, tmp_path: Path, trained_seeds: list[int]
) -> None:
    runs = Runs(tmp_path, {"own": role_pairs})
    first = runs.perform(plan())
    again = Runs(tmp_path, {"own": role_pairs})
    second = again.perform(plan())
    assert trained_seeds == [1]
    assert second.answers["test"].scores.tolist() == first.answers["test"].scores.tolist()
    assert (second.answers["dev"].gold, second.notes) == (first.answers["dev"].gold, first.notes)


@pytest.mark.parametrize("damage", ["scores.json", "predictions-test.jsonl", "predictions-dev.jsonl"])
def test_a_run_with_damaged_files_is_done_again(role_pairs: Corpus, tmp_path: Path, damage: str) -> None:
    runs = Runs(tmp_path, {"own": role_pairs})
    first = runs.perform(plan())
    file = runs.folder(plan()) / damage
    file.write_text(file.read_text()[:-9])
    again = Runs(tmp_path, {"own": role_pairs})
    assert not again.is_finished(plan())
    assert again.perform(plan()).answers["test"].scores.tolist() == first.answers["test"].scores.tolist()
    assert again.is_finished(plan())


def test_the_name_follows_from_all_that_a_run_depends_on(
    role_pairs: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = corpus_digest(role_pairs)
    assert digest == corpus_digest(replace(role_pairs, notes=("read twice",)))
    moved = tuple(replace(one, where="elsewhere") for one in role_pairs.relations)
    assert digest == corpus_digest(replace(role_pairs, relations=moved))
    named = tuple(replace(one, connective="because") for one in role_pairs.relations)
    file = tmp_path / "vectors.txt"
    file.write_text("one 1 2")
    names = [
        plan().directory(digest),
        plan().directory(corpus_digest(replace(role_pairs, relations=named))),
        plan(training_seed=2).directory(digest),
        plan(model_K=9).directory(digest),
        plan(vectors_source=str(file)).directory(digest),
    ]
    assert names[0] == plan().directory(digest)
    assert names[0].startswith("a-model-own-seed-1-")
    file.write_text("one 1 2\ntwo 3 4")
    names.append(plan(vectors_source=str(file)).directory(digest))
    monkeypatch.setattr(module, "VERSION", "99.0")
    names.append(plan().directory(digest))
    assert len(set(names)) == len(names)
    assert plain_words(["Upward + entities", "", "seed 1"]) == "upward-entities-seed-1"


def test_a_training_that_diverged_is_no_result(
    role_pairs: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = module.train_model

    def diverge(*arguments: Any, **options: Any) -> Any:
        fitted = train(*arguments, **options)
        fitted.model.parameters["U"][0, 0] = np.nan
        return fitted

    monkeypatch.setattr(module, "train_model", diverge)
    runs = Runs(tmp_path, {"own": role_pairs})
    with pytest.raises(InputError, match=r"a model, seed 1: .* U has values"):
        runs.perform(plan())
    assert not runs.is_finished(plan())


@pytest.mark.parametrize("jobs", [1, 2])
def test_many_runs_are_done_once_each(role_pairs: Corpus, tmp_path: Path, jobs: int) -> None:
    runs = Runs(tmp_path, {"own": role_pairs})
    runs.perform(plan())
    seen: list[tuple[int, int]] = []
    perform_all(
        runs,
        [*plans(3), plan(training_seed=2)],
        jobs=jobs,
        progress=lambda one, done, total: seen.append((one.seed, total)),
    )
    assert sorted(seen) == [(2, 2), (3, 2)]
    assert all(Runs(tmp_path, {"own": role_pairs}).is_finished(one) for one in plans(3))


def test_an_error_in_a_process_is_the_error_of_the_whole(role_pairs: Corpus, tmp_path: Path) -> None:
    all_train = replace(role_pairs, parts=dict.fromkeys(role_pairs.documents, "train"))
    with pytest.raises(CorpusError, match="to test on under the protocol 'own'") as raised:
        perform_all(Runs(tmp_path, {"own": all_train}), plans(2, task_protocol="own"), jobs=2)
    assert raised.value.hint == "Name another split, such as: --set task.protocol=cv5-0"


@pytest.mark.parametrize("method", ["fork", "spawn"])  # as on Linux; as on macOS and Windows
def test_processes_give_what_one_gives(
    role_pairs: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("disco2.engines.local.process_context", lambda: multiprocessing.get_context(method))
    perform_all(Runs(Path("alone"), {"own": role_pairs}), plans(3))
    perform_all(Runs(Path("together"), {"own": role_pairs}), plans(3), jobs=2)
    assert predictions(Path("together")) == predictions(Path("alone"))
    assert len(predictions(Path("alone"))) == 6
