"""disco2 bulk while its processes are killed: is the output that of a quiet run, byte for byte?

    python -m benchmarks.bulk.kills [--documents 10000] [--scenario scheduler local dask] [--json FILE]

Each scenario is done twice, quietly and with SIGKILL at moments that a seed draws: ten times to a worker, and

- ``scheduler``: once to the scheduler. One `dask scheduler` and two `dask worker` run under a supervisor that
  starts again what has ended; every third kill takes a worker's nanny with it.
- ``local`` and ``dask``: once to the command, whose workers are processes of its own; it is then given again.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.bulk.cluster import cluster
from benchmarks.bulk.command import measured, predict_arguments, totals, with_workers
from benchmarks.bulk.kill_times import COMMAND, NANNY, SCHEDULER, planned_kills
from benchmarks.bulk.killing import Find, run_while_killing
from benchmarks.bulk.process_tree import worker_processes
from benchmarks.bulk.same_bytes import differences, digests
from benchmarks.made_up_documents import write_documents
from disco2.files import write_text

SCENARIOS = ("scheduler", "local", "dask")
WORKERS = 2
KILLS = 10


@contextmanager
def _setting(scenario: str, place: Path) -> Iterator[tuple[list[str], Find]]:
    """The options that the scenario adds to the command, and how its victims are found."""
    if scenario != "scheduler":
        yield (
            [*with_workers(scenario, WORKERS)],
            lambda victim, command: (
                [command] if victim == COMMAND else [process.pid for process in worker_processes(command)]
            ),
        )
        return
    with cluster(place / "cluster", workers=WORKERS) as running:

        def find(victim: str, _: int) -> list[int]:
            if victim == SCHEDULER:
                return [running.scheduler.process] if running.scheduler.process else []
            return running.running_nannies() if victim == NANNY else running.workers()

        yield ["--engine", "dask", "--scheduler", running.address], find


def survive(
    scenario: str, corpus: Path, place: Path, *more: str, seed: int, kills: int = KILLS
) -> dict[str, Any]:
    """A quiet run and one with kills, compared."""
    place.mkdir(parents=True)
    quiet, killed = place / "quiet", place / "killed"
    with _setting(scenario, place) as (options, find):
        alone = measured(predict_arguments(corpus, quiet, *options, *more))
        _say(f"{scenario}, quietly: {alone.seconds:.1f} s")
        other = SCHEDULER if scenario == "scheduler" else COMMAND
        plan = planned_kills(
            seed,
            shards=totals(quiet)["shards"],
            workers=kills,
            others=(other,),
            nannies=scenario == "scheduler",
        )
        log = place / "killed.log"
        found = run_while_killing(
            predict_arguments(corpus, killed, *options, *more),
            plan,
            find,
            log=log,
            finished=lambda: len(list((killed / "records").glob("*.json"))),
        )
    faults = [f"it ended with {found.code}: {log.read_text(errors='replace')[-2000:]}"] if found.code else []
    faults += [f"a process outlived its command: {process}" for process in found.outlived]
    faults += [f"never killed, the run was over: {kill.victim}" for kill in found.missed]
    faults += differences(quiet, killed)
    _say(f"{scenario}, with {len(found.killed)} kills: {found.seconds:.1f} s, {len(faults)} faults")
    return {
        "scenario": scenario,
        "seed": seed,
        "totals": totals(quiet),
        "files": len(digests(quiet)),
        "quiet_seconds": alone.seconds,
        "killed_seconds": found.seconds,
        "killed": [asdict(kill) for kill in found.killed],
        "faults": faults,
        "said": log.read_text(encoding="utf-8", errors="replace"),
    }


def report(found: dict[str, Any]) -> str:
    lines = [
        f"{found['scenario']}: {found['totals']['documents']:,} documents, {found['totals']['sentences']:,} "
        f"sentences, {found['files']} files; {found['quiet_seconds']:.1f} s quietly, "
        f"{found['killed_seconds']:.1f} s with {len(found['killed'])} kills (seed {found['seed']})"
    ]
    shards = found["totals"]["shards"]
    lines += [
        f"  {kill['seconds']:8.1f} s  SIGKILL  {kill['victim']:22} {kill['finished']} of {shards} shards done"
        for kill in found["killed"]
    ]
    same = "  byte for byte the same output, nothing left behind"
    return "\n".join(
        [*lines, *(f"  FAULT: {fault}" for fault in found["faults"])] + [same] * (not found["faults"])
    )


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--scenario", nargs="+", choices=SCENARIOS, default=SCENARIOS)
    parser.add_argument("--shard-documents", type=int, default=100)
    parser.add_argument("--kills", type=int, default=KILLS, help="of workers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scratch", type=Path, help="where documents and outputs lie for a while")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.scratch, prefix="kills-") as folder:
        place = Path(folder)
        sum(write_documents(place / "documents", options.documents))
        found = [
            survive(
                scenario,
                place / "documents",
                place / scenario,
                "--shard-documents",
                str(options.shard_documents),
                seed=options.seed,
                kills=options.kills,
            )
            for scenario in options.scenario
        ]
    for one in found:
        print(report(one))
    if options.json is not None:
        write_text(options.json, json.dumps(found, indent=2) + "\n")
    if any(one["faults"] for one in found):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
