"""Requests that wait are taken together; none spoils, delays or changes the answer of another."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import httpx2
import pytest

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layer, Layers
from disco2.data import Document
from disco2.errors import LayerError
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import RelationChoice
from disco2.inference.results import text_result
from disco2.interfaces.server.admission import relations_job
from disco2.interfaces.server.app import make_app
from disco2.interfaces.server.batching import BatchQueue
from disco2.interfaces.server.jobs import LONG as LONG_TEXT
from disco2.interfaces.server.jobs import Answer, Job, TextJob
from disco2.interfaces.server.refusal import Refusal
from disco2.interfaces.server.settings import Limits, ServerSettings
from disco2.interfaces.server.together import turn_at
from tests.inference.rule_annotator import RuleAnnotator

Body = dict[str, Any]
FIRST = "The first text holds the worker."


class Gate(RuleAnnotator):
    """Stops at the first text until it is opened; refuses some texts, breaks at others; counts its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = threading.Event()
        self.reached = threading.Event()
        self.calls: list[int] = []

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        self.calls.append(len(documents))
        texts = [document.text for document in documents]
        if FIRST in texts:
            self.reached.set()
            assert self.opened.wait(20)
        if any("refused" in text for text in texts):
            raise LayerError("No 'refused zqxsecret' here.")
        if any("broken" in text for text in texts):
            raise ZeroDivisionError("zqxsecret")
        return super().annotate(documents, layers=layers)


def behind_a_gate(
    small: Pipeline, bodies: Sequence[Body], *, limits: Limits | None = None, wait: float = 0.0
) -> tuple[list[httpx2.Response], Gate]:
    """All answers to requests that come while the worker is held, and before them the holder's own."""
    gate = Gate()
    pipeline = Pipeline(gate, small.model, small.calibration, info=small.info)
    app = make_app(pipeline, ServerSettings(limits=limits or Limits()))
    gate.calls.clear()

    async def ask() -> list[httpx2.Response]:
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test", timeout=30) as client:
            holder = asyncio.create_task(client.post("/v1/relations", json={"text": FIRST}))
            assert await asyncio.to_thread(gate.reached.wait, 20)
            others = [asyncio.create_task(client.post("/v1/relations", json=body)) for body in bodies]
            async with asyncio.timeout(20):
                while True:  # until all have come, or have been refused
                    await asyncio.sleep(0.01)
                    figures = (await client.get("/metrics")).text
                    come = float(figures.split("\ndisco2_requests_under_way ")[1].split("\n")[0]) - 1
                    if come + sum(one.done() for one in (holder, *others)) > len(bodies):
                        break
            for _ in range(50):  # nothing but the event loop's rounds is between that and the queue
                await asyncio.sleep(0)
            await asyncio.sleep(wait)
            gate.opened.set()
            return list(await asyncio.gather(holder, *others))

    return asyncio.run(ask()), gate


TEXTS = [f"Bob gave Tina {number} burgers. She was hungry. He left." for number in range(5)]


def test_waiting_requests_are_annotated_in_one_call(small: Pipeline) -> None:
    pair = {"arg1": "Bob gave Tina the burger.", "arg2": "She was hungry."}
    bodies: list[Body] = [{"text": text} for text in TEXTS]
    bodies += [{"text": TEXTS[0], "paragraphs": "line"}, {"pairs": [pair, pair | {"arg2": "He was hungry."}]}]
    answers, gate = behind_a_gate(small, bodies)
    assert [answer.status_code for answer in answers] == [200] * (1 + len(bodies))
    assert gate.calls == [1, 7]  # equal texts are annotated once
    for text, answer in zip(TEXTS, answers[1:], strict=False):
        document = small.annotate(text)
        assert answer.json() == text_result(small, document, small.relations(document))
    alone = behind_a_gate(small, [bodies[-1]])[0][1]
    assert answers[-1].json() == alone.json()


def test_a_bad_text_spoils_no_other(small: Pipeline) -> None:
    bodies = [{"text": text} for text in (TEXTS[0], "This is refused.", "This is broken.", TEXTS[1])]
    answers, _ = behind_a_gate(small, bodies)
    assert [answer.status_code for answer in answers] == [200, 200, 422, 500, 200]
    assert all("zqxsecret" not in answer.text for answer in answers)
    assert answers[3].json()["error"]["what"] == "Something went wrong in the server."


def test_a_full_queue_refuses(small: Pipeline) -> None:
    answers, _ = behind_a_gate(small, [{"text": text} for text in TEXTS], limits=Limits(queue=3))
    assert sorted(answer.status_code for answer in answers) == [200] * 4 + [503] * 2
    refused = next(answer for answer in answers if answer.status_code == 503)
    assert int(refused.headers["retry-after"]) > 0


def test_who_waits_too_long_is_told_and_dropped(small: Pipeline) -> None:
    bodies = [{"text": text} for text in TEXTS]
    answers, gate = behind_a_gate(small, bodies, limits=Limits(seconds=1.5), wait=2.0)
    assert [answer.status_code for answer in answers] == [504] * 6
    assert gate.calls == [1]  # nobody waited for the others any more


LONG = "Bob gave Tina the burger. " * 500


def test_long_texts_do_not_wait_in_one_batch(small: Pipeline) -> None:
    bodies = [{"text": TEXTS[0]}, {"text": TEXTS[1]}, {"text": LONG}, {"text": TEXTS[2]}]
    _, gate = behind_a_gate(small, bodies)
    # The holder; then, in whichever order, the short ones, and the long one counted and annotated.
    assert sorted(gate.calls) == [1, 1, 1, 3]
    _, gate = behind_a_gate(small, [{"text": f"{n} {LONG}"} for n in range(3)])
    assert gate.calls == [1, 1, 1, 1, 1, 1, 1]  # counted, then annotated, each on its own


