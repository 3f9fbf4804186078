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

from benchmarks.speed.measure import sentence
from disco2.files import write_text

BEGIN, END = "<!-- FIGURES BEGIN -->", "<!-- FIGURES END -->"
BILLION = 1e9
MACHINES = ((1, 8), (1, 64), (16, 32), (64, 32))
SENTENCES_A_DOCUMENT = 30  # of a real corpus: an article
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
    return "\n".join([*_rates(found), "", *_memory(found), "", *_whole_corpus(found), *_verdict(found)])


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


def _whole_corpus(found: Figures) -> list[str]:
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
