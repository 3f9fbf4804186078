"""Requests that wait are taken together; none spoils, delays or changes the answer of another."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from disco2.annotation.annotator import ALL_LAYERS, Layers
from disco2.errors import LayerError
from disco2.inference.json_form import text_result
from disco2.inference.pipeline import Pipeline
from disco2.interfaces.server.app import make_app
from disco2.interfaces.server.settings import Limits, ServerSettings
from disco2.records import Document
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
                while True:  # until all are in the queue, or have been refused
                    await asyncio.sleep(0.01)
                    waiting = await client.get("/metrics")
                    queued = float(waiting.text.split("\ndisco2_queue_requests ")[1].split("\n")[0])
                    if queued + sum(one.done() for one in others) >= len(bodies):
                        break
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
    answers, gate = behind_a_gate(small, bodies, limits=Limits(seconds=0.3), wait=1.0)
    assert [answer.status_code for answer in answers] == [504] * 6
    assert gate.calls == [1]  # nobody waited for the others any more


def test_long_texts_do_not_wait_in_one_batch(small: Pipeline) -> None:
    long = "Bob gave Tina the burger. " * 500
    _, gate = behind_a_gate(
        small, [{"text": TEXTS[0]}, {"text": TEXTS[1]}, {"text": long}, {"text": TEXTS[2]}]
    )
    assert gate.calls == [1, 1, 4]  # the holder; the long one is counted; all of them, for they fit
    _, gate = behind_a_gate(small, [{"text": f"{n} {long}"} for n in range(3)])
    assert gate.calls == [1, 1, 1, 1, 1, 1, 1]  # counted, then annotated, each on its own


@pytest.mark.parametrize("clients", [12])
def test_answers_of_the_shipped_model_do_not_depend_on_the_company(shipped: Pipeline, clients: int) -> None:
    app = make_app(shipped)
    texts = [
        f"Bob gave Tina {number} burgers. She was {'very ' * number}hungry. However, the shop was closed."
        for number in range(clients)
    ]

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

    started = time.monotonic()
    asyncio.run(leave())
    assert statuses == [499, 200]
    assert gate.calls == [1]
    assert time.monotonic() - started < 20