class Held(BatchQueue):
    """Long texts are not done before ``opened``."""

    def __init__(self, *, most_waiting: int) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()
        super().__init__(lambda: self._done, most_waiting=most_waiting)

    def ask(self, text: str) -> Future[Answer]:
        return self.submit(
            TextJob(text, RelationChoice(), paragraphs="blank", explain=False, deadline=time.monotonic() + 60)
        )

    def _done(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            if job.is_long:
                self.reached.set()
                assert self.opened.wait(20)
            job.future.set_result(Answer(b"{}"))


def test_beside_a_long_text_short_ones_are_answered() -> None:
    queue = Held(most_waiting=8)
    long = queue.ask(LONG)
    assert queue.reached.wait(20)
    for text in TEXTS:
        assert queue.ask(text).result(20)
    assert not long.done()
    queue.opened.set()
    queue.close()
    assert long.done()


def test_long_texts_do_not_fill_the_queue() -> None:
    queue = Held(most_waiting=16)
    long = [queue.ask(LONG)]
    assert queue.reached.wait(20)
    long += [queue.ask(LONG) for _ in range(2)]  # an eighth of the places
    with pytest.raises(Refusal, match="long texts"):
        queue.ask(LONG)
    long[1].cancel()  # who has gone needs no place
    long.append(queue.ask(LONG))
    assert len(queue) == 2
    assert queue.ask(TEXTS[0]).result(20)
    queue.opened.set()
    queue.close()
    assert all(one.done() for one in long)
    with pytest.raises(Refusal, match="shutting down"):
        queue.ask(TEXTS[0])


@pytest.mark.parametrize("kind", ["text", "pairs"])
def test_what_is_long(kind: str) -> None:
    def job(size: int) -> Job:
        content: Body = {"text": "a" * size}
        if kind == "pairs":
            content = {"pairs": [{"arg1": "a" * (size // 100 - 1), "arg2": "b"}] * 100}
        return relations_job(content, Limits(), deadline=1.0)

    assert not job(10_000).is_long
    assert job(10_100).is_long


class Crowd(RuleAnnotator):
    """Notices when two threads ask it at the same time."""

    inside = most = 0

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        self.inside += 1
        self.most = max(self.most, self.inside)
        time.sleep(0.05)
        self.inside -= 1
        return super().annotate(documents, layers=layers)


def test_annotators_of_others_are_asked_by_one_thread_at_a_time(small: Pipeline) -> None:
    crowd = Crowd()
    app = make_app(Pipeline(crowd, small.model, small.calibration, info=small.info))

    async def ask() -> list[httpx2.Response]:
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test", timeout=60) as client:
            texts = [f"0 {LONG}", *TEXTS[:3], f"1 {LONG}", *TEXTS[3:]]
            return list(
                await asyncio.gather(*[client.post("/v1/relations", json={"text": t}) for t in texts])
            )

    assert [answer.status_code for answer in asyncio.run(ask())] == [200] * 7
    assert crowd.most == 1


def test_who_bears_several_threads(shipped: Pipeline) -> None:
    with turn_at(shipped.annotators), turn_at(shipped.annotators):
        pass
    others = Annotators([*(shipped.annotators.maker(layer) for layer in Layer), RuleAnnotator()])
    lock = turn_at(others)
    with lock:
        assert lock.locked()  # type: ignore[attr-defined]


def test_answers_of_the_shipped_model_do_not_depend_on_the_company(shipped: Pipeline) -> None:
    app = make_app(shipped)
    texts = [
        f"Bob gave Tina {number} burgers. She was {'very ' * number}hungry. However, the shop was closed."
        for number in range(12)
    ]
    texts.insert(0, " ".join(texts) * 10)  # which is long, and done at the same time
    assert len(texts[0]) > LONG_TEXT

    async def ask() -> list[httpx2.Response]:
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test", timeout=60) as client:
            return list(
                await asyncio.gather(*[client.post("/v1/relations", json={"text": t}) for t in texts])
            )

    for text, answer in zip(texts, asyncio.run(ask()), strict=True):
        document = shipped.annotate(text)
        assert answer.json() == text_result(shipped, document, shipped.relations(document))


def test_a_client_that_has_gone_is_dropped(small: Pipeline) -> None:
    gate = Gate()
    app = make_app(Pipeline(gate, small.model, small.calibration, info=small.info))
    gate.calls.clear()
    statuses: list[int] = []

    async def request(text: str, gone: asyncio.Event) -> None:
        body = [{"type": "http.request", "body": b'{"text": "%s"}' % text.encode(), "more_body": False}]

        async def receive() -> Any:
            if body:
                return body.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/v1/relations",
            "raw_path": b"/v1/relations",
            "root_path": "",
            "query_string": b"",
            "headers": [(b"content-type", b"application/json")],
            "client": ("test", 1),
            "server": ("test", 80),
            "scheme": "http",
            "http_version": "1.1",
        }
        await app(scope, receive, send)

    async def leave() -> None:
        stays, goes = asyncio.Event(), asyncio.Event()
        holder = asyncio.create_task(request(FIRST, stays))
        assert await asyncio.to_thread(gate.reached.wait, 20)
        leaver = asyncio.create_task(request("It rained.", goes))
        await asyncio.sleep(0.05)
        goes.set()
        await leaver
        gate.opened.set()
        await holder

    asyncio.run(leave())
    assert statuses == [499, 200]
    assert gate.calls == [1]
