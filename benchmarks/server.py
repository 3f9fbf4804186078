"""A server process under measurement: start, requests, its end under load."""

from __future__ import annotations

import atexit
import http.client
import json
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.made_up_documents import made_up_word
from disco2.drawing.trees import draw_trees
from disco2.inference.candidates import GivenPair
from disco2.inference.pairs import PairLine, answer_lines
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import SCHEMA, pairs_result, text_result

JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class State:
    """What the process holds at a moment."""

    megabytes: float
    files: int
    threads: int


class Server:
    """The server's process; what it says after its first line is kept."""

    def __init__(self, options: Sequence[str] = ()) -> None:
        command = [sys.executable, "-c", "from disco2.interfaces.cli import main; main()"]
        self.process = subprocess.Popen(
            [*command, "serve", "--port", "0", "--no-access-log", *options], stderr=subprocess.PIPE, text=True
        )
        atexit.register(self.process.kill)  # whatever happens here
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

    def state(self) -> State:
        """As the system tells it, so that a server that does not answer is measured too."""
        process = Path("/proc") / str(self.process.pid)
        lines = (process / "status").read_text(encoding="utf-8").splitlines()
        told = dict(line.split(":", 1) for line in lines)
        files = len(list((process / "fd").iterdir()))
        return State(int(told["VmRSS"].split()[0]) / 1024, files, int(told["Threads"]))

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
        return self.ended()

    def ended(self) -> tuple[int, str]:
        code = self.process.wait(90)
        self._listener.join(10)
        return code, "".join(self._said)


def errors_in(said: str) -> list[str]:
    """Of a log; that a request was no HTTP is none."""
    return [line for line in said.splitlines() if '"level": "warning"' not in line]


RELATIONS, VIEWS = "/v1/relations", "/v1/views"
Json = dict[str, Any]

_NAMES = ("Bob", "Tina", "Ann", "Max", "The baker", "The teacher", "Her friend")
_VERBS = ("saw", "liked", "sold", "bought", "forgot", "painted", "lost")
_THINGS = ("the burger", "a house", "the old car", "some tea", "her book", "a boat")
_LINKS = ("", "", "", "", "However, ", "Then ", "Because of that, ")
_STATES = ("was hungry", "stayed at home", "laughed", "had no money", "was late again", "went to Rome")


@dataclass(frozen=True)
class Asked:
    """A request, the status of its answer, and the answer where it is one of the pipeline's."""

    kind: str
    path: str
    body: bytes
    status: int = 200
    answer: Json | None = None


def made_up_requests(pipeline: Pipeline, count: int, *, seed: int = 1) -> list[Asked]:
    """Many short ones, some long ones, some invalid ones; with words that nobody has ever seen."""
    chance = random.Random(seed)  # noqa: S311  no secret
    kinds: list[tuple[Callable[[Pipeline, random.Random], Asked], int]] = [
        (_short_text, 50),
        (_text, 20),
        (_long_text, 2),
        (_few_pairs, 15),
        (_many_pairs, 3),
        (_view, 5),
        (_invalid, 5),
    ]
    makers = chance.choices([make for make, _ in kinds], [weight for _, weight in kinds], k=count)
    return [make(pipeline, chance) for make in makers]


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


def _of_text(pipeline: Pipeline, text: str, *, explain: bool = False) -> Asked:
    document = pipeline.annotate(text)
    found = pipeline.relations(document)
    explanations = list(pipeline.explain_many(found)) if explain else None
    answer = text_result(pipeline, document, found, explanations)
    body = json.dumps({"text": text, "explain": explain}).encode()
    return Asked("text", RELATIONS, body, answer=_through_json(answer))


def _short_text(pipeline: Pipeline, chance: random.Random) -> Asked:
    return _of_text(pipeline, _sentences(chance, chance.randint(2, 4)), explain=chance.random() < 0.1)


def _text(pipeline: Pipeline, chance: random.Random) -> Asked:
    return _of_text(pipeline, _sentences(chance, chance.randint(5, 15)))


