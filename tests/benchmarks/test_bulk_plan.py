"""The tables of docs/billion.md follow from what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.bulk.plan import BEGIN, END, cost, hours, tables, with_tables

PAGE = Path(__file__).resolve().parents[2] / "docs" / "billion.md"
LIMITS = {
    "files_a_second": {"files": 100, "walk": 30_000.0, "read": 20_000.0},
    "tasks_a_second": {"local": {"2": 4000.0}, "dask": {"2": 50.0, "8": 200.0}},
}


def run(seconds: float, workers: list[int], *, processor: float = 16.4) -> dict[str, Any]:
    return {
        "documents": 1000,
        "sentences": 4000,
        "seconds": seconds,
        "processor_seconds": processor,
        "driver_bytes": 200 << 20,
        "worker_bytes": [size << 20 for size in workers],
        "bytes_out": 2_000_000,
    }


@pytest.fixture
def found() -> dict[str, Any]:
    return {
        "documents": 1000,
        "bytes_in": 400_000,
        "engine": "dask",
        "machine": {
            **{"processor": "P", "cores": 2, "blas": [], "python": "3.11", "compiled": True},
            **{"numpy": "2", "numba": None, "torch": None},
        },
        "load_before": 7.04,
        "two_processes_at_best": 1.9,
        "start": {"1": run(4.0, [300], processor=2.0), "2": run(5.0, [300, 310], processor=2.0)},
        "parts": [{"1": run(20.0, [400]), "2": run(10.0, [400, 420]), "differences": []}],
        "parquet": {**run(10.0, [400]), "bytes_out": 1_000_000},
        "whole": {"first": run(10.0, [400, 512]), "again": run(1.0, [100])},
    }


def test_a_million_sentences(found: dict[str, Any]) -> None:
    assert cost(found) == {
        "core_hours": pytest.approx(1.0),
        "bytes_in": pytest.approx(100e6),
        "bytes_out": pytest.approx(500e6),
        "parquet": pytest.approx(250e6),
        "worker_megabytes": 512,
        "driver_megabytes": 200,
    }


def test_a_billion_sentences(found: dict[str, Any]) -> None:
    assert hours(1.0, 64) == pytest.approx(1000 / 64)
    made = tables(found, LIMITS)
    assert "Other programs kept 7.0 cores busy" in made
    assert "| core hours for a million sentences | 1.00 | `python -m benchmarks.bulk` |" in made
    assert "| 1 | 64 | 15.6 | 32 GB | 11 MB/s | 593 a second |" in made
    assert "| 16 | 512 | 2.0 | 16 GB | 85 MB/s | 4,741 a second |" in made
    assert "| 2,000 | 7.2 | 1,440 |" in made


def test_without_the_whole_and_without_parquet(found: dict[str, Any]) -> None:
    found["whole"] = found["parquet"] = None
    assert cost(found)["worker_megabytes"] == 420
    assert "| Parquet for them | not measured |" in tables(found, LIMITS)


def test_tables_take_their_place_in_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    made = with_tables(page, "| new |\n")
    assert "| new |" in made
    assert made.count(BEGIN) == made.count(END) == 1
    assert with_tables(made, page.partition(BEGIN)[2].partition(END)[0].strip() + "\n") == page
    with pytest.raises(SystemExit, match="lacks its marks"):
        with_tables("nothing", "| new |\n")
