"""What ``python -m benchmarks.bulk`` measured, as text."""

from __future__ import annotations

from typing import Any

MEGABYTE = 2**20
Figures = dict[str, Any]


def summed(found: Figures, workers: int) -> Figures:
    """All parts together, for one number of workers."""
    parts = [part[str(workers)] for part in found["parts"]]
    total = {
        name: sum(part[name] for part in parts)
        for name in ("documents", "sentences", "seconds", "processor_seconds", "bytes_out")
    }
    start = found["start"][str(workers)]
    starting = len(parts) * start["seconds"]
    loading = len(parts) * start["processor_seconds"]
    return {
        **total,
        "rate": total["sentences"] / total["seconds"],
        "rate_without_start": total["sentences"] / max(total["seconds"] - starting, 1e-9),
        "core_hours_a_million": (total["processor_seconds"] - loading) / 3600 * 1e6 / total["sentences"],
        "driver_bytes": max(part["driver_bytes"] for part in parts),
        "largest_worker": max(max(part["worker_bytes"], default=0) for part in parts),
    }


def ratio(found: Figures) -> float:
    """The rate of two workers over that of one, in whole commands."""
    return float(summed(found, 2)["rate"] / summed(found, 1)["rate"])


def report(found: Figures) -> str:
    return "\n".join([*_rates(found), "", *_memory(found), "", *_whole(found), *_verdict(found)])


def _rates(found: Figures) -> list[str]:
    one, two = summed(found, 1), summed(found, 2)
    rows = [
        ("sentences", "sentences", "{:,.0f}"),
        ("seconds of all commands", "seconds", "{:,.1f}"),
        ("sentences a second", "rate", "{:,.1f}"),
        ("the same, without starting", "rate_without_start", "{:,.1f}"),
        ("processor seconds", "processor_seconds", "{:,.1f}"),
        ("core hours a million, without start", "core_hours_a_million", "{:.3f}"),
        ("bytes of output", "bytes_out", "{:,.0f}"),
    ]
    lines = [
        f"{one['documents']:,} of {found['documents']:,} documents, in {len(found['parts'])} parts, "
        f"engine {found['engine']}",
        f"{'':36}{'one worker':>16}{'two workers':>16}{'ratio':>8}",
    ]
    for label, name, form in rows:
        figures = "".join(f"{form.format(side[name]):>16}" for side in (one, two))
        lines.append(f"{label:36}{figures}{two[name] / one[name]:>8.3f}")
    starts = [found["start"][str(workers)] for workers in (1, 2)]
    figures = "".join(f"{start['seconds']:>16.1f}" for start in starts)
    lines.append(f"{'seconds of start and end':36}{figures}")
    lines.append(
        f"two processes that share nothing do {found['two_processes_at_best']:.2f} times what one does"
    )
    return lines


def _memory(found: Figures) -> list[str]:
    runs = [run for workers in ("1", "2") for run in [found["start"][workers], found["parts"][0][workers]]]
    if found["whole"]:
        runs.append(found["whole"]["first"])
    lines = [f"{'documents':>12}{'workers':>10}{'driver MB':>12}{'largest worker MB':>20}"]
    for run in sorted(runs, key=lambda run: run["documents"]):
        largest = max(run["worker_bytes"], default=0)
        lines.append(
            f"{run['documents']:>12,}{len(run['worker_bytes']):>10}{run['driver_bytes'] / MEGABYTE:>12.0f}"
            f"{largest / MEGABYTE:>20.0f}"
        )
    return lines


def _whole(found: Figures) -> list[str]:
    lines = []
    if found["parquet"]:
        rows = found["parquet"]
        lines.append(f"{rows['documents']:,} documents as Parquet: {rows['bytes_out']:,} bytes of output")
    if not found["whole"]:
        return lines
    first, again = found["whole"]["first"], found["whole"]["again"]
    return [
        *lines,
        f"the whole corpus in one command: {first['seconds']:,.0f} s, "
        f"{first['sentences'] / first['seconds']:,.1f} sentences a second, {first['bytes_out']:,} bytes",
        f"the same again, all done: {again['seconds']:.1f} s, "
        f"{again['documents'] / again['seconds']:,.0f} documents a second looked at",
    ]


def _verdict(found: Figures) -> list[str]:
    differing = [line for part in found["parts"] for line in part["differences"]]
    same = "byte for byte the same" if not differing else f"{len(differing)} DIFFERENCES: {differing[:5]}"
    return [
        f"outputs of one worker and of two: {same}",
        f"two workers have {ratio(found):.2f} times the rate of one",
    ]
