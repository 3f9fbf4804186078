"""The report of ``python -m benchmarks.bulk``: parts are summed, and what differs is told."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.bulk.report import ratio, report, summed


def run(documents: int, seconds: float, *, workers: int = 1, driver: int = 100, worker: int = 300) -> Any:
    return {
        "documents": documents,
        "sentences": 4 * documents,
        "seconds": seconds,
        "processor_seconds": seconds * workers,
        "driver_bytes": driver << 20,
        "worker_bytes": [(worker + number) << 20 for number in range(workers)],
        "bytes_out": 1000 * documents,
    }


@pytest.fixture
def found() -> dict[str, Any]:
    return {
        "documents": 200,
        "bytes_in": 80_000,
        "engine": "dask",
        "two_processes_at_best": 1.9,
        "start": {"1": run(1, 2.0), "2": run(1, 3.0, workers=2)},
        "parts": [
            {"1": run(100, 10.0), "2": run(100, 6.0, workers=2), "differences": []},
            {"1": run(100, 30.0, worker=350), "2": run(100, 14.0, workers=2, driver=120), "differences": []},
        ],
        "parquet": run(100, 6.0, workers=2),
        "whole": {"first": run(200, 19.0, workers=2, driver=130), "again": run(200, 0.5)},
    }


def test_seconds_of_all_parts_are_summed(found: dict[str, Any]) -> None:
    one, two = summed(found, 1), summed(found, 2)
    assert one["rate"] == 800 / 40
    assert two["rate"] == 800 / 20
    assert one["rate_without_start"] == 800 / (40 - 2 * 2)
    assert two["core_hours_a_million"] == pytest.approx((40 - 2 * 6) / 3600 * 1e6 / 800)
    assert one["largest_worker"] == 350 << 20
    assert two["driver_bytes"] == 120 << 20
    assert ratio(found) == 2.0


def test_the_table_has_rates_memory_by_size_and_a_verdict(found: dict[str, Any]) -> None:
    text = report(found)
    lines = {line[:36].strip(): line[36:].split() for line in text.splitlines()}
    assert lines["sentences a second"] == ["20.0", "40.0", "2.000"]
    assert ["200", "2", "130", "301"] in [line.split() for line in text.splitlines()]
    assert "400 documents a second looked at" in text
    assert "byte for byte the same" in text
    assert "two workers have 2.00 times the rate of one" in text


def test_differences_are_told(found: dict[str, Any]) -> None:
    found["parts"][1]["differences"] = ["differs: relations/a.jsonl"]
    found["whole"] = found["parquet"] = None
    text = report(found)
    assert "1 DIFFERENCES: ['differs: relations/a.jsonl']" in text
    assert "byte for byte" not in text
