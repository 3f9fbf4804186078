"""What only the Dask engine does; which engine the command line opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed")

import psutil
from distributed import Client, LocalCluster

from disco2.engines import DaskEngine, LocalEngine, Outcome, Session, Task, engine
from disco2.engines import dask as dask_engine
from disco2.errors import InputError, MissingExtraError
from disco2.interfaces.cli.options import EngineOptions
from tests.engines.works import Diary, Obedient, Squares


@pytest.fixture
def cluster() -> Iterator[LocalCluster]:
    """A scheduler without workers."""
    with dask_engine.local_cluster(0) as started:
        yield started


def first(session: Session, given: object) -> Outcome:
    return next(session.run([Task("first", given)]))


def test_a_lost_scheduler_ends_the_session(cluster: LocalCluster, diary: Diary) -> None:
    cluster.scale(1)
    dask = DaskEngine(1, cluster.scheduler_address)

    def lose_it() -> None:
        with dask.session(Squares(diary)) as session:
            assert first(session, 1).result == 1
            cluster.close()
            first(session, 2)

    with pytest.raises(InputError, match=r"scheduler was lost.*run the same command") as raised:
        lose_it()
    assert raised.value.where == dask.scheduler


def test_a_worker_that_joins_later_gets_the_work(
    cluster: LocalCluster, diary: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_engine, "NO_WORKERS_SECONDS", 0.1)
    said: list[str] = []
    address = cluster.scheduler_address
    with DaskEngine(1, address).session(Squares(diary), notice=said.append) as session:
        assert said == [f"the scheduler at {address} has no workers; waiting for them"]
        cluster.scale(1)
        assert first(session, 3).result == 9


def test_the_workers_do_not_keep_the_work(cluster_engine: DaskEngine, diary: Diary) -> None:
    def kept() -> int:
        with Client(cluster_engine.scheduler, set_as_default=False) as client:
            return sum(client.run(_count_works).values())

    with cluster_engine.session(Squares(diary)) as session:
        assert first(session, 3).result == 9
        assert kept() == 1
    assert kept() == 0


def _count_works() -> int:
    return dask_engine._load_work.cache_info().currsize


def test_our_own_cluster_is_silent_and_leaves_nothing(
    diary: Diary, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    for name in ("random.py", "dask.py"):  # files beside a corpus are not run
        (tmp_path / name).write_text("raise SystemExit('hijacked')")
    (tmp_path / "disco2-dask-999999999-killed").mkdir()  # no process has this number
    with DaskEngine(2).session(Obedient(diary)) as session:
        tasks = [("die_once", "a"), ("return", 1), ("return", 2)]
        outcomes = list(session.run(Task(str(number), one) for number, one in enumerate(tasks)))
        driver = psutil.Process()
        processes = [driver, *driver.children(recursive=True)]
        sockets = [one for process in processes for one in process.net_connections("inet")]
        assert {one.laddr.ip for one in sockets if one.status == psutil.CONN_LISTEN} == {"127.0.0.1"}
    assert {outcome.result for outcome in outcomes} == {"a", 1, 2}
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.glob("disco2-dask-*")) == []


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org:8786",
        "tcp://127.0.0.1:notaport",
        "tls://127.0.0.1:8786",
        ":::",
        "tcp://host",
        "tcp://127.0.0.1:9",
    ],
)
def test_unusable_addresses(
    diary: Diary, address: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_engine, "CONNECT_SECONDS", 0.5)
    with pytest.raises(InputError) as raised, DaskEngine(1, address).session(Squares(diary)):
        pass
    assert raised.value.where == address
    assert capfd.readouterr() == ("", "")


def test_dask_is_an_extra(diary: Diary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"disco2\[cluster\]"), DaskEngine(1).session(Squares(diary)):
        pass
    with pytest.raises(MissingExtraError, match=r"disco2\[cluster\]"):
        EngineOptions(engine="dask").open(2)


def test_which_engine_the_options_give() -> None:
    assert EngineOptions().open(3) == LocalEngine(3)
    assert EngineOptions(engine="dask").open(3) == DaskEngine(workers=3)
    options = EngineOptions(engine="dask", scheduler="tcp://host:8786")
    assert options.open(3) == DaskEngine(workers=3, scheduler="tcp://host:8786")
    with pytest.raises(InputError, match="--scheduler"):
        EngineOptions(scheduler="tcp://host:8786").open(2)
