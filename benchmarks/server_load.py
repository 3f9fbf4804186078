"""Measure disco2 serve under load: many clients, no error, no growing memory.

    python -m benchmarks.server_load [--clients 1,8,64] [--seconds 60] [--json FILE]

The server runs in its own process. Each client sends one request after another over a connection that it
keeps: made-up texts, pairs and views, and a few invalid requests. Every answer is compared with that of the
pipeline in this process, to the last digit. Each rate is shown with the rate of the pipeline alone, one
request after another in one process, measured just before and after. Clients and server share the machine, so
the rates are lower bounds.
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

from pydantic import TypeAdapter, ValidationError

import disco2
from benchmarks.made_up_documents import made_up_word
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
PARTS = 10  # of the time, at whose ends memory is measured


class Server:
    """The server's process; what it says after its first line is kept."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", "from disco2.interfaces.cli import main; main()"]
        self.process = subprocess.Popen(
            [*command, "serve", "--port", "0", "--no-access-log"], stderr=subprocess.PIPE, text=True
        )
        atexit.register(self.process.kill)  # also after an error
        assert self.process.stderr is not None
        said = self.process.stderr.readline()
        found = re.search(r":(\d+)/", said)
        if found is None:
            raise SystemExit(f"The server did not start: {said}{self.process.stderr.read()}")
        self.port = int(found[1])
        self._said: list[str] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as written:
            self._said.extend(written)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def figures(self) -> dict[str, float]:
        """The server's own metrics."""
        connection = self.connect()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        lines = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in lines}

    def stop(self) -> tuple[int, str]:
        """Its exit code, and all that it had to say."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(90)
        self._listener.join(10)
        return code, "".join(self._said)


RELATIONS, VIEWS = "/v1/relations", "/v1/views"
Json = dict[str, Any]

_NAMES = ("Bob", "Tina", "Ann", "Max", "The baker", "The teacher", "Her friend")
_VERBS = ("saw", "liked", "sold", "bought", "forgot", "painted", "lost")
_THINGS = ("the burger", "a house", "the old car", "some tea", "her book", "a boat")
_LINKS = ("", "", "", "", "However, ", "Then ", "Because of that, ")
_STATES = ("was hungry", "stayed at home", "laughed", "had no money", "was late again", "went to Rome")


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
        lambda: _text(pipeline, chance, 2, 4, explain=chance.random() < 0.1): 50,
        lambda: _text(pipeline, chance, 5, 15): 20,
        lambda: _text(pipeline, chance, 40, 80): 2,
        lambda: _pairs(pipeline, chance, 1, 5): 15,
        lambda: _pairs(pipeline, chance, 20, 70): 3,
        lambda: _view(pipeline, chance): 5,
        lambda: _invalid(chance): 5,
    }
    return [make() for make in chance.choices(list(kinds), list(kinds.values()), k=count)]


def _sentence(chance: random.Random) -> str:
    subject = chance.choice((*_NAMES, "She", "He", made_up_word(chance)))
    if chance.random() < 0.5:
        return f"{chance.choice(_LINKS)}{subject} {chance.choice(_STATES)}."
    place = f" in {made_up_word(chance)}" if chance.random() < 0.5 else ""
    return f"{chance.choice(_LINKS)}{subject} {chance.choice(_VERBS)} {chance.choice(_THINGS)}{place}."


def _sentences(chance: random.Random, count: int) -> str:
    return "".join(
        _sentence(chance) + ("\n\n" if chance.random() < 0.1 else " ") for _ in range(count)
    ).strip()


def _text(
    pipeline: Pipeline, chance: random.Random, least: int, most: int, *, explain: bool = False
) -> Asked:
    text = _sentences(chance, chance.randint(least, most))
    document = pipeline.annotate(text)
    found = pipeline.relations(document)
    explanations = list(pipeline.explain_many(found)) if explain else None
    answer = text_result(pipeline, document, found, explanations)
    body = json.dumps({"text": text, "explain": explain}).encode()
    return Asked("text", RELATIONS, body, answer=_through_json(answer))


def _pairs(pipeline: Pipeline, chance: random.Random, least: int, most: int) -> Asked:
    count = chance.randint(least, most)
    pairs = [{"arg1": _sentence(chance), "arg2": _sentence(chance), "id": n} for n in range(count)]
    lines = [
        PairLine(n + 1, n, GivenPair(str(pair["arg1"]), str(pair["arg2"]), id=f"line{n + 1}"))
        for n, pair in enumerate(pairs)
    ]
    answers = [record for portion in answer_lines(pipeline, lines) for record in portion]
    body = json.dumps({"pairs": pairs}).encode()
    return Asked("pairs", RELATIONS, body, answer=_through_json(pairs_result(pipeline, answers)))


def _view(pipeline: Pipeline, chance: random.Random) -> Asked:
    text = f"{_sentence(chance)} {_sentence(chance)}"
    view = pipeline.view(pipeline(text)[0])
    answer = {"schema": SCHEMA, "view": view.to_json(), "svg": draw_trees(view)}
    body = json.dumps({"text": text, "relation": 0}).encode()
    return Asked("view", VIEWS, body, answer=_through_json(answer))


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


def _through_json(answer: Json) -> Json:
    found: Json = json.loads(json.dumps(answer))
    return found


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
    before = server.figures()["process_resident_memory_bytes"] / 2**20
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
