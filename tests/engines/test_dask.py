"""What only an engine with a scheduler has to stand."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed")

from disco2.engines import DaskEngine, Outcome, Session, Task, outcomes_of
from disco2.engines.dask import cluster as cluster_module
from disco2.engines.dask import connection as connection_module
from disco2.engines.dask import engine as engine_module
from disco2.engines.dask import session as session_module
from disco2.errors import InputError, MissingExtraError
from disco2.version import VERSION
from tests.engines.dask_processes import DaskProcesses, dask_processes
from tests.engines.driver_processes import start
from tests.engines.works import Diary, Obedient, Squares

OLD_VERSION = "import disco2.version\ndisco2.version.VERSION = '0.0.1'\n"


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[DaskProcesses]:
    with dask_processes(tmp_path, workers=0, nannies=False) as started:
        yield started


def first(session: Session) -> Outcome:
    """Waits no longer than a machine under load needs to start a worker."""
    outcomes = session.outcomes(60)
    assert outcomes
    return outcomes[0]


def test_the_scheduler_is_killed_and_started_again(processes: DaskProcesses, diary: Diary) -> None:
    processes.start_worker()
    processes.start_worker()
    said: list[str] = []
    results: list[int] = []
    again = threading.Timer(0.3, processes.start_scheduler)
    with DaskEngine(2, processes.address).session(Squares(diary, 0.2), notice=said.append) as session:
        for outcome in outcomes_of(session, (Task(str(number), number) for number in range(16))):
            results.append(outcome.result)
            if len(results) == 5:
                processes.kill_scheduler()
                again.start()
    again.join()
    assert sorted(results) == [number * number for number in range(16)]
    assert [sentence.partition(" is ")[2].partition(";")[0] for sentence in said[:2]] == ["gone", "back"]


def test_a_scheduler_that_stays_away(
    processes: DaskProcesses, diary: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes.start_worker()
    engine = DaskEngine(1, processes.address, patience=1)

    def lose_it() -> None:
        with engine.session(Squares(diary)) as session:
            session.submit(Task("first", 1))
            assert first(session).result == 1
            processes.kill_scheduler()
            monkeypatch.setattr(session_module, "ANSWERS_WITHIN", 0.5)
            session.submit(Task("second", 2))
            session.outcomes()

    with pytest.raises(InputError, match=r"did not come back in 1 seconds.*what is done is kept") as raised:
        lose_it()
    assert raised.value.where == processes.address
    with pytest.raises(InputError, match="No Dask scheduler answers"), engine.session(Squares(diary)):
        pass


def test_a_worker_that_joins_later_gets_the_work(
    processes: DaskProcesses, diary: Diary, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(session_module, "ALONE_FOR", 0.0)
    monkeypatch.setattr(connection_module, "LOOK_EVERY", 0.2)
    said: list[str] = []
    with DaskEngine(1, processes.address).session(Squares(diary), notice=said.append) as session:
        session.submit(Task("first", 3))
        while not said:
            assert session.outcomes(0.1) == []
        assert (session.workers, session.waiting) == (0, 1)
        assert said == [f"the scheduler at {processes.address} has no workers; waiting for them"]
        processes.start_worker()
        assert first(session).result == 9
        assert session.workers == 1


def test_workers_of_another_version_are_refused(
    processes: DaskProcesses, diary: Diary, tmp_path: Path
) -> None:
    (tmp_path / "old.py").write_text(OLD_VERSION)
    engine = DaskEngine(1, processes.address)

    def meet_it_later() -> None:
        with engine.session(Squares(diary)) as session:
            processes.start_worker("--preload", str(tmp_path / "old.py"))
            session.submit(Task("first", 3))
            first(session)

    message = f"The worker has disco2 0.0.1, this command {VERSION}"
    with pytest.raises(InputError, match=message):
        meet_it_later()
    with pytest.raises(InputError, match=message), engine.session(Squares(diary)):
        pass
    assert diary.lines() == []


def test_a_worker_with_several_threads_does_one_task_at_a_time(
    cluster_engine: DaskEngine, diary: Diary
) -> None:
    with cluster_engine.session(Obedient(diary)) as one, cluster_engine.session(Obedient(diary)) as other:
        for number in range(4):
            one.submit(Task(f"one-{number}", ("stay", number)))
            other.submit(Task(f"other-{number}", ("stay", number)))
        while one.waiting or other.waiting:
            one.outcomes(0.1)
            other.outcomes(0.1)
    visits = [line.split() for line in diary.lines() if not line.startswith("stay")]
    assert len(visits) == 16
    for process in {process for _, process in visits}:
        assert set([what for what, visitor in visits if visitor == process][::2]) == {"came"}


def test_the_work_of_a_driver_that_was_killed_is_taken_from_the_workers(
    cluster_engine: DaskEngine, diary: Diary
) -> None:
    from distributed import Client

    def names() -> list[str]:
        with Client(cluster_engine.scheduler, set_as_default=False) as client:
            found = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.worker_plugins))
            return [name for name in found if name.startswith("disco2")]

    driver = start(diary.path, "dask", cluster_engine.scheduler)
    assert len(names()) == 1
    driver.kill()
    driver.communicate(timeout=60)
    assert len(names()) == 1
    with cluster_engine.session(Squares(diary)) as session:
        session.submit(Task("first", 3))
        assert first(session).result == 9
        assert len(names()) == 1
    assert names() == []


def test_a_cluster_of_its_own_says_nothing_and_leaves_nothing(
    diary: Diary, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("random.py", "dask.py"):  # what lies beside a corpus is not run
        (tmp_path / name).write_text("raise SystemExit('hijacked')")
    with DaskEngine(2).session(Obedient(diary)) as session:
        tasks = [("die_once", "a"), ("return", 1), ("return", 2)]
        outcomes = list(outcomes_of(session, [Task(str(number), one) for number, one in enumerate(tasks)]))
        assert 1 <= session.workers <= 2
    assert {outcome.result for outcome in outcomes} == {"a", 1, 2}
    assert capfd.readouterr() == ("", "")
    assert "disco2-dask" not in {thread.name for thread in threading.enumerate()}


def test_workers_of_its_own_that_do_not_start(
    diary: Diary, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster_module.sys, "executable", "/bin/false")
    with (
        pytest.raises(InputError, match=r"Dask's workers don't start: the last of \d ended with exit code 1"),
        DaskEngine(2).session(Squares(diary)) as session,
    ):
        list(outcomes_of(session, [Task("first", 3)]))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "address",
    ["http://example.org:8786", "tcp://127.0.0.1:notaport", "tls://127.0.0.1:8786", ":::", "tcp://host"],
)
def test_addresses_that_make_no_sense(diary: Diary, address: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError) as raised, DaskEngine(1, address).session(Squares(diary)):
        pass
    assert raised.value.where == address
    assert capfd.readouterr() == ("", "")


def test_dask_is_an_extra(diary: Diary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"disco2\[cluster\]"), DaskEngine(1).session(Squares(diary)):
        pass
