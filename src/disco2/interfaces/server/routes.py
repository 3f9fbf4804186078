"""The addresses of the API and what answers there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from disco2.inference.pipeline import Pipeline
from disco2.inference.results import heading
from disco2.interfaces.server import addresses
from disco2.interfaces.server.admission import relations_job, view_job
from disco2.interfaces.server.batching import BatchQueue
from disco2.interfaces.server.jobs import Job
from disco2.interfaces.server.metrics import Metrics
from disco2.interfaces.server.openapi import (
    OF_POSTS,
    error_responses,
    json_content,
    reference,
    relations_extra,
    view_extra,
)
from disco2.interfaces.server.reading import read_content
from disco2.interfaces.server.request_record import record_of
from disco2.interfaces.server.settings import Limits
from disco2.interfaces.server.waiting import answer_to


def make_routes(pipeline: Pipeline, queue: BatchQueue, metrics: Metrics, limits: Limits) -> APIRouter:
    router = APIRouter(redirect_slashes=False)
    model = heading(pipeline) | {"limits": limits.to_json()}

    async def answered(request: Request, make: Callable[..., Job]) -> Response:
        deadline = record_of(request.scope).started + limits.seconds
        content = await read_content(request, seconds=limits.seconds)
        return await answer_to(request, queue, make(content, limits, deadline=deadline), limit=limits.seconds)

    @router.post(
        addresses.RELATIONS,
        summary="Relations of a text, or senses of pairs",
        response_description="What `disco2 predict --json` prints for the text; or one answer for each pair.",
        responses=error_responses(*OF_POSTS),
        openapi_extra=relations_extra(),
    )
    async def relations(request: Request) -> Response:
        """Give exactly one of `text` and `pairs`.

        For a text, all relations: those that connectives state, those inside sentences, those between
        neighbouring sentences. For pairs, the sense between the two arguments of each. `GET /v1/model` tells
        the limits.
        """
        return await answered(request, relations_job)

    @router.post(
        addresses.VIEWS,
        summary="One relation, drawn",
        response_description="The trees of both arguments, their vectors, the terms of scores, a drawing.",
        responses=error_responses(*OF_POSTS),
        openapi_extra=view_extra(),
    )
    async def views(request: Request) -> Response:
        """A closer look at one of the relations that `POST /v1/relations` gives for the same text."""
        return await answered(request, view_job)

    @router.head(addresses.MODEL, include_in_schema=False)
    @router.get(
        addresses.MODEL,
        summary="The model and the limits",
        responses={
            200: {
                "description": "What answers, and what one request may ask for.",
                "content": json_content(reference("ModelResult"), {"model": model}),
            },
            **error_responses(401, 413, 500),
        },
    )
    async def about() -> Response:
        """Which model and which annotators answer, and how much one request may ask for."""
        return JSONResponse(model)

    @router.head(addresses.HEALTH, include_in_schema=False)
    @router.get(
        addresses.HEALTH,
        summary="Whether the server takes requests",
        responses={
            200: {
                "description": "It does.",
                "content": json_content(reference("Health"), {"ok": {"status": "ok"}}),
            },
            **error_responses(413, 500),
        },
    )
    async def health() -> Response:
        """For whoever watches over the server; needs no key."""
        return JSONResponse({"status": "ok"})

    figures: dict[int | str, dict[str, Any]] = {
        200: {
            "description": "In Prometheus's text format.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        }
    }

    @router.head(addresses.METRICS, include_in_schema=False)
    @router.get(
        addresses.METRICS,
        summary="Figures for Prometheus",
        response_class=Response,
        responses=figures | error_responses(401, 413, 500),
    )
    async def measured(request: Request) -> Response:
        """Requests, times, batches, the queue, memory and processor time."""
        body, media_type = metrics.exposition(request.headers.get("accept", ""))
        return Response(body, headers={"Content-Type": media_type})

    return router
