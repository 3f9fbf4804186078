"""Several processes on one study."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_limits

pytest.importorskip("optuna")

from disco2.data import Corpus
from disco2.engines import LocalEngine
from disco2.engines.processes import process_context
from disco2.errors import InputError
from disco2.experiments.configuration import Configuration
from disco2.experiments.tuning.space import choose_space
from disco2.experiments.tuning.standing import Standing
from disco2.experiments.tuning.tune import Tuned, tune
from tests.blas import blas_threads
from tests.experiments.tuning.made_up_study import QUICK, Trainings

pytestmark = pytest.mark.skipif(
    process_context().get_start_method() != "fork", reason="a stand-in reaches forked processes alone"
)
GRID = choose_space(QUICK, grid="paper", sampler="grid")
_OTHERS: set[int | None] = set()


@pytest.fixture(autouse=True)
def gate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Trainings do not end before this file is there."""
    file = tmp_path / "gate"
    file.touch()

    def slowly(configuration: Configuration) -> float:
        time.sleep(0.05)
        while not file.exists():
            time.sleep(0.01)
        return configuration.training.rate_features

    monkeypatch.setattr("disco2.experiments.tuning.objective.train_model", Trainings(slowly))
    monkeypatch.setattr("disco2.experiments.tuning.workers.LOOK_AFTER", 0.05)
    return file


class Watcher:
    """Notes the trials that each process was on, and kills some of them in the midst of one."""

    def __init__(self, *, kill: int = 0, gate: Path | None = None) -> None:
        self.trials: dict[int, set[int]] = {}
        self.killed: list[int] = []
        self.notes: list[str] = []
        self._dead: set[int] = set()
        self._kill = kill
        self._gate = gate
        if gate:
            gate.unlink()

    def __call__(self, standing: Standing) -> None:
        if standing.note:
            self.notes.append(standing.note)
        for trial, process in standing.running.items():
            if process in self._dead:
                continue
            self.trials.setdefault(process, set()).add(trial)
            if len(self.killed) < self._kill:
                self.killed.append(trial)
                self._dead.add(process)
                os.kill(process, signal.SIGKILL)
                if self._gate and len(self.killed) == self._kill:
                    self._gate.touch()
                return


def tuned(corpus: Corpus, storage: str, watcher: Watcher, **options: Any) -> Tuned:
    settings = {
        "space": GRID,
        "engine": LocalEngine(2),
        "seeds": 1,
        "pruning": False,
        "report": watcher,
    } | options
    return tune(corpus, QUICK, storage=storage, **settings)


def test_two_processes_share_the_points_and_do_none_twice(corpus: Corpus, storage: str) -> None:
    watcher = Watcher()
    found = tuned(corpus, storage, watcher, trials=10)
    assert [trial.state for trial in found.trials] == ["complete"] * 10
    assert len({tuple(trial.values.items()) for trial in found.trials}) == 10
    first, second = watcher.trials.values()
    assert not first & second
    assert not _children()


def test_a_killed_process_loses_the_trial_it_was_on_and_no_more(
    corpus: Corpus, storage: str, gate: Path
) -> None:
    watcher = Watcher(kill=1, gate=gate)
    found = tuned(corpus, storage, watcher, trials=6)
    [lost] = watcher.killed
    assert found.count("complete") == 6
    assert [trial.number for trial in found.trials if trial.state == "fail"] == [lost]
    points = [tuple(trial.values.items()) for trial in found.trials if trial.state == "complete"]
    assert len(set(points)) == 6
    assert any(note.startswith("a worker ended by signal SIGKILL during task") for note in watcher.notes)
    assert f"trial {lost} is done again" in watcher.notes
    assert len(watcher.trials) == 3  # it was replaced


def test_processes_that_all_die_end_the_study_with_a_word(corpus: Corpus, storage: str, gate: Path) -> None:
    with pytest.raises(
        InputError, match=r"One process after the other ends, the last ones by signal SIGKILL \(3 times\)"
    ):
        tuned(corpus, storage, Watcher(kill=100, gate=gate), trials=6)
    assert not _children()
    gate.touch()
    found = tuned(corpus, storage, Watcher(), trials=6)
    assert found.count("complete") == 6


def test_an_error_in_a_process_is_this_process_s_error(
    corpus: Corpus, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(configuration: Configuration) -> float:
        raise InputError("The vectors are gone.", where="here", hint="Find them.")

    monkeypatch.setattr("disco2.experiments.tuning.objective.train_model", Trainings(broken))
    with pytest.raises(InputError, match=r"here: The vectors are gone\. Find them\."):
        tuned(corpus, storage, Watcher(), trials=4)
    assert not _children()


def test_an_interrupt_leaves_what_is_finished_and_queues_the_rest(corpus: Corpus, storage: str) -> None:
    def interrupts(standing: Standing) -> None:
        if standing.finished:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tuned(corpus, storage, Watcher(), trials=8, report=interrupts)
    assert not _children()
    before = tuned(corpus, storage, Watcher(), trials=1)
    assert before.count("complete") >= 1
    assert before.count("running") == 0
    found = tuned(corpus, storage, Watcher(), trials=8)
    assert found.count("complete") == 8


def test_every_process_has_one_thread_for_its_matrices(
    corpus: Corpus, storage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(configuration: Configuration) -> float:
        (tmp_path / f"{os.getpid()}.threads").write_text(str(blas_threads()))
        time.sleep(0.05)
        return 0.5

    monkeypatch.setattr("disco2.experiments.tuning.objective.train_model", Trainings(look))
    with threadpool_limits(limits=2, user_api="blas"):
        tuned(corpus, storage, Watcher(), trials=6)
        assert blas_threads() == {2}
    seen = {file.name: file.read_text() for file in tmp_path.glob("*.threads")}
    assert f"{os.getpid()}.threads" not in seen
    assert set(seen.values()) == {"{1}"}


@pytest.fixture(autouse=True)
def _processes_of_others() -> None:
    """joblib keeps its processes for the next one who asks, also those of an earlier test."""
    _OTHERS.clear()
    _OTHERS.update(process.pid for process in multiprocessing.active_children())


def _children() -> list[Any]:
    return [process for process in multiprocessing.active_children() if process.pid not in _OTHERS]
