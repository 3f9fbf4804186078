"""Measure disco2 serve under load: many clients, no error, no growing memory.

    python -m benchmarks.server_load [--clients 1,8,64] [--seconds 60] [--workers 1] [--json FILE]
    python -m benchmarks.server_load --clients 8 --attackers 8    # beside clients that misbehave
    python -m benchmarks.server_load --clients 8 --stop           # SIGTERM in the middle

The server runs in its own processes. Each client sends one request after another over a connection that it
keeps: made-up texts, pairs and views, and a few invalid requests. Every answer is compared with that of the
pipeline in this process, to the last digit. Each rate is shown with the rate of the pipeline alone, one
request after another in one process, measured just before and after. Clients and server share the machine, so
the rates are lower bounds. Memory is the sum of the proportional sizes (PSS) of the server's processes.

Attackers send what is not JSON or not HTTP, bodies that are huge, endless or slow, and close connections
early: no honest client may notice. After SIGTERM, a client may find the connection closed or refused, but no
half or wrong answer, and the server must end with exit code 0 within its time limit and ten seconds.
"""

from __future__ import annotations

import argparse
import atexit
import http.client
import json
import math
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from pydantic import TypeAdapter, ValidationError

import disco2
from benchmarks.made_up_documents import made_up_document
from benchmarks.speed.measure import describe_machine
from disco2.drawing.trees import draw_trees
from disco2.files import write_text
from disco2.inference.candidates import GivenPair
from disco2.inference.pairs import PairLine, answer_lines
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import SCHEMA, pairs_result, text_result
from disco2.interfaces.server.schemas import ApiError, RelationsRequest, ViewRequest
from disco2.interfaces.server.settings import Limits
from disco2.interfaces.server.worker import Answerer, Job
from disco2.threads import limit_this_process

JSON = {"Content-Type": "application/json"}
RELATIONS, VIEWS = "/v1/relations", "/v1/views"
PARTS = 10  # of the time, at whose ends memory is measured
STOP_SECONDS = Limits().seconds + 10
Json = dict[str, Any]


class Server:
    """The server's processes; what they say after the first line is kept."""

    def __init__(self, workers: int) -> None:
        command = [sys.executable, "-c", "from disco2.interfaces.cli import main; main()", "serve"]
        self.process = subprocess.Popen(
            [*command, "--port", "0", "--no-access-log", "--workers", str(workers)],
            stderr=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.process.kill)  # also after an error
        assert self.process.stderr is not None
        said = self.process.stderr.readline()
        found = re.search(r":(\d+)/", said)
        if found is None:
            raise SystemExit(f"The server did not start: {said}{self.process.stderr.read()}")
        self.address = ("127.0.0.1", int(found[1]))
        self._said: list[str] = []
        self._listener = threading.Thread(target=self._said.extend, args=(self.process.stderr,), daemon=True)
        self._listener.start()
        self.stopping = threading.Event()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(*self.address, timeout=60)

    def megabytes(self) -> float:
        own = psutil.Process(self.process.pid)
        sizes = [one.memory_full_info() for one in (own, *own.children())]
        return sum(getattr(one, "pss", one.rss) for one in sizes) / 2**20

    def stop(self) -> list[str]:
        """Stop it as a service manager does; the faults."""
        self.stopping.set()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            return [f"the server did not end within {STOP_SECONDS:.0f} seconds"]
        self._listener.join(10)
        errors = [line for line in self._said if '"level": "warning"' not in line]  # attacks are warnings
        return [f"the server ended with {code} and said: {errors}"] if code or errors else []


@dataclass(frozen=True)
class Asked:
    """A request, the status of its answer, and the pipeline's answer, if the request is valid."""

    kind: str
    path: str
    body: bytes
    status: int = 200
    answer: Json | None = None


def made_up_requests(pipeline: Pipeline, count: int, *, seed: int = 1) -> list[Asked]:
    """Many short ones, some long ones, some invalid ones; with names that are in no vocabulary."""
    chance = random.Random(seed)  # noqa: S311  no secret
    kinds: dict[Callable[[], Asked], int] = {
        lambda: _text(pipeline, chance, 1, explain=chance.random() < 0.1): 50,
        lambda: _text(pipeline, chance, 3): 20,
        lambda: _text(pipeline, chance, 12): 2,
        lambda: _pairs(pipeline, chance, chance.randint(1, 5)): 15,
        lambda: _pairs(pipeline, chance, chance.randint(20, 70)): 3,
        lambda: _view(pipeline, chance): 5,
        lambda: _invalid(chance): 5,
    }
    return [make() for make in chance.choices(list(kinds), list(kinds.values()), k=count)]


