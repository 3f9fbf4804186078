"""Runs as directories: what is in them, when they are made anew, and when not."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disco2.corpora.catalogue import read_corpus
from disco2.corpora.role_pairs import write_role_pairs
from disco2.data import Corpus
from disco2.engines import Engine, LocalEngine
from disco2.errors import CorpusError, Disco2Error, InputError, MissingExtraError
from disco2.experiments import run_work as performing
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.run_work import Runs, perform_all
from disco2.experiments.runs import RunPlan, corpus_digest, versions, versions_of

SMALL = {"model.K": 8, "training.epochs": 3, "vectors.frequent": 0, "model.kind": "entities"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    write_role_pairs(folder / "pairs", size=60, seed=1)
    return read_corpus("role-pairs", folder / "pairs")


def plan(**changes: Any) -> RunPlan:
    named = {name.replace("_", ".", 1): value for name, value in changes.items()}
    return RunPlan("a model", Configuration().changed(SMALL | named))


def trainings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts trainings in this process."""
    seeds: list[int] = []
    train = performing.train_model

    def counting(corpus: Corpus, parts: Any, configuration: Configuration, **options: Any) -> Any:
        seeds.append(configuration.training.seed)
        return train(corpus, parts, configuration, **options)

    monkeypatch.setattr(performing, "train_model", counting)
    return seeds


def test_a_run_is_a_directory_with_everything_in_it(corpus: Corpus, tmp_path: Path) -> None:
    runs = Runs(tmp_path, {"own": corpus})
    result = runs.perform(plan())
    (folder,) = tmp_path.iterdir()
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.toml",
        "log.jsonl",
        "predictions-dev.jsonl",
        "predictions-test.jsonl",
        "run.json",
        "scores.json",
    ]
    assert read_configuration(folder / "config.toml") == plan().configuration
    described = json.loads((folder / "run.json").read_text())
    assert described["seed"] == 1
    assert described["corpus"] == "role-pairs"
    assert "numpy" in described["versions"]
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert [line["number"] for line in log] == [1, 2, 3]
    lines = [json.loads(line) for line in (folder / "predictions-test.jsonl").read_text().splitlines()]
    right = [line["predicted"] in line["gold"] for line in lines]
    assert right == result.answers["test"].right.tolist()
    assert [line["id"] for line in lines] == list(result.answers["test"].relations)
    figures = json.loads((folder / "scores.json").read_text())["figures"]
    assert figures["test"]["accuracy"] == pytest.approx(np.mean(right))
    assert tomllib.loads((folder / "config.toml").read_text())["training"]["seed"] == 1


