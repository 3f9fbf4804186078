"""disco2 serve under load: does it hold many clients without an error and without growing?

    python -m benchmarks.server_load [--clients 1,8,64] [--seconds 60] [--json FILE]

The server runs in a process of its own. Each client sends one request after another over a connection that it
keeps: made-up texts, pairs and views, and now and then something invalid. Every answer is compared with what
the pipeline says in this process, to the last digit. Beside each rate stands that of the pipeline alone, one
request after another in one process, measured just before and after. Clients and server share the machine, so
the rates are lower bounds.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import os
import random
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

import disco2
from benchmarks.server import JSON, VIEWS, Asked, Server, made_up_requests
from benchmarks.speed.measure import describe_machine
from disco2.files import write_text
from disco2.interfaces.server.schemas import ApiError, RelationsRequest, ViewRequest
from disco2.interfaces.server.settings import Limits
from disco2.interfaces.server.worker import Answerer, Job
from disco2.threads import limit_this_process

PARTS = 10  # of the time, at whose ends memory is measured


@dataclass
class Seen:
    """What one client has seen."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def ask_on_and_on(server: Server, requests: list[Asked], until: float, number: int, seen: Seen) -> None:
    """One client: a request, its answer compared, the next."""
    chance = random.Random(number)  # noqa: S311  no secret
    connection = server.connect()
    while time.monotonic() < until:
        asked = chance.choice(requests)
        started = time.monotonic()
        try:
            connection.request("POST", asked.path, asked.body, JSON)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            seen.faults.append(f"{asked.kind}: {type(error).__name__}: {error}")
            connection.close()
            connection = server.connect()
            continue
        seen.seconds.append(time.monotonic() - started)
        seen.statuses[answer.status] += 1
        if answer.status != asked.status:
            seen.faults.append(f"{asked.kind}: status {answer.status}, not {asked.status}")
        elif asked.answer is not None and json.loads(content) != asked.answer:
            seen.faults.append(f"{asked.kind}: another answer than the pipeline's")
    connection.close()


def measure(server: Server, requests: list[Asked], *, clients: int, seconds: float) -> dict[str, Any]:
    """So many clients for so long."""
    before = server.figures()
    all_seen = [Seen() for _ in range(clients)]
    started = time.monotonic()
    threads = [
        threading.Thread(target=ask_on_and_on, args=(server, requests, started + seconds, number, seen))
        for number, seen in enumerate(all_seen)
    ]
    for thread in threads:
        thread.start()
    memory: list[float] = []
    for part in range(1, PARTS + 1):
        time.sleep(max(0.0, started + seconds * part / PARTS - time.monotonic()))
        memory.append(server.figures()["process_resident_memory_bytes"] / 2**20)
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    after = server.figures()
    times = sorted(one for seen in all_seen for one in seen.seconds)
    statuses = sum((seen.statuses for seen in all_seen), Counter())
    return {
        "clients": clients,
        "seconds": round(took, 1),
        "requests": len(times),
        "requests_per_second": round(len(times) / took, 1),
        "milliseconds": {
            f"p{share}": round(1000 * times[min(len(times) - 1, len(times) * share // 100)], 1)
            for share in (50, 90, 99)
        }
        | {"longest": round(1000 * times[-1], 1)},
        "statuses": {str(status): count for status, count in sorted(statuses.items())},
        "together": round(_growth("sum", before, after) / max(1.0, _growth("count", before, after)), 2),
        "megabytes": [round(one) for one in memory],
        "faults": [one for seen in all_seen for one in seen.faults],
    }


def _growth(part: str, before: dict[str, float], after: dict[str, float]) -> float:
    """Of the requests that were taken together."""
    name = f"disco2_batch_requests_{part}"
    return after[name] - before[name]


def floor(answerer: Answerer, requests: list[Asked], *, seconds: float) -> float:
    """Requests a second where nothing but the pipeline works on them, one after another in this process."""
    chance = random.Random(0)  # noqa: S311  no secret
    started = time.monotonic()
    count = 0
    while time.monotonic() < started + seconds:
        asked = chance.choice(requests)
        count += 1
        with suppress(ApiError, ValidationError):
            adapter: TypeAdapter[Any] = TypeAdapter(ViewRequest if asked.path == VIEWS else RelationsRequest)
            answerer.answer(Job(adapter.validate_json(asked.body), deadline=math.inf))
    return count / (time.monotonic() - started)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", default="1,8,64", help="numbers of clients, one after the other")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each number")
    parser.add_argument("--requests", type=int, default=1_500, help="different ones that clients choose from")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    limit_this_process()
    print("making requests and their answers", file=sys.stderr)
    pipeline = disco2.load()
    requests = made_up_requests(pipeline, options.requests)
    answerer = Answerer(pipeline, Limits())
    server = Server()
    before = server.state().megabytes
    floors = [floor(answerer, requests, seconds=options.seconds / 4)]
    rows = []
    for clients in map(int, options.clients.split(",")):
        rows.append(measure(server, requests, clients=clients, seconds=options.seconds))
        floors.append(floor(answerer, requests, seconds=options.seconds / 4))
        rows[-1]["floor"] = round((floors[-2] + floors[-1]) / 2, 1)  # before and after
        rows[-1]["of_floor"] = round(rows[-1]["requests_per_second"] / rows[-1]["floor"], 2)
        print(_line(rows[-1]))
    code, said = server.stop()
    faults = [fault for row in rows for fault in row["faults"]]
    if code or said:
        faults.append(f"the server ended with {code} and said: {said}")
    found = {
        "megabytes_before": round(before),
        "rows": [row | {"faults": len(row["faults"])} for row in rows],
        "faults": faults[:5],
        "load_average": os.getloadavg(),
        "machine": describe_machine(),
    }
    if options.json is not None:
        write_text(options.json, json.dumps(found, indent=2) + "\n")
    for fault in faults[:5]:
        print(f"FAULT: {fault}")
    if faults:
        raise SystemExit(1)


def _line(row: dict[str, Any]) -> str:
    times = row["milliseconds"]
    return (
        f"{row['clients']:3d} clients: {row['requests_per_second']:6.1f} requests/s "
        f"({row['of_floor']:.2f} of the pipeline alone, {row['floor']:.1f}), "
        f"p50 {times['p50']:.0f} ms, p99 {times['p99']:.0f} ms, {row['together']:.1f} taken together, "
        f"{row['megabytes'][-1]} MB, {len(row['faults'])} faults"
    )


if __name__ == "__main__":
    main()