def _document(chance: random.Random) -> str:
    """Three to six sentences."""
    return made_up_document(chance.randrange(1_000_000))


def _text(pipeline: Pipeline, chance: random.Random, documents: int, *, explain: bool = False) -> Asked:
    text = "\n".join(_document(chance) for _ in range(documents))
    document = pipeline.annotate(text)
    found = pipeline.relations(document)
    explanations = list(pipeline.explain_many(found)) if explain else None
    answer = text_result(pipeline, document, found, explanations)
    return _valid("text", RELATIONS, {"text": text, "explain": explain}, answer)


def _pairs(pipeline: Pipeline, chance: random.Random, count: int) -> Asked:
    sentences = [_document(chance).partition(".")[0] + "." for _ in range(2 * count)]
    pairs = [{"arg1": sentences[2 * n], "arg2": sentences[2 * n + 1], "id": n} for n in range(count)]
    lines = [
        PairLine(n + 1, n, GivenPair(str(pair["arg1"]), str(pair["arg2"]), id=f"line{n + 1}"))
        for n, pair in enumerate(pairs)
    ]
    answers = [record for portion in answer_lines(pipeline, lines) for record in portion]
    return _valid("pairs", RELATIONS, {"pairs": pairs}, pairs_result(pipeline, answers))


def _view(pipeline: Pipeline, chance: random.Random) -> Asked:
    text = _document(chance)
    view = pipeline.view(pipeline(text)[0])
    answer = {"schema": SCHEMA, "view": view.to_json(), "svg": draw_trees(view)}
    return _valid("view", VIEWS, {"text": text, "relation": 0}, answer)


def _invalid(chance: random.Random) -> Asked:
    status, body = chance.choice(
        [
            (400, b'{"text": '),
            (422, b"{}"),
            (422, b'{"text": "..."}'),
            (422, b'{"pairs": [{"arg1": "a"}]}'),
            (413, b'{"text": "%s"}' % (b"a" * 140_000)),
        ]
    )
    return Asked("invalid", RELATIONS, body, status=status)


def _valid(kind: str, path: str, body: Json, answer: Json) -> Asked:
    return Asked(kind, path, json.dumps(body).encode(), answer=json.loads(json.dumps(answer)))


