"""What can hold up very many workers: tasks that a second brings to them, and files that the driver finds.

    python -m benchmarks.bulk.limits [--documents 20000] [--json FILE]

Tasks are empty, so all of their time is the engine's. Driver, scheduler and workers share this machine, so
the figures are lower bounds for a scheduler that has a core of its own. ``walk`` is what the driver does
with each file: it finds it, asks for its size, and puts it into a shard. ``read`` is what workers do with it
before they predict, or instead, where the shard is there already: they read and hash it.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.made_up_documents import write_documents
from disco2.bulk import MOST_BYTES, SHARD_DOCUMENTS
from disco2.bulk.documents import FilePatterns, read_source, split_shards
from disco2.engines import DaskEngine, Engine, LocalEngine, Task, outcomes_of
from disco2.files import write_text

TASKS = 3_000
WORKERS = (2, 8)
ENGINES: dict[str, Callable[[int], Engine]] = {
    "local": lambda workers: LocalEngine(workers),
    "dask": lambda workers: DaskEngine(workers),
}


def nothing(given: int) -> int:
    """The work of an empty task."""
    return given


def tasks_a_second(engine: Engine, workers: int, *, tasks: int = TASKS) -> float:
    """From the moment that all workers are there and have done something."""
    with engine.session(nothing) as session:
        first = 0
        while session.workers < workers or first < 20 * workers:
            list(outcomes_of(session, (Task(f"first {n}", n) for n in range(first, first + 10))))
            first += 10
        began = time.perf_counter()
        done = sum(1 for _ in outcomes_of(session, (Task(str(n), n) for n in range(tasks))))
        return done / (time.perf_counter() - began)


def files_a_second(corpus: Path) -> dict[str, float]:
    files = FilePatterns([str(corpus / "**" / "*.txt")])
    began = time.perf_counter()
    shards = list(split_shards(files.walk(), documents=SHARD_DOCUMENTS, most_bytes=MOST_BYTES))
    walked = time.perf_counter() - began
    names = [name for shard in shards for name in shard]
    began = time.perf_counter()
    for name in names:
        read_source(files.root, name, most_bytes=MOST_BYTES)
    read = time.perf_counter() - began
    return {"files": len(names), "walk": len(names) / walked, "read": len(names) / read}


def measure(place: Path, *, documents: int) -> dict[str, Any]:
    sum(write_documents(place, documents))
    return {
        "files_a_second": files_a_second(place),
        "tasks_a_second": {
            name: {str(workers): tasks_a_second(engine(workers), workers) for workers in WORKERS}
            for name, engine in ENGINES.items()
        },
        "load_average": os.getloadavg(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="limits-") as folder:
        found = measure(Path(folder), documents=options.documents)
    files = found["files_a_second"]
    print(f"files a second ({files['files']:,}): walked {files['walk']:,.0f}, read {files['read']:,.0f}")
    for name, rates in found["tasks_a_second"].items():
        for workers, rate in rates.items():
            print(f"tasks a second, engine {name}, {workers} workers: {rate:,.0f}")
    if options.json is not None:
        write_text(options.json, json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
