"""disco2 serve under load: does it hold many clients without an error and without growing?

    python -m benchmarks.server_load [--clients 50] [--seconds 120] [--json FILE]

The server runs in a process of its own. Each client sends one request after another over a connection that it
keeps: made-up texts, pairs and views, and now and then something invalid. Every answer is compared with what
the pipeline says in this process, to the last digit. Clients and server share the machine, so the rate is a
lower bound.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import disco2
from benchmarks.made_up_requests import Asked, made_up_requests
from benchmarks.speed.machine import describe_machine
from disco2.files import write_text
from disco2.threads import limit_this_process

JSON = {"Content-Type": "application/json"}
PARTS = 10  # of the time, at whose ends memory is measured


@dataclass
class Seen:
    """What one client has seen."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class Server:
    """The server's process."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", "from disco2.interfaces.cli import main; main()"]
        options = ["serve", "--port", "0", "--no-access-log"]
        self.process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        said = self.process.stderr.readline()
        found = re.search(r":(\d+)/", said)
        if found is None:
            raise SystemExit(f"The server did not start: {said}{self.process.stderr.read()}")
        self.port = int(found[1])

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def resident_megabytes(self) -> float:
        """As the server's own metrics tell it."""
        return self.figure("process_resident_memory_bytes") / 2**20

    def figure(self, name: str) -> float:
        return self.figures()[name]

    def figures(self) -> dict[str, float]:
        connection = self.connect()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        lines = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in lines}

    def stop(self) -> tuple[int, str]:
        """Its exit code, and all that it had to say."""
        assert self.process.stderr is not None
        self.process.send_signal(signal.SIGTERM)
        said = self.process.stderr.read()
        return self.process.wait(60), said


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


def measure(requests: list[Asked], *, clients: int, seconds: float) -> dict[str, Any]:
    server = Server()
    before = server.resident_megabytes()
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
        memory.append(server.resident_megabytes())
        print(f"{100 * part // PARTS:3d} % of the time: {memory[-1]:.0f} MB", file=sys.stderr)
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    figures = server.figures()
    code, said = server.stop()
    times = sorted(one for seen in all_seen for one in seen.seconds)
    statuses = sum((seen.statuses for seen in all_seen), Counter())
    faults = [one for seen in all_seen for one in seen.faults]
    if code or said:
        faults.append(f"the server ended with {code} and said: {said}")
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
        "faults": len(faults),
        "first_faults": faults[:5],
        "megabytes_before": round(before),
        "megabytes": [round(one) for one in memory],
        "batches": _batches(figures),
        "load_average": os.getloadavg(),
        "machine": describe_machine(),
    }


def _batches(figures: dict[str, float]) -> dict[str, Any]:
    """How many requests were taken together: the mean, and how many batches had at most so many."""
    name = "disco2_batch_requests"
    count, total = figures[f"{name}_count"], figures[f"{name}_sum"]
    at_most = {
        found[1]: int(value)
        for label, value in figures.items()
        if (found := re.fullmatch(rf'{name}_bucket{{le="(.+)"}}', label))
    }
    return {"count": int(count), "mean": round(total / count, 2), "at_most": at_most}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--requests", type=int, default=1_500, help="different ones that clients choose from")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    limit_this_process()
    print("making requests and their answers", file=sys.stderr)
    requests = made_up_requests(disco2.load(), options.requests)
    found = measure(requests, clients=options.clients, seconds=options.seconds)
    text = json.dumps(found, indent=2)
    print(text)
    if options.json is not None:
        write_text(options.json, text + "\n")
    if found["faults"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