@dataclass
class Seen:
    """What one client has seen."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    refused: int = 0  # while the server stops


def ask_on_and_on(server: Server, requests: list[Asked], until: float, number: int, seen: Seen) -> None:
    """One client: a request, its answer compared, the next."""
    chance = random.Random(number)  # noqa: S311  no secret
    connection = server.connect()
    while time.monotonic() < until:
        asked = chance.choice(requests)
        started = time.monotonic()
        answer = None
        try:
            connection.request("POST", asked.path, asked.body, JSON)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            if server.stopping.is_set() and answer is None:  # not one byte of an answer
                seen.refused += 1
                break
            seen.faults.append(f"{asked.kind}: {type(error).__name__}: {error}")
            connection.close()
            connection = server.connect()
            continue
        seen.seconds.append(time.monotonic() - started)
        seen.statuses[answer.status] += 1
        if answer.status == 503 and server.stopping.is_set():
            seen.refused += 1
        elif answer.status != asked.status:
            seen.faults.append(f"{asked.kind}: status {answer.status}, not {asked.status}")
        elif asked.answer is not None and json.loads(content) != asked.answer:
            seen.faults.append(f"{asked.kind}: another answer than the pipeline's")
    connection.close()


HEAD = b"POST /v1/relations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
HUGE = b'{"text": "' + b"a" * 4_000_000
ATTACKS = (  # what is sent, and how many bytes at a time
    (b"\x16\x03\x01 no HTTP\r\n\r\n", 100),
    (b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000, 10_000),
    (HEAD + b"Content-Length: 3\r\n\r\n{{{", 1_000),
    (HEAD + b"Content-Length: 99999999999999999999\r\n\r\n" + HUGE, 100_000),
    (HEAD + b"Content-Length: %d\r\n\r\n" % len(HUGE) + HUGE, 100_000),
    (HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1f4\r\n%s\r\n" % (b"a" * 500) * 10_000, 50_000),
    (HEAD + b"Content-Length: 100\r\n\r\n" + b" " * 50, 3),  # slowly, and never to its end
    (HEAD + b'Content-Length: 22\r\n\r\n{"text": "It rained."}', 1_000),  # nobody waits for the answer
)


def attack(server: Server, until: float, number: int, sent: Counter[str]) -> None:
    """One attacker: an attack over a new connection, then the next."""
    chance = random.Random(number)  # noqa: S311  no secret
    while time.monotonic() < until and not server.stopping.is_set():
        content, step = chance.choice(ATTACKS)
        with suppress(OSError), socket.create_connection(server.address, timeout=5) as connection:
            for begin in range(0, len(content), step):
                connection.sendall(content[begin : begin + step])
                time.sleep(0.05)
        sent["attacks"] += 1


def measure(
    server: Server, requests: list[Asked], *, clients: int, seconds: float, attackers: int, stop: bool
) -> dict[str, Any]:
    """So many clients for so long."""
    all_seen = [Seen() for _ in range(clients)]
    sent: Counter[str] = Counter()
    started = time.monotonic()
    until = started + seconds
    threads = [
        threading.Thread(target=ask_on_and_on, args=(server, requests, until, number, seen))
        for number, seen in enumerate(all_seen)
    ]
    threads += [
        threading.Thread(target=attack, args=(server, until, number, sent)) for number in range(attackers)
    ]
    for thread in threads:
        thread.start()
    memory: list[float] = []
    faults: list[str] = []
    for part in range(1, PARTS // 2 + 1 if stop else PARTS + 1):
        time.sleep(max(0.0, started + seconds * part / PARTS - time.monotonic()))
        memory.append(server.megabytes())
    stopped = time.monotonic()
    if stop:
        faults = server.stop()
    stopping = time.monotonic() - stopped
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    times = sorted(one for seen in all_seen for one in seen.seconds)
    statuses = sum((seen.statuses for seen in all_seen), Counter())
    return {
        "clients": clients,
        "seconds": round(took, 1),
        "requests": len(times),
        "requests_per_second": round(len(times) / took, 1),
        "milliseconds": {
            f"p{share}": round(1000 * times[min(len(times) - 1, len(times) * share // 100)], 1)
            for share in (50, 90, 99, 100)
        },
        "statuses": {str(status): count for status, count in sorted(statuses.items())},
        "megabytes": [round(one) for one in memory],
        "attacks": sent["attacks"],
        "refused": sum(seen.refused for seen in all_seen),
        "stopping_seconds": round(stopping, 1) if stop else None,
        "faults": faults + [one for seen in all_seen for one in seen.faults],
    }


def floor(answerer: Answerer, requests: list[Asked], *, seconds: float) -> float:
    """Requests a second of the pipeline alone, one after another in this process."""
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--clients", default="1,8,64", help="numbers of clients, one after the other")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each number")
    parser.add_argument("--requests", type=int, default=1_500, help="different ones that clients choose from")
    parser.add_argument("--workers", type=int, default=1, help="processes of the server")
    parser.add_argument("--attackers", type=int, default=0, help="clients that misbehave, beside the others")
    parser.add_argument("--stop", action="store_true", help="send SIGTERM in the middle of the last number")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    limit_this_process()
    print("making requests and their answers", file=sys.stderr)
    pipeline = disco2.load()
    requests = made_up_requests(pipeline, options.requests)
    answerer = Answerer(pipeline, Limits())
    server = Server(options.workers)
    before = server.megabytes()
    floors = [floor(answerer, requests, seconds=options.seconds / 4)]
    rows = []
    numbers = [int(one) for one in options.clients.split(",")]
    for place, clients in enumerate(numbers, start=1):
        stop = options.stop and place == len(numbers)
        seconds, attackers = options.seconds, options.attackers
        rows.append(
            measure(server, requests, clients=clients, seconds=seconds, attackers=attackers, stop=stop)
        )
        floors.append(floor(answerer, requests, seconds=options.seconds / 4))
        rows[-1]["floor"] = round((floors[-2] + floors[-1]) / 2, 1)  # before and after
        rows[-1]["of_floor"] = round(rows[-1]["requests_per_second"] / rows[-1]["floor"], 2)
        print(_line(rows[-1]))
    faults = [fault for row in rows for fault in row["faults"]]
    if not options.stop:
        faults += server.stop()
    found = {
        "megabytes_before": round(before),
        "workers": options.workers,
        "attackers": options.attackers,
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
    line = (
        f"{row['clients']:3d} clients: {row['requests_per_second']:6.1f} requests/s "
        f"({row['of_floor']:.2f} of the pipeline alone, {row['floor']:.1f}), "
        f"p50 {times['p50']:.0f} ms, p99 {times['p99']:.0f} ms, "
        f"{row['megabytes'][0]} to {row['megabytes'][-1]} MB, {len(row['faults'])} faults"
    )
    if row["attacks"]:
        line += f", beside {row['attacks']} attacks"
    if row["stopping_seconds"] is not None:
        line += f", stopped in {row['stopping_seconds']} s, {row['refused']} clients refused"
    return line


if __name__ == "__main__":
    main()
