"""A job's answer, awaited: until it is there, the time is up, or the client has gone."""

from __future__ import annotations

import asyncio
import time
from http import HTTPStatus
from typing import Any

from fastapi import Request
from starlette.responses import Response

from disco2.interfaces.server.batching import BatchQueue
from disco2.interfaces.server.jobs import Job
from disco2.interfaces.server.refusal import CLIENT_GONE, Refusal
from disco2.interfaces.server.request_record import record_of


async def answer_to(request: Request, queue: BatchQueue, job: Job, *, limit: float) -> Response:
    """The response with the job's answer; a job that nobody waits for any more is called off."""
    answer = asyncio.wrap_future(queue.submit(job))
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        left = max(0.0, job.deadline - time.monotonic())
        both: list[asyncio.Future[Any]] = [answer, gone]
        await asyncio.wait(both, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise _client_gone() if gone.done() else _too_slow(limit)
        found = answer.result()
    finally:
        answer.cancel()
        gone.cancel()
    record = record_of(request.scope)
    record.sentences, record.pairs = found.sentences, found.pairs
    record.relations, record.batch = found.relations, found.batch
    return Response(found.body, media_type="application/json")


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _client_gone() -> Refusal:
    return Refusal(CLIENT_GONE, "The client has gone.")


def _too_slow(limit: float) -> Refusal:
    return Refusal(
        HTTPStatus.GATEWAY_TIMEOUT,
        f"There was no answer within {limit:g} seconds.",
        hint="Send less text at a time, or try again when fewer are asking.",
    )