def test_a_finished_run_is_never_redone_and_reads_back_the_same(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Runs(tmp_path, {"own": corpus}).perform(plan())
    seeds = trainings(monkeypatch)
    again = Runs(tmp_path, {"own": corpus})
    assert again.is_finished(plan())
    second = again.perform(plan())
    assert seeds == []
    assert second.answers["test"].scores.tolist() == first.answers["test"].scores.tolist()
    assert second.answers["dev"].gold == first.answers["dev"].gold
    assert second.notes == first.notes
    again.drop(plan())
    assert not again.is_finished(plan())
    assert not again.folder(plan()).path.exists()
    again.perform(plan())
    assert seeds == [1]
    folder = again.folder(plan()).path
    mine = [folder / name for name in ("notes.txt", "predictions-mine.jsonl", "checkpoint/notes.txt")]
    for file in mine:
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")
    again.drop(plan())
    assert sorted(file for file in folder.rglob("*") if file.is_file()) == sorted(mine)
    again.perform(plan())
    assert [file.read_text() for file in mine] == ["mine"] * 3


@pytest.mark.parametrize("damage", ["scores.json", "predictions-test.jsonl", "predictions-dev.jsonl"])
def test_a_run_whose_files_are_damaged_is_made_anew(corpus: Corpus, tmp_path: Path, damage: str) -> None:
    runs = Runs(tmp_path, {"own": corpus})
    first = runs.perform(plan())
    file = runs.folder(plan()).path / damage
    file.write_text(file.read_text()[:-9])
    again = Runs(tmp_path, {"own": corpus})
    assert not again.is_finished(plan())
    assert again.perform(plan()).answers["test"].scores.tolist() == first.answers["test"].scores.tolist()
    assert again.folder(plan()).read() is not None


def test_every_setting_seed_and_corpus_has_a_directory_of_its_own(corpus: Corpus) -> None:
    digest = corpus_digest(corpus)
    other = corpus_digest(replace(corpus, relations=corpus.relations[1:]))
    assert digest == corpus_digest(replace(corpus, notes=("read twice",)))
    names = {
        plan().directory(digest),
        plan().directory(other),
        plan(training_seed=2).directory(digest),
        plan(model_K=9).directory(digest),
    }
    assert len(names) == 4
    assert plan().directory(digest) == plan().directory(digest)
    assert plan().directory(digest).startswith("a-model-own-seed-1-")


def test_an_interrupted_run_goes_on_where_it_was(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = Runs(tmp_path / "quiet", {"own": corpus}).perform(plan())
    passes: list[int] = []
    train = performing.train_model

    def stopped(corpus: Corpus, parts: Any, configuration: Configuration, **options: Any) -> Any:
        def progress(epoch: Any) -> None:
            options["progress"](epoch)
            passes.append(epoch.number)
            if len(passes) == 2:
                raise KeyboardInterrupt

        return train(corpus, parts, configuration, **{**options, "progress": progress})

    monkeypatch.setattr(performing, "train_model", stopped)
    runs = Runs(tmp_path / "stopped", {"own": corpus})
    with pytest.raises(KeyboardInterrupt):
        runs.perform(plan())
    assert not runs.is_finished(plan())
    folder = runs.folder(plan()).path

    def logged() -> list[int]:
        return [json.loads(line)["number"] for line in (folder / "log.jsonl").read_text().splitlines()]

    assert logged() == [1, 2]
    (folder / ".predictions-dev.jsonl-0a_4567z").write_text("left by a killed process")
    found = runs.perform(plan())
    assert found.answers["test"].scores.tolist() == quiet.answers["test"].scores.tolist()
    assert logged() == [1, 2, 3]
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_the_log_tells_members_apart(corpus: Corpus, tmp_path: Path) -> None:
    runs = Runs(tmp_path, {"own": corpus})
    runs.perform(plan(model_members=2))
    lines = (runs.folder(plan(model_members=2)).path / "log.jsonl").read_text().splitlines()
    passes = [(line["member"], line["number"]) for line in map(json.loads, lines)]
    assert passes == [(member, number) for member in (1, 2) for number in (1, 2, 3)]


def test_a_training_that_ran_away_is_no_result(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = performing.train_model

    def running_away(*arguments: Any, **options: Any) -> Any:
        fitted = train(*arguments, **options)
        fitted.model.parameters["U"][0, 0] = np.nan
        return fitted

    monkeypatch.setattr(performing, "train_model", running_away)
    runs = Runs(tmp_path, {"own": corpus})
    with pytest.raises(InputError, match="a model, seed 1: The training ran away: U has values"):
        runs.perform(plan())
    assert not runs.is_finished(plan())


def test_a_result_is_read_and_never_made(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = trainings(monkeypatch)
    runs = Runs(tmp_path, {"own": corpus})
    with pytest.raises(Disco2Error, match="'a model' with seed 1 is not finished"):
        runs.result(plan())
    assert (seeds, list(tmp_path.iterdir())) == ([], [])
    made = runs.perform(plan())
    assert Runs(tmp_path, {"own": corpus}).result(plan()).notes == made.notes


def test_other_versions_and_other_vectors_make_other_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("one 1 2")
    names = [plan(vectors_source=str(file)).directory("a corpus")]
    assert plan(vectors_source=str(file)).directory("a corpus") == names[0]
    file.write_text("one 1 2\ntwo 3 4")
    names.append(plan(vectors_source=str(file)).directory("a corpus"))
    monkeypatch.setattr("disco2.experiments.runs.VERSION", "99.0")
    names.append(plan(vectors_source=str(file)).directory("a corpus"))
    assert len(set(names)) == 3


def test_connectives_make_another_corpus(corpus: Corpus) -> None:
    named = tuple(replace(one, connective="because") for one in corpus.relations)
    assert corpus_digest(replace(corpus, relations=named)) != corpus_digest(corpus)


def test_versions_that_differ_are_all_listed() -> None:
    today = versions()
    assert versions_of([today, {}]) == today
    found = versions_of([{"numpy": "1.0", "old": "2"}, today, {"numpy": "1.0"}])
    assert found["numpy"] == f"{today['numpy']}, 1.0"
    assert found["old"] == "2"


@pytest.mark.parametrize("engine", [None, LocalEngine(2)])
def test_many_runs_are_made_once_each(corpus: Corpus, tmp_path: Path, engine: Engine | None) -> None:
    runs = Runs(tmp_path, {"own": corpus})
    runs.perform(plan())
    plans = [plan(training_seed=seed) for seed in (1, 2, 3, 2)]
    seen: list[tuple[int, int]] = []
    perform_all(runs, plans, engine=engine, progress=lambda one, done, total: seen.append((one.seed, total)))
    assert sorted(seen) == [(2, 2), (3, 2)]
    assert all(Runs(tmp_path, {"own": corpus}).is_finished(one) for one in plans)


def test_processes_give_what_one_process_gives(corpus: Corpus, tmp_path: Path) -> None:
    plans = [plan(training_seed=seed) for seed in (1, 2)]
    together, alone = Runs(tmp_path / "two", {"own": corpus}), Runs(tmp_path / "one", {"own": corpus})
    perform_all(together, plans, engine=LocalEngine(2))
    for one in plans:
        expected = alone.perform(one).answers["test"].scores
        assert together.perform(one).answers["test"].scores.tolist() == expected.tolist()


def test_an_error_in_a_process_is_the_error_of_the_whole(corpus: Corpus, tmp_path: Path) -> None:
    runs = Runs(tmp_path, {"own": replace(corpus, parts=dict.fromkeys(corpus.documents, "train"))})
    plans = [plan(training_seed=seed, task_protocol="own") for seed in (1, 2)]
    with pytest.raises(CorpusError, match="to test on under the protocol 'own'") as raised:
        perform_all(runs, plans, engine=LocalEngine(2))
    assert raised.value.hint == "Name another split, such as: --set task.protocol=cv5-0"


def test_errors_travel_between_processes_whole() -> None:

    for error in (CorpusError("what", where="here", hint="do"), MissingExtraError("a", "b", "c")):
        make, parts = error.__reduce__()
        found = make(*parts)
        assert isinstance(found, Disco2Error)
        assert type(found) is type(error)
        assert (found.what, found.where, found.hint, str(found)) == (
            error.what,
            error.where,
            error.hint,
            str(error),
        )
