"""Several processes and several commands on the same runs."""

from __future__ import annotations

import multiprocessing
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_limits

from disco2.data import Corpus
from disco2.engines import LocalEngine
from disco2.engines.local import process_context
from disco2.errors import InputError
from disco2.experiments import run_work as performing
from disco2.experiments.run_work import Runs, perform_all
from disco2.experiments.runs import RunPlan
from disco2.lock import FileLock, fcntl
from tests.blas import blas_threads
from tests.experiments.runs.test_runs import corpus, plan, trainings

__all__ = ["corpus"]

locks = pytest.mark.skipif(fcntl is None, reason="the system has no such locks")
SEEDS = (1, 2, 3)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(performing, "LONGEST_PAUSE", 0.02)
    monkeypatch.setattr(performing, "FIRST_PAUSE", 0.01)


@locks
def test_a_run_that_is_being_made_is_left_alone(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = trainings(monkeypatch)
    runs, others = (Runs(tmp_path, {"own": corpus}) for _ in range(2))
    with others.folder(plan()).held() as mine:
        assert mine
        assert runs.perform_if_free(plan()) is None
        with pytest.raises(InputError, match="Another process is making this run"):
            runs.drop(plan())
    assert (seeds, list(tmp_path.iterdir())) == ([], [])
    assert runs.perform_if_free(plan()) is not None
    assert seeds == [1]


@pytest.mark.skipif(
    process_context().get_start_method() != "fork", reason="a stand-in reaches forked ones alone"
)
def test_every_process_has_one_thread_for_its_matrices(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, seen = performing.train_model, tmp_path / "seen"
    seen.mkdir()

    def looking(corpus: Corpus, parts: Any, configuration: Any, **options: Any) -> Any:
        (seen / str(configuration.training.seed)).write_text(str(blas_threads()))
        return train(corpus, parts, configuration, **options)

    monkeypatch.setattr(performing, "train_model", looking)
    plans = [plan(training_seed=seed) for seed in SEEDS]
    with threadpool_limits(limits=2, user_api="blas"):
        perform_all(Runs(tmp_path / "runs", {"own": corpus}), plans, engine=LocalEngine(2))
        assert blas_threads() == {2}
    assert [file.read_text() for file in seen.iterdir()] == ["{1}"] * len(SEEDS)


@locks
def test_two_commands_at_once_make_every_run_once(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = performing.train_model
    trained: list[tuple[str, int]] = []
    begun, go_on = threading.Event(), threading.Event()

    def slowly(corpus: Corpus, parts: Any, configuration: Any, **options: Any) -> Any:
        who = threading.current_thread().name
        trained.append((who, configuration.training.seed))
        if who == "first":
            begun.set()
            assert go_on.wait(20)
        return train(corpus, parts, configuration, **options)

    monkeypatch.setattr(performing, "train_model", slowly)
    plans = [plan(training_seed=seed) for seed in SEEDS]
    first, second = (Runs(tmp_path, {"own": corpus}) for _ in range(2))
    command = threading.Thread(target=perform_all, args=(first, plans), name="first")
    command.start()
    assert begun.wait(20)
    made: list[int] = []

    def finished(one: RunPlan) -> None:
        made.append(one.seed)
        if len(made) == 2:
            go_on.set()

    perform_all(second, plans, finished=finished)
    command.join()
    assert Counter(seed for _, seed in trained) == dict.fromkeys(SEEDS, 1)
    assert trained[0] == ("first", 1)
    assert made == [2, 3, 1]
    assert second.result(plans[0]).notes == first.result(plans[0]).notes


@locks
def test_processes_come_back_to_a_run_that_was_taken(corpus: Corpus, tmp_path: Path) -> None:
    plans = [plan(training_seed=seed) for seed in SEEDS]
    lock = FileLock(Runs(tmp_path, {"own": corpus}).folder(plans[0]).path / ".lock")
    assert lock.take()
    made: list[int] = []

    def finished(one: RunPlan) -> None:
        made.append(one.seed)
        if len(made) == 2:
            lock.give_up()

    perform_all(Runs(tmp_path, {"own": corpus}), plans, engine=LocalEngine(2), finished=finished)
    assert sorted(made[:2]) == [2, 3]
    assert made[2:] == [1]
    assert all(Runs(tmp_path, {"own": corpus}).is_finished(one) for one in plans)


def test_without_locks_every_run_is_free(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disco2.lock.fcntl", None)
    runs = Runs(tmp_path, {"own": corpus})
    with runs.folder(plan()).held() as mine:
        assert mine
        assert runs.perform_if_free(plan()) is not None


def test_new_processes_get_all_they_need(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS and Windows, where processes are not forked."""
    monkeypatch.setattr("disco2.engines.local.process_context", lambda: multiprocessing.get_context("spawn"))
    runs = Runs(tmp_path / "two", {"own": corpus})
    runs.perform(plan())  # what is read and prepared here stays here
    plans = [plan(training_seed=seed) for seed in SEEDS]
    perform_all(runs, plans, engine=LocalEngine(2))
    alone = Runs(tmp_path / "one", {"own": corpus})
    for one in plans:
        expected = alone.perform(one).answers["test"].scores
        assert runs.result(one).answers["test"].scores.tolist() == expected.tolist()
