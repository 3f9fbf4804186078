"""disco2 bulk while its processes are killed: is the output that of a quiet run, byte for byte?

    python -m benchmarks.bulk.kills [--documents 10000] [--scenario local dask] [--json FILE]

Each engine runs twice, quietly and with SIGKILL at moments that a seed draws: ten times to a worker, and once
to the command, which is then run again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from benchmarks.bulk.processes import bulk_arguments, differences, digests, measured, start, totals
from benchmarks.bulk.processes import worker_processes as workers_of
from benchmarks.made_up_documents import write_documents
from disco2.files import write_text

ENGINES = ("local", "dask")
WORKERS = 2
KILLS = 10
WORKER, COMMAND = "worker", "command"
POLL_SECONDS = 0.05
MOST_PAUSE = 2.0  # seconds
GONE_WITHIN = 30.0  # seconds for the workers of a killed command to end
Kill = tuple[int, float, str]  # finished shards, then a pause in seconds, then the victim


def plan_kills(seed: int, *, shards: int, workers: int) -> list[Kill]:
    """Kills of workers and one of the command, over the first four fifths of the run.

    They follow finished shards: by the clock alone most would hit processes that start.
    """
    chance = random.Random(seed)  # noqa: S311  no secret
    last = max(1, int(0.8 * shards))
    return sorted(
        (chance.randint(1, last), chance.uniform(0.0, MOST_PAUSE), victim)
        for victim in [*[WORKER] * workers, COMMAND]
    )


def survive(
    engine: str, corpus: Path, place: Path, *more: str, seed: int, kills: int = KILLS
) -> dict[str, Any]:
    """A quiet run and one with kills, compared."""
    place.mkdir(parents=True)
    quiet, killed, log = place / "quiet", place / "killed", place / "killed.log"
    alone = measured(bulk_arguments(corpus, quiet, engine, WORKERS, *more))
    _say(f"{engine}, quietly: {alone.seconds:.1f} s")
    plan = plan_kills(seed, shards=totals(quiet)["shards"], workers=kills)
    found = _run_while_killing(bulk_arguments(corpus, killed, engine, WORKERS, *more), plan, killed, log)
    said = log.read_text(encoding="utf-8", errors="replace")
    faults: list[str] = found.pop("faults")
    if found["code"]:
        faults.append(f"it ended with {found['code']}: {said[-2000:]}")
    faults += differences(quiet, killed)
    _say(f"{engine}, with {len(found['killed'])} kills: {found['seconds']:.1f} s, {len(faults)} faults")
    return {
        "scenario": engine,
        "seed": seed,
        "totals": totals(quiet),
        "files": len(digests(quiet)),
        "quiet_seconds": alone.seconds,
        "killed_seconds": found["seconds"],
        "killed": found["killed"],
        "faults": faults,
        "said": said,
    }


def _run_while_killing(arguments: list[str], plan: list[Kill], output: Path, log: Path) -> dict[str, Any]:
    """Run a command, kill by plan; a command that is itself killed is started again."""
    killed: list[dict[str, Any]] = []
    faults: list[str] = []
    due: float | None = None
    chance = random.Random(len(plan))  # noqa: S311  no secret
    began = time.monotonic()
    with log.open("wb") as errors:
        command = start(arguments, errors=errors)
        try:
            while command.poll() is None:
                passed = time.monotonic() - began
                done = len(list((output / "records").glob("*.json")))
                if plan and due is None and done >= plan[0][0]:
                    due = passed + plan[0][1]
                below = workers_of(command.pid)
                if plan and due is not None and passed >= due and below:
                    (_, _, victim), due = plan.pop(0), None
                    process = command.pid if victim == COMMAND else chance.choice(below).pid
                    os.kill(process, signal.SIGKILL)
                    killed.append({"seconds": passed, "victim": victim, "process": process, "finished": done})
                    if victim == COMMAND:
                        command.wait()
                        _, alive = psutil.wait_procs(below, timeout=GONE_WITHIN)
                        faults += [f"a process outlived its command: {one.pid}" for one in alive]
                        for one in alive:
                            one.kill()
                        command = start(arguments, errors=errors)
                time.sleep(POLL_SECONDS)
        finally:
            if command.poll() is None:
                command.terminate()
                command.wait()
    faults += [f"never killed, the run was over: {victim}" for _, _, victim in plan]
    seconds = time.monotonic() - began
    return {"code": command.returncode, "seconds": seconds, "killed": killed, "faults": faults}


def report(found: dict[str, Any]) -> str:
    shards = found["totals"]["shards"]
    lines = [
        f"{found['scenario']}: {found['totals']['documents']:,} documents, {found['totals']['sentences']:,} "
        f"sentences, {found['files']} files; {found['quiet_seconds']:.1f} s quietly, "
        f"{found['killed_seconds']:.1f} s with {len(found['killed'])} kills (seed {found['seed']})"
    ]
    lines += [
        f"  {kill['seconds']:8.1f} s  SIGKILL  {kill['victim']:8} {kill['finished']} of {shards} shards done"
        for kill in found["killed"]
    ]
    same = "  byte for byte the same output, no process left"
    return "\n".join([*lines, *([f"  FAULT: {fault}" for fault in found["faults"]] or [same])])


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--scenario", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--shard-documents", type=int, default=100)
    parser.add_argument("--kills", type=int, default=KILLS, help="of workers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scratch", type=Path, help="folder for documents and outputs")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    shards = ("--shard-documents", str(options.shard_documents))
    with tempfile.TemporaryDirectory(dir=options.scratch, prefix="kills-") as folder:
        place = Path(folder)
        corpus = place / "documents"
        sum(write_documents(corpus, options.documents))
        found = [
            survive(engine, corpus, place / engine, *shards, seed=options.seed, kills=options.kills)
            for engine in options.scenario
        ]
    for one in found:
        print(report(one))
    if options.json is not None:
        write_text(options.json, json.dumps(found, indent=2) + "\n")
    if any(one["faults"] for one in found):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
