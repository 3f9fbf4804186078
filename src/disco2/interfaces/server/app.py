"""The application: the pipeline behind routes, the routes behind the layers that every request passes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Route

from disco2.inference.pipeline import Pipeline
from disco2.interfaces.server import addresses, page_files
from disco2.interfaces.server.api_key import ApiKey
from disco2.interfaces.server.batch_work import BatchWork
from disco2.interfaces.server.batching import BatchQueue
from disco2.interfaces.server.body_limit import BodyLimit
from disco2.interfaces.server.examples import make_examples
from disco2.interfaces.server.metrics import Metrics
from disco2.interfaces.server.observing import Observing
from disco2.interfaces.server.openapi import complete
from disco2.interfaces.server.refusal import CLIENT_GONE, Refusal, answer_http_error, answer_refusal
from disco2.interfaces.server.routes import make_routes
from disco2.interfaces.server.settings import ServerSettings
from disco2.interfaces.server.together import turn_at
from disco2.interfaces.server.workbench import Workbench
from disco2.version import VERSION

_DESCRIPTION = """Implicit discourse relations of English text.

Answers are the JSON of `disco2 predict`, of the same version. All offsets count Unicode characters (code
points). Every error has one form. Each answer has the header `X-Request-ID`, under which the log tells of the
request.
"""
# FastAPI would tell spans of every request to an OpenTelemetry that happens to be set up in this process.
_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}


def make_app(pipeline: Pipeline, settings: ServerSettings | None = None) -> FastAPI:
    """The server as an ASGI application.

    It answers a few examples first: they stand in the description, and wake up what is slow the first time.
    """
    settings = settings or ServerSettings()
    metrics = Metrics()
    metrics.tell_model(pipeline)
    examples = make_examples(pipeline)
    turn = turn_at(pipeline.annotators)

    def work() -> BatchWork:
        return BatchWork(Workbench(pipeline, settings.limits, turn=turn), told=metrics.observe_batch)

    queue = BatchQueue(work, most_waiting=settings.limits.queue)
    metrics.watch_queue(lambda: len(queue))

    @asynccontextmanager
    async def finishing(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        except asyncio.CancelledError:
            return  # it is to end at once
        await asyncio.to_thread(queue.close)

    app = FastAPI(
        title="disco2",
        summary="Implicit discourse relations",
        description=_DESCRIPTION,
        version=VERSION,
        docs_url=None,  # these two load their scripts from elsewhere
        redoc_url=None,
        openapi_url=None,  # added below
        redirect_slashes=False,
        middleware=_layers(settings, metrics),
        exception_handlers={
            Refusal: answer_refusal,
            HTTPException: answer_http_error,
            RequestValidationError: _answer_misfit,
            ClientDisconnect: _answer_nobody,
        },
        lifespan=finishing,
        telemetry=_NO_TELEMETRY,
    )
    app.include_router(make_routes(pipeline, queue, metrics, settings.limits))
    description = complete(app.openapi(), settings, examples)
    app.openapi_schema = description
    app.router.routes.extend(_files(description))
    return app


def _layers(settings: ServerSettings, metrics: Metrics) -> list[Middleware]:
    """From the outside to the inside."""
    layers = [Middleware(Observing, metrics=metrics)]
    if settings.cors_origins:
        layers.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(settings.cors_origins),
                allow_methods=["GET", "POST"],
                allow_headers=["Authorization", "Content-Type", "X-Request-ID"],
                expose_headers=["X-Request-ID", "Retry-After"],
            )
        )
    if settings.api_key:
        layers.append(Middleware(ApiKey, key=settings.api_key))
    layers.append(Middleware(BodyLimit, most_bytes=settings.limits.body_bytes))
    return layers


def _files(description: dict[str, Any]) -> list[Route]:
    """What a browser gets; not part of the API."""
    content = json.dumps(description).encode()

    async def described(_: Request) -> Response:
        return Response(content, media_type="application/json")

    return [
        Route(addresses.OPENAPI, described),
        Route(addresses.PAGE, page_files.page),
        Route(addresses.ASSETS, page_files.asset),
    ]


async def _answer_misfit(_: Request, error: Exception) -> Response:
    """What the framework itself finds wrong with a request, without quoting it."""
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "The request does not fit.").response()


async def _answer_nobody(_: Request, error: Exception) -> Response:
    return Refusal(CLIENT_GONE, "The client has gone.").response()
