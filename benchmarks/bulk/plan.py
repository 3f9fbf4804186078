"""What a billion sentences cost, from what was measured: the tables of docs/billion.md.

    python -m benchmarks.bulk --json bulk.json && python -m benchmarks.bulk.limits --json limits.json
    python -m benchmarks.bulk.plan bulk.json limits.json [--page docs/billion.md]

With ``--page`` the tables take the place of those between the two marks in the page.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.bulk.report import MEGABYTE, Figures, ratio, summed
from benchmarks.speed.machine import sentence
from disco2.files import write_text

BEGIN, END = "<!-- FIGURES BEGIN -->", "<!-- FIGURES END -->"
BILLION = 1e9
MACHINES = ((1, 8), (1, 64), (16, 32), (64, 32))
SENTENCES_A_DOCUMENT = 30  # of a real corpus: an article


def cost(found: Figures) -> dict[str, float]:
    """What a million sentences take, from the run with two workers."""
    two = summed(found, 2)
    million = 1e6 / two["sentences"]
    largest = found["whole"]["first"] if found["whole"] else two
    workers = largest.get("worker_bytes") or [two["largest_worker"]]
    parquet = found["parquet"]
    return {
        "core_hours": two["core_hours_a_million"],
        "bytes_in": found["bytes_in"] * two["documents"] / found["documents"] * million,
        "bytes_out": two["bytes_out"] * million,
        "parquet": parquet["bytes_out"] * 1e6 / parquet["sentences"] if parquet else float("nan"),
        "worker_megabytes": max(*workers, two["largest_worker"]) / MEGABYTE,
        "driver_megabytes": largest["driver_bytes"] / MEGABYTE,
    }


def hours(core_hours_a_million: float, cores: int) -> float:
    """For a billion sentences, where every core does what one did here."""
    return core_hours_a_million * BILLION / 1e6 / cores


def tables(found: Figures, limits: dict[str, Any]) -> str:
    return "\n".join([*_measured(found, limits), "", *_machines(found), "", *_shards(found, limits)]) + "\n"


def _measured(found: Figures, limits: dict[str, Any]) -> list[str]:
    of_million, two = cost(found), summed(found, 2)
    files, tasks = limits["files_a_second"], limits["tasks_a_second"]["dask"]
    at_most = max(tasks, key=int)
    parquet = f"{of_million['parquet'] / 1e6:,.0f} MB" if found["parquet"] else "not measured"
    whole = found["whole"] and found["whole"]["first"]
    return [
        f"Measured with {found['documents']:,} documents, of which {two['documents']:,.0f} "
        f"({two['sentences']:,.0f} sentences) were done with one worker and with two, engine "
        f"{found['engine']}, on {sentence(found['machine'])}. Other programs kept {found['load_before']:.1f} "
        "cores busy or waiting when it began; rates and their ratios mean something where that is near 0:",
        "",
        "| what | measured | by |",
        "| --- | --- | --- |",
        *(
            f"| {what} | {figure} | `python -m benchmarks.{by}` |"
            for what, figure, by in (
                ("core hours for a million sentences", f"{of_million['core_hours']:.2f}", "bulk"),
                ("sentences a second, one worker", f"{summed(found, 1)['rate']:,.0f}", "bulk"),
                ("sentences a second, two workers", f"{two['rate']:,.0f}", "bulk"),
                (
                    "the same, all documents in one command",
                    f"{whole['sentences'] / whole['seconds']:,.0f}" if whole else "not measured",
                    "bulk",
                ),
                ("two workers, times the rate of one", f"{ratio(found):.2f}", "bulk"),
                ("two unconnected processes, the same", f"{found['two_processes_at_best']:.2f}", "bulk"),
                (
                    "start and end of a command, two workers",
                    f"{found['start']['2']['seconds']:.1f} s",
                    "bulk",
                ),
                ("memory of a worker, at most", f"{of_million['worker_megabytes']:,.0f} MB", "bulk"),
                ("memory of the command, at most", f"{of_million['driver_megabytes']:,.0f} MB", "bulk"),
                ("text for a million sentences", f"{of_million['bytes_in'] / 1e6:,.0f} MB", "bulk"),
                ("JSON lines for them", f"{of_million['bytes_out'] / 1e6:,.0f} MB", "bulk"),
                ("Parquet for them", parquet, "bulk"),
                ("files found, a second", f"{files['walk']:,.0f}", "bulk.limits"),
                ("files read and hashed, a second", f"{files['read']:,.0f}", "bulk.limits"),
                (f"empty tasks a second, {at_most} workers", f"{tasks[at_most]:,.0f}", "bulk.limits"),
            )
        ),
    ]


def _machines(found: Figures) -> list[str]:
    of_million = cost(found)
    lines = [
        "| machines | cores | hours | memory a machine | read and written, all together | files opened |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for machines, cores in MACHINES:
        took = hours(of_million["core_hours"], machines * cores)
        seconds = 3600 * took
        moved = (of_million["bytes_in"] + of_million["bytes_out"]) * BILLION / 1e6 / seconds / 1e6
        opened = BILLION / SENTENCES_A_DOCUMENT / seconds
        memory = cores * of_million["worker_megabytes"] / 1024
        lines.append(
            f"| {machines} | {machines * cores:,} | {took:,.1f} "
            f"| {memory:,.0f} GB | {moved:,.0f} MB/s | {opened:,.0f} a second |"
        )
    return lines


def _shards(found: Figures, limits: dict[str, Any]) -> list[str]:
    """How many workers one scheduler can keep busy, by the length of a task."""
    tasks = limits["tasks_a_second"]["dask"]
    rate = tasks[max(tasks, key=int)]
    sentence_seconds = 3.6e-3 * cost(found)["core_hours"]
    lines = [
        "| sentences a shard | seconds of a core | workers that one scheduler keeps busy |",
        "| --- | --- | --- |",
    ]
    for sentences in (500, 2_000, 10_000):
        seconds = sentences * sentence_seconds
        lines.append(f"| {sentences:,} | {seconds:,.1f} | {rate * seconds:,.0f} |")
    return lines


def with_tables(page: str, made: str) -> str:
    """The page with other tables between its marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"The page lacks its marks: {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{made}\n{END}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bulk", type=Path, help="what python -m benchmarks.bulk --json wrote")
    parser.add_argument("limits", type=Path, help="what python -m benchmarks.bulk.limits --json wrote")
    parser.add_argument("--page", type=Path, help="page whose tables are replaced")
    options = parser.parse_args()
    found, limits = (json.loads(file.read_text(encoding="utf-8")) for file in (options.bulk, options.limits))
    made = tables(found, limits)
    print(made)
    if options.page is not None:
        write_text(options.page, with_tables(options.page.read_text(encoding="utf-8"), made))


if __name__ == "__main__":
    main()
