"""Workers of both engines train and are killed meanwhile: the same figures as from one process."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
from disco2.data import Corpus
from disco2.engines import DaskEngine, Engine, LocalEngine
from disco2.experiments.configuration import Configuration
from disco2.experiments.run_work import Runs, perform_all
from disco2.experiments.runs import RunPlan
from disco2.experiments.tuning import choose_space, tune
from disco2.lock import fcntl

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL"),
    pytest.mark.skipif(fcntl is None, reason="the lock of a killed process would not be free"),
]
SMALL = {"model.K": 8, "training.epochs": 15, "training.patience": 15, "vectors.frequent": 0}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return read_role_pairs(write_role_pairs(tmp_path_factory.mktemp("corpus") / "pairs", size=100, seed=1))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Engine]:
    """A scheduler and two workers that stand in another folder than the tests."""
    pytest.importorskip("distributed")
    from disco2.engines.dask import local_cluster

    with local_cluster(2) as started:
        yield DaskEngine(workers=2, scheduler=started.scheduler_address)


@pytest.fixture(params=["local", "dask"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """For a command that is given in the test's own folder, whose paths start there."""
    monkeypatch.chdir(tmp_path)
    found: Engine = LocalEngine(2) if request.param == "local" else request.getfixturevalue("cluster")
    return found


class Killer:
    """Kills the process that makes a run, for so many runs, as soon as each is seen to be made."""

    def __init__(self, runs: Path, kills: int) -> None:
        self._runs = runs
        self.left = kills
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        known: set[int] = set()
        while self.left and not self._over.wait(0.01):
            for lock in self._runs.glob("*/.lock"):
                holder = _holder(lock)
                if self.left and holder and holder not in known:
                    known.add(holder)
                    os.kill(holder, signal.SIGKILL)
                    self.left -= 1


def _holder(lock: Path) -> int:
    """The process that has a lock's file open; 0 where it can't be found."""
    try:
        inode = lock.stat().st_ino
        for line in Path("/proc/locks").read_text().splitlines():
            fields = line.split()
            if "FLOCK" in fields and fields[5].endswith(f":{inode}"):
                return int(fields[4])
    except (OSError, ValueError, IndexError):
        pass
    return 0


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="can't be seen who makes a run")
def test_runs(corpus: Corpus, engine: Engine) -> None:
    settings = Configuration().changed(SMALL)
    plans = [RunPlan("a model", settings.changed({"training.seed": seed})) for seed in range(1, 5)]
    alone = Runs(Path("alone"), {"own": corpus})
    perform_all(alone, plans)
    together = Runs(Path("together"), {"own": corpus})
    notes: list[str] = []
    made: list[int] = []
    with Killer(Path("together"), 2) as killer:
        perform_all(
            together, plans, engine=engine, notice=notes.append, finished=lambda one: made.append(one.seed)
        )
    assert killer.left == 0
    assert sum("a worker ended" in note for note in notes) == 2, notes
    assert sorted(made) == [1, 2, 3, 4]
    assert answers(Path("together")) == answers(Path("alone"))
    assert len(answers(Path("alone"))) == 2 * len(plans)
    assert not list(Path("together").glob("*/.lock"))
    assert not list(Path("together").glob("*/checkpoint"))


def answers(runs: Path) -> dict[str, bytes]:
    files = runs.glob("*/predictions-*.jsonl")
    return {str(file.relative_to(runs)): file.read_bytes() for file in files}


def test_trials(corpus: Corpus, engine: Engine) -> None:
    pytest.importorskip("optuna")
    settings = Configuration().changed(SMALL | {"model.kind": "upward", "model.features": False})

    def tuned(storage: str, **options: Any) -> dict[Any, Any]:
        space = choose_space(settings, grid="paper", sampler="grid")
        found = tune(
            corpus, settings, space=space, storage=f"sqlite:///{storage}", trials=3, seeds=1, **options
        )
        return {tuple(trial.values.items()): (trial.by_seed, trial.loss) for trial in found.trials}

    assert tuned("together.db", engine=engine) == tuned("alone.db")
