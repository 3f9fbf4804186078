"""Matrix products run on one thread, in whatever process, and what the user had set is back afterwards."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from disco2.data.batch import collate
from disco2.engines.local import begin_as_worker
from disco2.features import FeatureSettings
from disco2.model import ModelSettings
from disco2.threads import EVERYTHING, PRODUCTS, available_cores, single_threaded
from disco2.training.loop import TrainingSettings
from disco2.vectors import VectorSettings
from tests.conftest import ROOT
from tests.instances import reasons_and_results
from tests.training.fitting import fit

USERS = 2  # threads that the user of the library has asked for


def blas_threads() -> set[int]:
    """The number of threads of every BLAS that is loaded, each number once."""
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def users_threads() -> Iterator[None]:
    if find_spec("scipy"):
        import scipy.linalg  # noqa: F401  brings a BLAS of its own
    with threadpool_limits(limits=USERS, user_api="blas"):
        if blas_threads() != {USERS} or available_cores() < USERS:
            pytest.skip("this machine or its BLAS has one thread")
        yield


def test_one_inside_and_the_users_number_outside() -> None:
    with single_threaded():
        assert blas_threads() == {1}
        with single_threaded():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {USERS}
    with pytest.raises(ZeroDivisionError), single_threaded():
        _ = 1 / 0
    assert blas_threads() == {USERS}


def _overlap(connection: Connection) -> None:
    first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))
    seen: list[set[int]] = []
    before = blas_threads()

    def first() -> None:
        with single_threaded():
            first_is_in.set()
            second_is_in.wait(10)
        first_is_out.set()

    def second() -> None:
        first_is_in.wait(10)
        with single_threaded():
            second_is_in.set()
            first_is_out.wait(10)
            seen.append(blas_threads())

    workers = [threading.Thread(target=work) for work in (first, second)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    connection.send((before, seen, blas_threads()))


def test_the_last_of_several_threads_restores_the_users_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """One enters, another enters, the first leaves, the other leaves: no one restores what is not theirs."""
    before, seen, after = told_by(_overlap, "spawn", monkeypatch)
    assert seen == [{1}]
    assert before == after == {USERS}


def test_training_scoring_and_explaining(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[int]] = []
    instances = reasons_and_results(24, seed=1)
    model = fit(
        instances[:16],
        instances[16:],
        labels=("Cause", "Result"),
        model=ModelSettings(K=5, members=2),
        features=FeatureSettings(minimum_count=2),
        vectors=VectorSettings(frequent=100),
        settings=TrainingSettings(epochs=2, batch_size=4),
        progress=lambda epoch: seen.append(blas_threads()),
    ).model
    assert len(seen) >= 2
    assert set(map(frozenset, seen)) == {frozenset({1})}
    assert blas_threads() == {USERS}

    seen.clear()

    def looking(examples):
        seen.append(blas_threads())
        return collate(examples)

    monkeypatch.setattr("disco2.model.relation_model.collate", looking)
    model.scores(instances[:4])
    assert seen == [{1}]
    model.contributions(instances[0])
    assert blas_threads() == {USERS}


def told_by(work: Callable[[Connection], None], start: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a new process says, started by a user who asked for two threads."""
    for name in PRODUCTS:
        monkeypatch.setenv(name, str(USERS))
    context = multiprocessing.get_context(start)
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs,))  # type: ignore[attr-defined]
    process.start()
    theirs.close()
    said = ours.recv()
    process.join()
    return said


def _work(connection: Connection) -> None:
    before = blas_threads()
    begin_as_worker(os.getppid())
    connection.send((before, blas_threads(), {os.environ.get(name) for name in EVERYTHING}))


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_worker_processes(start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told_by(_work, start, monkeypatch) == ({USERS}, {1}, {"1"})
    assert blas_threads() == {USERS}


TOLD = """
from threadpoolctl import threadpool_info
print({library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"})
"""


def alone(code: str) -> list[str]:
    """What a fresh process prints that was started by a user who asked for two threads."""
    given = os.environ | dict.fromkeys(PRODUCTS, str(USERS))
    done = subprocess.run(
        [sys.executable, "-c", code], env=given, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_the_command_line_has_one_thread_before_numpy_is_loaded() -> None:
    code = f"""
import sys
sys.argv = ["disco2", "--version"]
from disco2.interfaces.cli import main
try:
    main()
except SystemExit:
    pass
import numpy
{TOLD}"""
    assert alone(code)[-1] == "{1}"


def test_importing_the_library_sets_nothing() -> None:
    code = f"""
import os
before = dict(os.environ)
import disco2.inference.pipeline, disco2.training.fit, disco2.engines.local
print(dict(os.environ) == before)
{TOLD}"""
    assert alone(code) == ["True", f"{{{USERS}}}"]


def test_a_library_that_is_loaded_inside_is_limited_at_the_next_entry() -> None:
    """SciPy's BLAS, which compiled code uses, is loaded when it is first called."""
    pytest.importorskip("scipy")
    code = f"""
from disco2.threads import single_threaded
with single_threaded():
    import scipy.linalg
    with single_threaded():
        pass
    {TOLD.strip().replace(chr(10), chr(10) + "    ")}
{TOLD}"""
    assert alone(code) == ["{1}", f"{{{USERS}}}"]


@pytest.mark.parametrize(
    ("quota", "cores"),
    [
        (None, 64),
        ("max 100000\n", 64),
        ("200000 100000\n", 2),
        ("1000 100000\n", 1),
        ("nonsense", 64),
    ],
)
def test_available_cores_respect_the_quota_of_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str | None, cores: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(64)), raising=False)
    if quota is not None:
        (tmp_path / "cpu.max").write_text(quota)
    assert available_cores(quota_file=tmp_path / "cpu.max") == cores
