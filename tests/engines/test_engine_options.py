"""Which engine the command line gives."""

from __future__ import annotations

import pytest

from disco2.engines import DaskEngine, LocalEngine
from disco2.engines import engine as engine_module
from disco2.errors import InputError, MissingExtraError
from disco2.interfaces.cli.options import EngineOptions


def test_processes_of_this_machine_unless_said_otherwise() -> None:
    assert EngineOptions().open(3) == LocalEngine(3)


def test_dask_here_and_elsewhere() -> None:
    pytest.importorskip("distributed")
    assert EngineOptions(engine="dask").open(3) == DaskEngine(workers=3)
    options = EngineOptions(engine="dask", scheduler="tcp://host:8786")
    assert options.open(3) == DaskEngine(workers=3, scheduler="tcp://host:8786")


def test_a_missing_package_is_told_before_anything_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"disco2\[cluster\]"):
        EngineOptions(engine="dask").open(2)


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (EngineOptions(engine="steam"), "--engine"),
        (EngineOptions(scheduler="tcp://host:8786"), "--scheduler"),
    ],
)
def test_what_makes_no_sense_is_said(options: EngineOptions, where: str) -> None:
    with pytest.raises(InputError) as raised:
        options.open(2)
    assert raised.value.where == where
