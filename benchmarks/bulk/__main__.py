"""disco2 bulk with one worker and with two, on the same made-up documents, in one run.

    python -m benchmarks.bulk [--documents 100000] [--engine dask] [--json FILE]

The corpus lies in parts. The first of them (``--compared``) are done by a command with one worker and by one
with two, in alternating order, and their seconds are summed: what else the machine does then hits both alike.
Outputs are compared byte for byte. Then one command with two workers does the whole corpus, and a second one
finds all of it done. Seconds are those of whole commands, from start to exit. 100,000 documents take about
half an hour on two cores.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from importlib.util import find_spec
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from benchmarks.bulk.plan import report
from benchmarks.bulk.processes import Run, bulk_arguments, differences, measured, total_bytes, totals
from benchmarks.made_up_documents import DOCUMENTS, SEED, made_up_document, write_documents
from benchmarks.speed.measure import describe_machine
from disco2.files import write_text
from disco2.threads import limit_this_process, single_threaded

WORKERS = (1, 2)
FEW = 8  # documents
SHARE_DOCUMENTS, SHARE_ROUNDS = 300, 3


def measure(
    place: Path, *, documents: int, parts: int, compared: int, engine: str, whole: bool
) -> dict[str, Any]:
    corpus, outputs = place / "documents", place / "outputs"
    load = os.getloadavg()[0]  # of others: nothing runs here yet
    with single_threaded():
        machine = describe_machine()
    began = time.perf_counter()
    given = sum(write_documents(corpus, documents, parts=parts))
    _say(f"{documents:,} documents written in {time.perf_counter() - began:.0f} s")
    found: dict[str, Any] = {
        "documents": documents,
        "bytes_in": given,
        "seed": SEED,
        "engine": engine,
        "machine": machine,
        "load_before": load,
        "two_processes_at_best": second_process_brings(),
        "start": _starts(place, engine=engine),
    }
    found["parts"] = [
        _part(corpus / f"{part:02d}", outputs, number=part, engine=engine)
        for part in range(min(compared, parts))
    ]
    found["parquet"] = _in_parquet(corpus / "00", outputs / "parquet", engine=engine)
    found["whole"] = _whole(corpus, outputs / "whole", engine=engine) if whole else None
    return found


def _starts(place: Path, *, engine: str) -> dict[str, Any]:
    """A few documents, each a shard: nearly all of it is starting workers, loading the model, and ending."""
    sum(write_documents(place / "few", FEW, parts=1))
    found = {}
    for workers in WORKERS:
        output = place / "outputs" / f"start-{workers}"
        shards = ("--shard-documents", "1")  # so that every worker has some
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
        _say(f"part {corpus.name}, {workers} workers: {run.seconds:.0f} s, {rate:.0f} sentences/s")
    one, two = (outputs / f"{corpus.name}-{workers}" for workers in WORKERS)
    found["differences"] = differences(one, two)
    shutil.rmtree(one)
    shutil.rmtree(two)
    return found


def _in_parquet(corpus: Path, output: Path, *, engine: str) -> dict[str, Any] | None:
    """The first part in the other format."""
    if find_spec("pyarrow") is None:
        return None
    arguments = bulk_arguments(corpus, output, engine, WORKERS[-1], "--format", "parquet")
    return _figures(measured(arguments), output)


def _whole(corpus: Path, output: Path, *, engine: str) -> dict[str, Any]:
    """All documents in one command, and the same command again, which has nothing left to do but to look."""
    arguments = bulk_arguments(corpus, output, engine, WORKERS[-1])
    found: dict[str, Any] = {}
    for name in ("first", "again"):
        run = measured(arguments)
        found[name] = _figures(run, output)
        _say(f"the whole corpus, {name}: {run.seconds:.0f} s")
    return found


def _figures(run: Run, output: Path) -> dict[str, Any]:
    return {
        **totals(output),
        "seconds": run.seconds,
        "processor_seconds": run.processor_seconds,
        "driver_bytes": run.driver_bytes,
        "worker_bytes": sorted(run.worker_bytes.values()),
        "bytes_out": total_bytes(output),
    }


def second_process_brings(*, documents: int = SHARE_DOCUMENTS, rounds: int = SHARE_ROUNDS) -> float:
    """How many times the work of one process two do that share nothing: the most that two workers can do."""
    found = []
    for _ in range(rounds):
        alone, together = _seconds(1, documents), _seconds(2, documents)
        found.append(2 * alone / together)
    return sorted(found)[len(found) // 2]


def _seconds(processes: int, documents: int) -> float:
    """Until all processes have done the same documents, from the moment that all are ready."""
    context = multiprocessing.get_context("spawn")
    ready, told = context.Barrier(processes), context.Queue()
    running = [context.Process(target=_work, args=(ready, told, documents)) for _ in range(processes)]
    for process in running:
        process.start()
    seconds = max(told.get(timeout=600) for _ in running)
    for process in running:
        process.join()
    return float(seconds)


def _work(ready: Barrier, told: Queue[float], documents: int) -> None:
    import disco2

    limit_this_process(everything=True)
    nlp = disco2.load()
    texts = [made_up_document(number) for number in range(documents)]
    nlp(texts[0])
    ready.wait()
    began = time.perf_counter()
    for _ in nlp.pipe(texts):
        pass
    told.put(time.perf_counter() - began)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--parts", type=int, default=10, help="portions that the corpus lies in")
    parser.add_argument("--compared", type=int, default=3, help="portions that are done with one and two")
    parser.add_argument("--engine", choices=("local", "dask"), default="dask")
    parser.add_argument("--whole", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--scratch", type=Path, help="where documents and outputs lie for a while")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.scratch, prefix="bulk-") as place:
        found = measure(
            Path(place),
            documents=options.documents,
            parts=options.parts,
            compared=options.compared,
            engine=options.engine,
            whole=options.whole,
        )
    print(report(found))
    if options.json is not None:
        write_text(options.json, json.dumps(found, indent=2) + "\n")
    if any(part["differences"] for part in found["parts"]):
        raise SystemExit("The outputs differ.")


if __name__ == "__main__":
    main()
