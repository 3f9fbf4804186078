"""Both engines, with two workers each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from disco2.engines import DaskEngine, Engine, LocalEngine
from tests.engines.works import Diary


@pytest.fixture(scope="package", autouse=True)
def environment() -> Iterator[None]:
    """Dask sets variables of the workers that it starts."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="package")
def cluster_engine() -> Iterator[DaskEngine]:
    """A scheduler and two workers that outlive a test."""
    pytest.importorskip("distributed")
    from disco2.engines.dask import local_cluster

    with local_cluster(2) as cluster:
        yield DaskEngine(workers=2, scheduler=cluster.scheduler_address)


@pytest.fixture(params=["local", "dask"])
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "local":
        return LocalEngine(2)
    found: Engine = request.getfixturevalue("cluster_engine")
    return found


@pytest.fixture
def diary(tmp_path: Path) -> Diary:
    return Diary(tmp_path / "diary")
