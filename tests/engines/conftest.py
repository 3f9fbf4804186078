"""Both engines, with two workers each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from disco2.engines import DaskEngine, Engine, LocalEngine
from tests.engines.works import Diary


@pytest.fixture(scope="package")
def cluster_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskEngine]:
    """On a scheduler and two workers that outlive a test; each has threads that the work must not see."""
    pytest.importorskip("distributed")
    from tests.engines.dask_processes import dask_processes

    with dask_processes(tmp_path_factory.mktemp("dask"), workers=2, threads=2) as processes:
        yield DaskEngine(workers=2, scheduler=processes.address)


@pytest.fixture(params=["local", "dask"])
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "local":
        return LocalEngine(2)
    found: Engine = request.getfixturevalue("cluster_engine")
    return found


@pytest.fixture
def diary(tmp_path: Path) -> Diary:
    return Diary(tmp_path / "diary")
