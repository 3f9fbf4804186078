"""The application: its routes, the layers around them, and the page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Request
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from disco2.files import filled
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Json, heading
from disco2.interfaces.server import schemas
from disco2.interfaces.server.middleware import Gate, RequestRecord, ServerMetrics
from disco2.interfaces.server.schemas import ApiError, RelationsRequest, ViewRequest, ViewResponse
from disco2.interfaces.server.settings import Limits, ServerSettings
from disco2.interfaces.server.worker import Answerer, Job, WorkQueue, annotator_lock, check_limits
from disco2.version import VERSION

PAGE_FOLDER = Path(__file__).with_name("page")
_DESCRIPTION = """Discourse relations of English text.

Answers are the JSON of `disco2 predict` of the same version. All offsets count Unicode code points. All
errors have one form. Each answer has the header `X-Request-ID`, which the log shows, too.
"""
# FastAPI would report every request to an OpenTelemetry that happens to be configured in this process.
_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}


def make_app(pipeline: Pipeline, settings: ServerSettings | None = None) -> FastAPI:
    """The server as an ASGI application. Answers an example first, as the first answer is slow."""
    settings = settings or ServerSettings()
    limits = settings.limits
    metrics = ServerMetrics()
    info = {"disco2": VERSION, "name": pipeline.info.name, "digest": pipeline.info.digest}
    metrics.model.info(info | {"annotators": pipeline.annotators.name})
    lock = annotator_lock(pipeline.annotators)
    queue = WorkQueue(
        lambda: Answerer(pipeline, limits, lock=lock, on_batch=metrics.batches.observe).answer_batch,
        max_waiting=limits.queue,
    )
    metrics.waiting.set_function(lambda: len(queue))
    list(pipeline.explain_many(pipeline(schemas.EXAMPLES["text"]["text"])))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        except asyncio.CancelledError:  # a second signal
            return
        await asyncio.to_thread(queue.close)

    layers = [Middleware(Gate, settings=settings, metrics=metrics)]
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
        redirect_slashes=False,
        middleware=layers,
        responses=schemas.ERRORS,
        exception_handlers=schemas.ERROR_HANDLERS,
        lifespan=lifespan,
        telemetry=_NO_TELEMETRY,
    )
    shown = ("body_bytes", "sentences", "pairs", "seconds")
    model = heading(pipeline) | {"limits": {name: getattr(limits, name) for name in shown}}

    @app.post(
        "/v1/relations",
        summary="Relations of a text, or senses of pairs",
        response_description="The result of `disco2 predict --json` for the text, or one answer per pair.",
        responses={200: {"content": schemas.RESULTS}},
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
        "/v1/views",
        summary="One relation, drawn",
        response_description="The trees of both arguments, their vectors, the terms of scores, a drawing.",
        responses={200: {"model": ViewResponse}},
        dependencies=[Depends(_require_json)],
    )
    async def views(request: Request, body: ViewRequest) -> Response:
        """Details of one of the relations that `POST /v1/relations` returns for the same text."""
        return await _respond(request, body, queue, limits)

    @app.get("/v1/model", summary="The model and the limits")
    async def about() -> Json:
        """Which model and which annotators answer, and how much one request may ask for."""
        return model

    @app.get("/healthz", summary="Whether the server accepts requests")
    async def health() -> dict[str, str]:
        """For monitoring; needs no API key."""
        return {"status": "ok"}

    @app.get(
        "/metrics",
        summary="Metrics for Prometheus",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    async def measure() -> Response:
        """Requests, times, batches, the queue, memory and processor time."""
        return Response(generate_latest(metrics), headers={"Content-Type": CONTENT_TYPE_LATEST})

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(PAGE_FOLDER / "index.html")

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(_docs(description))

    app.mount("/assets", StaticFiles(directory=PAGE_FOLDER, packages=[("disco2.drawing", "web")]))
    description = schemas.complete_description(app, settings)
    app.openapi = lambda: description  # type: ignore[method-assign]
    app.state.metrics = metrics
    return app


def _docs(description: Json) -> str:
    """The description of the API as a page that needs no script."""
    operations = []
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            schema = content.get("schema", {})
            names = [one["$ref"].split("/")[-1] for one in schema.get("oneOf", [schema]) if one]
            bodies = [description["components"]["schemas"][name] for name in names]
            examples = [json.dumps(one["value"]) for one in content.get("examples", {}).values()]
            shown = {"method": method.upper(), "path": path, "bodies": bodies, "examples": examples}
            operations.append(shown | operation)
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
    record: RequestRecord = request.state.record
    job = Job(body, deadline=record.started + limits.seconds)
    check_limits(job, limits)
    answer = asyncio.wrap_future(queue.submit(job))
    disconnect = asyncio.ensure_future(request.receive())  # the body was read before
    try:
        both: list[asyncio.Future[Any]] = [answer, disconnect]
        remaining = max(0.0, limits.seconds - record.seconds)
        await asyncio.wait(both, timeout=remaining, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            if disconnect.done():
                raise schemas.client_closed()
            raise ApiError(
                HTTPStatus.GATEWAY_TIMEOUT,
                f"There was no answer within {limits.seconds:g} seconds.",
                hint="Send less text at a time, or try again when fewer requests are waiting.",
            )
        found = answer.result()
    finally:
        answer.cancel()
        disconnect.cancel()
    record.sentences, record.pairs = found.sentences, found.pairs
    record.relations, record.batch = found.relations, found.batch
    return Response(found.body, media_type="application/json")
