"""Measure disco2 bulk with one worker and with two, on the same made-up documents.

    python -m benchmarks.bulk [--documents 100000] [--engine dask] [--json FILE]

The corpus has several parts. The first of them (``--compared``) are done by a command with one worker and by
one with two, in alternating order, and their seconds are added: other work on the machine then slows both
down. Then the first part is done again while workers, or the command, are killed. Outputs are compared byte
for byte. At last one command with two workers does the whole corpus, and a second one finds all of it done.
Seconds are those of whole commands, from start to exit. 100,000 documents take an hour on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from benchmarks.made_up_documents import DOCUMENTS, SEED, write_documents
from benchmarks.speed.measure import describe_machine, say
from disco2.files import hash_file, write_text
from disco2.threads import single_threaded

PROGRAM = (sys.executable, "-c", "from disco2.interfaces.cli import main; main()")
POLL_SECONDS = 0.2
TOTALS = ("documents", "sentences", "relations", "errors")
WORKERS = (1, 2)
FEW = 8  # documents
_NO_WORKERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")

Figures = dict[str, Any]


def measure(
    place: Path, *, documents: int, parts: int, compared: int, kills: int, engine: str, whole: bool
) -> dict[str, Any]:
    corpus, outputs = place / "documents", place / "outputs"
    load = os.getloadavg()[0]  # of others: nothing runs here yet
    with single_threaded():
        machine = describe_machine()
    given = sum(write_documents(corpus, documents, parts=parts))
    found: Figures = {"documents": documents, "bytes_in": given, "seed": SEED, "engine": engine}
    found |= {"machine": machine, "load_before": load, "start": _starts(place, engine=engine)}
    numbers = range(min(compared, parts))
    found["parts"] = [_part(corpus / f"{n:02d}", outputs, number=n, engine=engine) for n in numbers]
    found["killed"] = _killed(corpus / "00", outputs, engine=engine, kills=kills)
    found["whole"] = _whole(corpus, outputs / "whole", engine=engine) if whole else None
    return found


def _starts(place: Path, *, engine: str) -> dict[str, Any]:
    """A few documents, each a shard: nearly all of it is starting workers, loading the model, and ending."""
    sum(write_documents(place / "few", FEW, parts=1))
    found, shards = {}, ("--shard-documents", "1")  # so that every worker has some
    for workers in WORKERS:
        output = place / "outputs" / f"start-{workers}"
        run = measured(bulk_arguments(place / "few", output, engine, workers, *shards))
        found[str(workers)] = _figures(run, output)
    return found


def _part(corpus: Path, outputs: Path, *, number: int, engine: str) -> dict[str, Any]:
    """The same documents with one worker and with two; who comes first alternates."""
    found: dict[str, Any] = {}
    for workers in WORKERS if number % 2 == 0 else reversed(WORKERS):
        output = outputs / f"{corpus.name}-{workers}"
        run = measured(bulk_arguments(corpus, output, engine, workers))
        found[str(workers)] = _figures(run, output)
        rate = found[str(workers)]["sentences"] / run.seconds
        say(f"part {corpus.name}, {workers} workers: {run.seconds:.0f} s, {rate:.0f} sentences/s")
    one, two = (outputs / f"{corpus.name}-{workers}" for workers in WORKERS)
    found["differences"] = differences(one, two)
    shutil.rmtree(two)
    if number:
        shutil.rmtree(one)  # the first is what the killed run is compared with
    return found


def _killed(corpus: Path, outputs: Path, *, engine: str, kills: int) -> dict[str, Any]:
    """Two workers, one of which is killed every few seconds, and every third time the command instead."""
    chance, output = random.Random(SEED), outputs / "killed"  # noqa: S311
    arguments = bulk_arguments(corpus, output, engine, WORKERS[-1])
    killed, process = {"workers": 0, "commands": 0}, None
    while sum(killed.values()) < kills and not (output / "manifest.json").is_file():
        if process is None or process.poll() is not None:
            process = subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.DEVNULL)
        time.sleep(chance.uniform(8, 14))
        workers = worker_processes(process.pid)
        if sum(killed.values()) % 3 == 2:
            process.kill()
            process.wait()
            killed["commands"] += 1
        elif workers:
            chance.choice(workers).kill()
            killed["workers"] += 1
    if process is not None:
        process.wait()
    measured(arguments)
    return {**killed, "differences": differences(outputs / f"{corpus.name}-1", output)}


def _whole(corpus: Path, output: Path, *, engine: str) -> dict[str, Any]:
    """All documents in one command, and the same command again, which has nothing left to do but to look."""
    arguments = bulk_arguments(corpus, output, engine, WORKERS[-1])
    found: dict[str, Any] = {}
    for name in ("first", "again"):
        run = measured(arguments)
        found[name] = _figures(run, output)
        say(f"the whole corpus, {name}: {run.seconds:.0f} s")
    return found


def _figures(run: Run, output: Path) -> dict[str, Any]:
    return {
        **totals(output),
        "seconds": run.seconds,
        "processor_seconds": run.processor_seconds,
        "driver_bytes": run.driver_bytes,
        "worker_bytes": run.worker_bytes_over_time(),
        "bytes_out": sum(path.stat().st_size for path in output.rglob("*") if path.is_file()),
    }


@dataclass
class Run:
    """What a command took: seconds, processor seconds with its workers, and bytes at their largest."""

    seconds: float = 0.0
    processor_seconds: float = 0.0
    driver_bytes: int = 0
    worker_bytes: list[int] = field(default_factory=list)  # of the largest worker, at every poll

    def worker_bytes_over_time(self) -> list[int]:
        """The largest worker in each tenth of the time, or at every poll if there are fewer."""
        step = max(1, -(-len(self.worker_bytes) // 10))
        return [max(self.worker_bytes[at : at + step]) for at in range(0, len(self.worker_bytes), step)]


def bulk_arguments(documents: Path, output: Path, engine: str, workers: int, *more: str) -> list[str]:
    pattern = str(documents / "**" / "*.txt")
    return ["bulk", pattern, "--output", str(output), "--engine", engine, "--workers", str(workers), *more]


def measured(arguments: Sequence[str]) -> Run:
    """Run the command to its end; SystemExit with its messages if it fails."""
    found = Run()
    with tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        process = subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.DEVNULL, stderr=errors)
        ended = 0
        try:
            while True:
                ended, status, usage = os.wait4(process.pid, os.WNOHANG)  # includes its children
                if ended:
                    break
                found.driver_bytes = max(found.driver_bytes, _resident(psutil.Process(process.pid)))
                found.worker_bytes.append(max(map(_resident, worker_processes(process.pid)), default=0))
                time.sleep(POLL_SECONDS)
        finally:
            if not ended:
                process.terminate()
        found.seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        found.processor_seconds = usage.ru_utime + usage.ru_stime
        errors.seek(0)
        if process.returncode:
            said = errors.read().decode(errors="replace")
            raise SystemExit(f"disco2 {' '.join(arguments)}\nended with {process.returncode}:\n{said}")
    return found


def totals(output: Path) -> dict[str, int]:
    """The totals in the manifest of a finished run."""
    manifest = json.loads((output / "manifest.json").read_text(encoding="utf-8"))
    return {name: int(manifest[name]) for name in TOTALS} | {"shards": len(manifest["shards"])}


def worker_processes(parent: int) -> list[psutil.Process]:
    """All processes below ``parent`` that do its work."""
    try:
        below = psutil.Process(parent).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [process for process in below if _works(process)]


def _works(process: psutil.Process) -> bool:
    try:
        words = " ".join(process.cmdline())  # of a zombie: none
        return bool(words) and not any(name in words for name in _NO_WORKERS)
    except psutil.Error:
        return False


def _resident(process: psutil.Process) -> int:
    """The resident size in bytes; 0 if the process is gone."""
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def differences(one: Path, other: Path) -> list[str]:
    """A line for each file that is not the same in both folders."""
    first, second = (
        {path.relative_to(folder).as_posix(): hash_file(path) for path in folder.rglob("*") if path.is_file()}
        for folder in (one, other)
    )
    return [f"differs: {name}" for name in sorted(first | second) if first.get(name) != second.get(name)]


def summed(found: Figures, workers: int) -> Figures:
    """All parts together, for one number of workers."""
    parts = [part[str(workers)] for part in found["parts"]]
    total = {
        name: sum(part[name] for part in parts)
        for name in ("documents", "sentences", "seconds", "processor_seconds", "bytes_out")
    }
    start = found["start"][str(workers)]
    starting, loading = (len(parts) * start[name] for name in ("seconds", "processor_seconds"))
    return {
        **total,
        "rate": total["sentences"] / total["seconds"],
        "rate_without_start": total["sentences"] / max(total["seconds"] - starting, 1e-9),
        "core_hours_a_million": (total["processor_seconds"] - loading) / 3600 * 1e6 / total["sentences"],
        "driver_bytes": max(part["driver_bytes"] for part in parts),
        "largest_worker": max(max(part["worker_bytes"], default=0) for part in parts),
    }


def report(found: Figures) -> str:
    whole = _whole_corpus(found) if found["whole"] else ()
    return "\n".join([*_rates(found), *whole, *_verdict(found)])


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
        ("bytes of the command, at most", "driver_bytes", "{:,.0f}"),
        ("bytes of the largest worker", "largest_worker", "{:,.0f}"),
    ]
    lines = [
        f"{one['documents']:,} of {found['documents']:,} documents, in {len(found['parts'])} parts, "
        f"engine {found['engine']}",
        f"{'':36}{'one worker':>16}{'two workers':>16}{'ratio':>8}",
    ]
    for label, name, form in rows:
        figures = "".join(f"{form.format(side[name]):>16}" for side in (one, two))
        lines.append(f"{label:36}{figures}{two[name] / one[name]:>8.3f}")
    figures = "".join(f"{found['start'][str(workers)]['seconds']:>16.1f}" for workers in WORKERS)
    return [*lines, f"{'seconds of start and end':36}{figures}"]


def _whole_corpus(found: Figures) -> list[str]:
    first, again = found["whole"]["first"], found["whole"]["again"]
    return [
        f"the whole corpus in one command: {first['seconds']:,.0f} s, "
        f"{first['sentences'] / first['seconds']:,.1f} sentences a second, {first['bytes_out']:,} bytes",
        f"the same again, all done: {again['seconds']:.1f} s, "
        f"{again['documents'] / again['seconds']:,.0f} documents a second looked at",
        f"MB of the largest worker over time: {[size >> 20 for size in first['worker_bytes']]}",
    ]


def _verdict(found: Figures) -> list[str]:
    differing, killed = _differing(found), found["killed"]
    same = "byte for byte the same" if not differing else f"{len(differing)} DIFFERENCES: {differing[:5]}"
    killed_ones = f"{killed['workers']} workers and {killed['commands']} commands killed"
    return [
        f"outputs of one worker, of two, and with {killed_ones}: {same}",
        f"two workers have {summed(found, 2)['rate'] / summed(found, 1)['rate']:.2f} times the rate of one",
    ]


def _differing(found: Figures) -> list[str]:
    return [line for part in (*found["parts"], found["killed"]) for line in part["differences"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--parts", type=int, default=10, help="portions that the corpus lies in")
    parser.add_argument("--compared", type=int, default=3, help="portions that are done with one and two")
    parser.add_argument("--kills", type=int, default=10, help="workers and commands that are killed")
    parser.add_argument("--engine", choices=("local", "dask"), default="dask")
    parser.add_argument("--whole", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--scratch", type=Path, help="where documents and outputs lie for a while")
    parser.add_argument("--json", type=Path, help="file for the figures")
    settings = vars(parser.parse_args())
    scratch, file = settings.pop("scratch"), settings.pop("json")
    with tempfile.TemporaryDirectory(dir=scratch, prefix="bulk-") as place:
        found = measure(Path(place), **settings)
    print(report(found))
    if file is not None:
        write_text(file, json.dumps(found, indent=2) + "\n")
    if _differing(found):
        raise SystemExit("The outputs differ.")


if __name__ == "__main__":
    main()
