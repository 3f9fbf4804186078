"""The application: its routes, the layers around them, and the page."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Request
from prometheus_client.exposition import choose_encoder
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from disco2.files import filled
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Json, heading
from disco2.interfaces.server import middleware, schemas
from disco2.interfaces.server.schemas import (
    ApiError,
    HealthResponse,
    ModelResponse,
    RelationsRequest,
    ViewRequest,
    ViewResponse,
)
from disco2.interfaces.server.settings import Limits, ServerSettings
from disco2.interfaces.server.worker import Answerer, Job, WorkQueue, annotator_lock, check_limits
from disco2.version import VERSION

PAGE_FOLDER = Path(__file__).with_name("page")
# Nothing from other servers and nothing inline: no text can make the page run anything.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_DESCRIPTION = """Discourse relations of English text.

Answers are the JSON of `disco2 predict` of the same version. All offsets count Unicode code points. All
errors have one form. Each answer has the header `X-Request-ID`, which the log shows, too.
"""
# FastAPI would report every request to an OpenTelemetry that happens to be configured in this process.
_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}


def make_app(pipeline: Pipeline, settings: ServerSettings | None = None) -> FastAPI:
    """The server as an ASGI application. Answers a few examples first, as the first answers are slow."""
    settings = settings or ServerSettings()
    limits = settings.limits
    metrics = middleware.ServerMetrics()
    info = {"disco2": VERSION, "name": pipeline.info.name, "digest": pipeline.info.digest}
    metrics.model.info(info | {"annotators": pipeline.annotators.name})
    lock = annotator_lock(pipeline.annotators)

    queue = WorkQueue(
        lambda: Answerer(pipeline, limits, lock=lock, on_batch=metrics.batches.observe).answer_batch,
        max_waiting=limits.queue,
    )
    metrics.waiting.set_function(lambda: len(queue))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        except asyncio.CancelledError:  # a second signal
            return
        await asyncio.to_thread(queue.close)

    layers = [Middleware(middleware.Gate, settings=settings, metrics=metrics)]
    if settings.cors_origins:
        cors = Middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-Request-ID"],
            expose_headers=["X-Request-ID", "Retry-After"],
        )
        layers.insert(0, cors)  # outside
    app = FastAPI(
        title="disco2",
        summary="Discourse relations",
        description=_DESCRIPTION,
        version=VERSION,
        docs_url=None,  # FastAPI's pages load scripts from other servers
        redoc_url=None,
        openapi_url=None,  # added below, complete
        redirect_slashes=False,
        middleware=layers,
        exception_handlers=schemas.ERROR_HANDLERS,
        lifespan=lifespan,
        telemetry=_NO_TELEMETRY,
    )
    shown = ("body_bytes", "sentences", "pairs", "seconds")
    model = heading(pipeline) | {"limits": {name: getattr(limits, name) for name in shown}}
    results = schemas.result_content(_answer_examples(pipeline))

    @app.post(
        middleware.RELATIONS,
        summary="Relations of a text, or senses of pairs",
        response_description="The result of `disco2 predict --json` for the text, or one answer per pair.",
        responses={200: {"content": results}, **schemas.POST_ERRORS},
        dependencies=[Depends(_require_json)],
    )
    async def relations(
        request: Request,
        body: Annotated[
            RelationsRequest,
            Body(openapi_examples={name: {"value": value} for name, value in schemas.EXAMPLES.items()}),
        ],
    ) -> Response:
        """Give exactly one of `text` and `pairs`.

        For a text, all relations: explicit ones, and implicit ones inside and between sentences. For pairs,
        the sense between the two arguments of each. `GET /v1/model` shows the limits.
        """
        return await _respond(request, body, queue, limits)

    @app.post(
        middleware.VIEWS,
        summary="One relation, drawn",
        response_description="The trees of both arguments, their vectors, the terms of scores, a drawing.",
        responses={200: {"model": ViewResponse}, **schemas.POST_ERRORS},
        dependencies=[Depends(_require_json)],
    )
    async def views(request: Request, body: ViewRequest) -> Response:
        """Details of one of the relations that `POST /v1/relations` returns for the same text."""
        return await _respond(request, body, queue, limits)

    @app.get(
        middleware.MODEL,
        summary="The model and the limits",
        responses={200: {"model": ModelResponse}, **schemas.GET_ERRORS},
    )
    async def about() -> Response:
        """Which model and which annotators answer, and how much one request may ask for."""
        return JSONResponse(model)

    @app.get(
        schemas.HEALTH,
        summary="Whether the server accepts requests",
        responses={200: {"model": HealthResponse}, **schemas.GET_ERRORS},
    )
    async def health() -> Response:
        """For monitoring; needs no API key."""
        return JSONResponse({"status": "ok"})

    @app.get(
        middleware.METRICS,
        summary="Metrics for Prometheus",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **schemas.GET_ERRORS},
    )
    async def measure(request: Request) -> Response:
        """Requests, times, batches, the queue, memory and processor time."""
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(metrics), headers={"Content-Type": media_type})

    description = schemas.complete_description(app, settings)
    app.openapi = lambda: description  # type: ignore[method-assign]  # FastAPI makes a new one after add_route
    for path, content, media_type in (
        (middleware.OPENAPI, json.dumps(description), "application/json"),
        (middleware.DOCS, _docs(description), "text/html"),
        (middleware.PAGE, (PAGE_FOLDER / "index.html").read_text(encoding="utf-8"), "text/html"),
    ):
        app.add_route(path, _document(content, media_type), include_in_schema=False)
    app.state.metrics = metrics
    app.mount("/assets", _Assets(directory=PAGE_FOLDER, packages=[("disco2.drawing", "web")]))
    return app


def _document(content: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    async def respond(_: Request) -> Response:
        headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
        return Response(content, media_type=media_type, headers=headers)

    return respond


class _Assets(StaticFiles):
    """The files of the page; browsers ask whether they have changed."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        response = super().file_response(*arguments, **options)
        response.headers["Cache-Control"] = "no-cache"
        return response