def _long_text(pipeline: Pipeline, chance: random.Random) -> Asked:
    return _of_text(pipeline, _sentences(chance, chance.randint(40, 80)))


def _of_pairs(pipeline: Pipeline, chance: random.Random, count: int) -> Asked:
    pairs = [{"arg1": _sentence(chance), "arg2": _sentence(chance), "id": n} for n in range(count)]
    lines = [
        PairLine(n + 1, n, GivenPair(str(pair["arg1"]), str(pair["arg2"]), id=f"line{n + 1}"))
        for n, pair in enumerate(pairs)
    ]
    answers = [record for portion in answer_lines(pipeline, lines) for record in portion]
    body = json.dumps({"pairs": pairs}).encode()
    return Asked("pairs", RELATIONS, body, answer=_through_json(pairs_result(pipeline, answers)))


def _few_pairs(pipeline: Pipeline, chance: random.Random) -> Asked:
    return _of_pairs(pipeline, chance, chance.randint(1, 5))


def _many_pairs(pipeline: Pipeline, chance: random.Random) -> Asked:
    return _of_pairs(pipeline, chance, chance.randint(20, 70))


def _view(pipeline: Pipeline, chance: random.Random) -> Asked:
    text = f"{_sentence(chance)} {_sentence(chance)}"
    view = pipeline.view(pipeline(text)[0])
    answer = {"schema": SCHEMA, "view": view.to_json(), "svg": draw_trees(view)}
    body = json.dumps({"text": text, "relation": 0}).encode()
    return Asked("view", VIEWS, body, answer=_through_json(answer))


def _invalid(_: Pipeline, chance: random.Random) -> Asked:
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


LOADERS = 32  # clients at the time of the signal


@dataclass
class Loader:
    """A client that asks until the server takes no more; of each request, when it was sent in full."""

    answered: list[float] = field(default_factory=list)
    unanswered: list[float] = field(default_factory=list)
    refused: int = 0
    faults: list[str] = field(default_factory=list)

    def ask(self, server: Server, requests: list[Asked], *, keeps: bool) -> None:
        connection = server.connect()
        for asked in requests * 1_000:
            sent = float("inf")
            try:
                connection.request("POST", asked.path, asked.body, JSON)
                sent = time.monotonic()
                answer = connection.getresponse()
                content = json.loads(answer.read())
            except (OSError, http.client.HTTPException):
                self.unanswered.append(sent)
                break
            self.answered.append(sent)
            self.refused += answer.status == 503
            if answer.status not in (200, 503) or (answer.status == 200 and content != asked.answer):
                self.faults.append(f"status {answer.status}: {json.dumps(content)[:200]}")
            if not keeps:
                connection.close()
        connection.close()


def ended_under_load(requests: list[Asked], number: int) -> dict[str, Any]:
    """A server of its own, ended at another moment each time."""
    server = Server()
    loaders = [Loader() for _ in range(LOADERS)]
    threads = [
        threading.Thread(
            target=loader.ask, args=(server, requests[place::LOADERS]), kwargs={"keeps": place % 2 == 0}
        )
        for place, loader in enumerate(loaders)
    ]
    for thread in threads:
        thread.start()
    time.sleep(3 + 0.37 * number)
    before = sum(len(loader.answered) for loader in loaders)
    signalled = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    code, said = server.ended()
    took = time.monotonic() - signalled
    for thread in threads:
        thread.join()
    lost = sum(sent < signalled for loader in loaders for sent in loader.unanswered)
    faults = [fault for loader in loaders for fault in loader.faults]
    if lost:
        faults.append(f"{lost} requests sent before the signal were not answered")
    if code or errors_in(said):
        faults.append(f"exit code {code}: {errors_in(said)}")
    return {
        "ending": number + 1,
        "answered_before": before,
        "answered_after_the_signal": sum(len(loader.answered) for loader in loaders) - before,
        "lost": lost,
        "refused": sum(loader.refused for loader in loaders),
        "exit_code": code,
        "seconds": round(took, 1),
        "faults": faults,
    }
