"""Requests that wait are annotated together; none changes, delays or spoils the answer of another."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import httpx2
import pytest

from disco2.annotation.annotator import ALL_LAYERS, Layers
from disco2.data import Document
from disco2.errors import BundleError, LayerError
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import text_result
from disco2.interfaces.server import worker
from disco2.interfaces.server.app import make_app
from disco2.interfaces.server.schemas import ApiError, TextRequest
from disco2.interfaces.server.settings import Limits, ServerSettings
from disco2.interfaces.server.worker import Answer, Job, WorkQueue
from tests.inference.rule_annotator import RuleAnnotator
from tests.interfaces.server.conftest import Serve

Body = dict[str, Any]
FIRST = "The first text holds the worker."
TEXTS = [f"Bob gave Tina {number} burgers. She was hungry. He left." for number in range(5)]
LONG = "Bob gave Tina the burger. " * 500


class Gate(RuleAnnotator):
    """Stops at the first text until it is opened; refuses some texts, fails at others; counts its calls."""

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
        if any("damaged" in text for text in texts):
            raise BundleError("zqxsecret")
        if any("broken" in text for text in texts):
            raise ZeroDivisionError("zqxsecret")
        return super().annotate(documents, layers=layers)


def with_annotators(small: Pipeline, annotators: RuleAnnotator) -> Pipeline:
    return Pipeline(annotators, small.model, small.calibration, info=small.info)


def http_client(app: Any) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost", timeout=60)


def ask_all(app: Any, texts: Sequence[str]) -> list[httpx2.Response]:
    """All at the same time."""

    async def ask() -> list[httpx2.Response]:
        async with http_client(app) as client:
            posts = [client.post("/v1/relations", json={"text": text}) for text in texts]
            return list(await asyncio.gather(*posts))

    return asyncio.run(ask())


def ask_behind_gate(
    small: Pipeline, bodies: Sequence[Body], *, limits: Limits | None = None, wait: float = 0.0
) -> tuple[list[httpx2.Response], Gate]:
    """The answers to requests that arrive while the worker is held, after the answer to its holder."""
    gate = Gate()
    app = make_app(with_annotators(small, gate), ServerSettings(limits=limits or Limits()))
    gate.calls.clear()

    async def ask() -> list[httpx2.Response]:
        async with http_client(app) as client:
            holder = asyncio.create_task(client.post("/v1/relations", json={"text": FIRST}))
            assert await asyncio.to_thread(gate.reached.wait, 20)
            others = [asyncio.create_task(client.post("/v1/relations", json=body)) for body in bodies]
            async with asyncio.timeout(20):
                while True:  # until all have arrived, or are refused
                    await asyncio.sleep(0.01)
                    figures = (await client.get("/metrics")).text
                    arrived = float(figures.split("\ndisco2_requests_under_way ")[1].split("\n")[0]) - 1
                    if arrived + sum(one.done() for one in (holder, *others)) > len(bodies):
                        break
            for _ in range(50):  # only a few rounds of the event loop are between that and the queue
                await asyncio.sleep(0)
            await asyncio.sleep(wait)
            gate.opened.set()
            return list(await asyncio.gather(holder, *others))

    return asyncio.run(ask()), gate


def test_waiting_requests_are_annotated_in_one_call(small: Pipeline) -> None:
    pair = {"arg1": "Bob gave Tina the burger.", "arg2": "She was hungry."}
    bodies: list[Body] = [{"text": text} for text in TEXTS]
    bodies += [{"text": TEXTS[0], "paragraphs": "line"}, {"pairs": [pair, pair | {"arg2": "He was hungry."}]}]
    answers, gate = ask_behind_gate(small, bodies)
    assert [answer.status_code for answer in answers] == [200] * (1 + len(bodies))
    assert gate.calls[:3] == [1, 5, 1]  # the holder; those with blank lines between paragraphs; the other
    for text, answer in zip(TEXTS, answers[1:], strict=False):
        document = small.annotate(text)
        assert answer.json() == text_result(small, document, small.relations(document))
    alone = ask_behind_gate(small, [bodies[-1]])[0][1]
    assert answers[-1].json() == alone.json()


def test_a_bad_text_spoils_no_other(small: Pipeline) -> None:
    texts = (TEXTS[0], "This is refused.", "This is broken.", "The model is damaged.", TEXTS[1])
    answers, _ = ask_behind_gate(small, [{"text": text} for text in texts])
    assert [answer.status_code for answer in answers] == [200, 200, 422, 500, 500, 200]
    assert all("zqxsecret" not in answer.text for answer in answers)


def test_a_full_queue_refuses(small: Pipeline) -> None:
    answers, _ = ask_behind_gate(small, [{"text": text} for text in TEXTS], limits=Limits(queue=3))
    assert sorted(answer.status_code for answer in answers) == [200] * 4 + [503] * 2
    refused = next(answer for answer in answers if answer.status_code == 503)
    assert int(refused.headers["retry-after"]) > 0


def test_requests_that_wait_too_long_get_504_and_are_dropped(small: Pipeline) -> None:
    bodies = [{"text": text} for text in TEXTS]
    answers, gate = ask_behind_gate(small, bodies, limits=Limits(seconds=1.5), wait=2.0)
    assert [answer.status_code for answer in answers] == [504] * 6
    assert gate.calls == [1]


class HeldQueue(WorkQueue):
    """Long texts are answered only after ``opened``."""

    def __init__(self, *, max_waiting: int) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()
        super().__init__(lambda: self._answer, max_waiting=max_waiting)

    def ask(self, text: str) -> Future[Answer]:
        return self.submit(Job(TextRequest(text=text), deadline=time.monotonic() + 60))

    def _answer(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            if job.characters > worker.LONG:
                self.reached.set()
                assert self.opened.wait(20)
            job.future.set_result(Answer(b"{}"))


def test_long_texts_do_not_block_short_ones_and_do_not_fill_the_queue() -> None:
    queue = HeldQueue(max_waiting=16)
    long = [queue.ask(LONG)]
    assert queue.reached.wait(20)
    for text in TEXTS:
        assert queue.ask(text).result(20)
    assert not long[0].done()
    long += [queue.ask(LONG) for _ in range(2)]  # an eighth of the places
    with pytest.raises(ApiError, match="long texts"):
        queue.ask(LONG)
    long[1].cancel()  # the client has left
    long.append(queue.ask(LONG))
    assert len(queue) == 2
    queue.opened.set()
    queue.close()
    assert all(one.done() for one in long)
    with pytest.raises(ApiError, match="shutting down"):
        queue.ask(TEXTS[0])


class ThreadCounter(RuleAnnotator):
    """Counts threads that call it at the same time."""

    inside = most = 0

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        self.inside += 1
        self.most = max(self.most, self.inside)
        time.sleep(0.05)
        self.inside -= 1
        return super().annotate(documents, layers=layers)


def test_annotators_of_users_are_called_by_one_thread_at_a_time(small: Pipeline) -> None:
    counter = ThreadCounter()
    app = make_app(with_annotators(small, counter))
    answers = ask_all(app, [f"0 {LONG}", *TEXTS[:3], f"1 {LONG}", *TEXTS[3:]])
    assert [answer.status_code for answer in answers] == [200] * 7
    assert counter.most == 1


def test_answers_of_the_shipped_model_do_not_depend_on_other_requests(shipped: Pipeline) -> None:
    texts = [
        f"Bob gave Tina {number} burgers. She was {'very ' * number}hungry. However, the shop was closed."
        for number in range(12)
    ]
    texts.insert(0, " ".join(texts) * 10)  # long, and answered at the same time
    assert len(texts[0]) > worker.LONG
    for text, answer in zip(texts, ask_all(make_app(shipped), texts), strict=True):
        document = shipped.annotate(text)
        assert answer.json() == text_result(shipped, document, shipped.relations(document))


def test_a_view_of_a_recent_text_annotates_nothing(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "RECENT_TEXTS", 2)
    annotator = RuleAnnotator()
    client = serve(annotators=annotator)

    def annotated(path: str, **body: Any) -> int:
        before = annotator.documents
        assert client.post(path, json=body).status_code == 200
        return annotator.documents - before

    assert annotated("/v1/relations", text=TEXTS[0]) == 1
    assert [annotated("/v1/views", text=TEXTS[0], relation=number) for number in (0, 1)] == [0, 0]
    assert annotated("/v1/views", text=TEXTS[0], relation=0, paragraphs="line") == 1
    assert annotated("/v1/views", text=TEXTS[0], relation=0, norel=True) == 1
    assert annotated("/v1/relations", text=TEXTS[0]) == 1  # two others were asked for since
    monkeypatch.setattr(worker, "RECENT_SIZE", 10)
    assert [annotated("/v1/relations", text=TEXTS[1]) for _ in range(2)] == [1, 1]