def _docs(description: Json) -> str:
    """The description of the API as a page that needs no script."""
    operations = []
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            schema = content.get("schema", {})
            names = [one["$ref"].split("/")[-1] for one in schema.get("oneOf", [schema]) if one]
            bodies = [description["components"]["schemas"][name] for name in names]
            operations.append(
                {
                    **{"method": method.upper(), "path": path, "bodies": bodies, **operation},
                    "examples": [json.dumps(one["value"]) for one in content.get("examples", {}).values()],
                }
            )
    return filled(PAGE_FOLDER / "docs.html", info=description["info"], operations=operations)


async def _require_json(request: Request) -> None:
    """Other types could be sent by any web page without asking first."""
    headers = request.headers
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" or headers.get("content-encoding", "identity") != "identity":
        raise ApiError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "The body is not declared as JSON, or is compressed.",
            where="header Content-Type",
            hint="Send the header: Content-Type: application/json",
        )


async def _respond(request: Request, body: schemas.AnyRequest, queue: WorkQueue, limits: Limits) -> Response:
    """Wait for the answer, until the time limit is over or the client closes the connection."""
    check_limits(body, limits)
    record: middleware.RequestRecord = request.state.record
    job = Job(body, deadline=record.started + limits.seconds)
    answer = asyncio.wrap_future(queue.submit(job))
    disconnect = asyncio.ensure_future(request.receive())  # the body was read before
    try:
        both: list[asyncio.Future[Any]] = [answer, disconnect]
        remaining = max(0.0, limits.seconds - record.seconds)
        await asyncio.wait(both, timeout=remaining, return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            found = answer.result()
        elif disconnect.done():
            raise schemas.client_closed()
        else:
            raise ApiError(
                HTTPStatus.GATEWAY_TIMEOUT,
                f"There was no answer within {limits.seconds:g} seconds.",
                hint="Send less text at a time, or try again when fewer requests are waiting.",
            )
    finally:
        answer.cancel()
        disconnect.cancel()
    record.sentences, record.pairs = found.sentences, found.pairs
    record.relations, record.batch = found.relations, found.batch
    return Response(found.body, media_type="application/json")


def _answer_examples(pipeline: Pipeline) -> dict[str, Json]:
    """The answers to the examples, whatever the limits of the server are."""
    answerer = Answerer(pipeline, Limits())
    found = {}
    for name, example in schemas.EXAMPLES.items():
        request = (schemas.PairsRequest if "pairs" in example else schemas.TextRequest)(**example)
        found[name] = json.loads(answerer.answer(Job(request, deadline=math.inf)).body)
    if found["text"]["relations"]:  # else the first view that a user asks for would be slow
        view = ViewRequest(**schemas.EXAMPLES["text"], relation=0)
        answerer.answer(Job(view, deadline=math.inf))
    return found
