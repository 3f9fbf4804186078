"""The application: routes, the description of the API, the page, and the layers around them."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from prometheus_client.exposition import choose_encoder
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles

from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import heading, read_schema
from disco2.interfaces.server import middleware
from disco2.interfaces.server.errors import (
    ApiError,
    answer_disconnect,
    answer_http_error,
    answer_validation_error,
    client_closed,
)
from disco2.interfaces.server.schemas import (
    ErrorResponse,
    HealthResponse,
    Json,
    LimitsResponse,
    ModelResponse,
    PairsRequest,
    RelationsRequest,
    TextRequest,
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
_BURGER = "Bob gave Tina the burger."
_EXAMPLES: dict[str, Json] = {
    "text": {"text": f"{_BURGER} She was hungry."},
    "explained": {"text": "It rained all day. We stayed at home.", "explain": True},
    "pairs": {
        "pairs": [
            {"arg1": _BURGER, "arg2": "She was hungry.", "id": "she"},
            {"arg1": _BURGER, "arg2": "He was hungry.", "id": "he"},
        ]
    },
}
_STATUSES = {
    400: "The body is not valid JSON, or the request is malformed.",
    401: "The API key is missing or wrong.",
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    415: "The body is not declared as JSON, or is compressed.",
    422: "A field is missing, unknown or has a wrong value; or there are too many sentences or pairs.",
    500: "Internal error in the server.",
    503: "Too many requests are waiting, or the server is shutting down; see the header Retry-After.",
    504: "There was no answer within the time limit.",
}
_GET_ERRORS = (400, 401, 413, 500)
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

    def make_answer_batch() -> Any:
        return Answerer(pipeline, limits, lock=lock, on_batch=metrics.batches.observe).answer_batch

    queue = WorkQueue(make_answer_batch, max_waiting=limits.queue)
    metrics.waiting.set_function(lambda: len(queue))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        except asyncio.CancelledError:  # a second signal
            return
        await asyncio.to_thread(queue.close)

    app = FastAPI(
        title="disco2",
        summary="Discourse relations",
        description=_DESCRIPTION,
        version=VERSION,
        docs_url=None,  # loads scripts from other servers
        redoc_url=None,
        openapi_url=None,  # added below, complete
        redirect_slashes=False,
        middleware=_layers(settings, metrics),
        exception_handlers={
            HTTPException: answer_http_error,
            RequestValidationError: answer_validation_error,
            ClientDisconnect: answer_disconnect,
        },
        lifespan=lifespan,
        telemetry=_NO_TELEMETRY,
    )
    model = heading(pipeline) | {"limits": LimitsResponse.model_validate(limits).model_dump()}
    examples = _answer_examples(pipeline)

    @app.post(
        middleware.RELATIONS,
        summary="Relations of a text, or senses of pairs",
        response_description="The result of `disco2 predict --json` for the text, or one answer per pair.",
        responses={200: {"content": {"application/json": _result_schema(examples)}}, **_errors(*_STATUSES)},
        dependencies=[Depends(_require_json)],
    )
    async def relations(
        request: Request,
        body: Annotated[
            RelationsRequest,
            Body(openapi_examples={name: {"value": value} for name, value in _EXAMPLES.items()}),
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
        responses={200: {"model": ViewResponse}, **_errors(*_STATUSES)},
        dependencies=[Depends(_require_json)],
    )
    async def views(request: Request, body: ViewRequest) -> Response:
        """Details of one of the relations that `POST /v1/relations` returns for the same text."""
        return await _respond(request, body, queue, limits)

    @app.head(middleware.MODEL, include_in_schema=False)
    @app.get(
        middleware.MODEL,
        summary="The model and the limits",
        responses={200: {"model": ModelResponse}, **_errors(*_GET_ERRORS)},
    )
    async def about() -> Response:
        """Which model and which annotators answer, and how much one request may ask for."""
        return JSONResponse(model)

    @app.head(middleware.HEALTH, include_in_schema=False)
    @app.get(
        middleware.HEALTH,
        summary="Whether the server accepts requests",
        responses={200: {"model": HealthResponse}, **_errors(*_GET_ERRORS)},
    )
    async def health() -> Response:
        """For monitoring; needs no API key."""
        return JSONResponse({"status": "ok"})

    @app.head(middleware.METRICS, include_in_schema=False)
    @app.get(
        middleware.METRICS,
        summary="Metrics for Prometheus",
        response_class=Response,
        responses={
            200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
            **_errors(*_GET_ERRORS),
        },
    )
    async def measure(request: Request) -> Response:
        """Requests, times, batches, the queue, memory and processor time."""
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(metrics.registry), headers={"Content-Type": media_type})

    @app.head(middleware.OPENAPI, include_in_schema=False)
    @app.get(middleware.OPENAPI, include_in_schema=False)
    async def openapi() -> Response:
        return JSONResponse(app.openapi())

    @app.head(middleware.PAGE, include_in_schema=False)
    @app.get(middleware.PAGE, include_in_schema=False)
    async def page() -> Response:
        headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
        return FileResponse(PAGE_FOLDER / "index.html", headers=headers)

    app.mount("/assets", _Assets(directory=PAGE_FOLDER, packages=[("disco2.drawing", "web")]))
    _complete_description(app, settings)
    return app


class _Assets(StaticFiles):
    """The files of the page; browsers ask whether they have changed."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        response = super().file_response(*arguments, **options)
        response.headers["Cache-Control"] = "no-cache"
        return response


def _layers(settings: ServerSettings, metrics: middleware.ServerMetrics) -> list[Middleware]:
    """From the outside to the inside."""
    layers = [Middleware(middleware.Observe, metrics=metrics)]
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
    return [*layers, Middleware(middleware.Guard, settings=settings)]


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


async def _respond(
    request: Request, body: TextRequest | PairsRequest | ViewRequest, queue: WorkQueue, limits: Limits
) -> Response:
    """Wait for the answer, until the time limit is over or the client closes the connection."""
    check_limits(body, limits)
    record: middleware.RequestRecord = request.state.record
    job = Job(body, deadline=record.started + limits.seconds)
    answer = asyncio.wrap_future(queue.submit(job))
    disconnect = asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        both: list[asyncio.Future[Any]] = [answer, disconnect]
        remaining = max(0.0, limits.seconds - record.seconds)
        await asyncio.wait(both, timeout=remaining, return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            found = answer.result()
        elif disconnect.done():
            raise client_closed()
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


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _answer_examples(pipeline: Pipeline) -> dict[str, Json]:
    """The answers to the examples, whatever the limits of the server are."""
    answerer = Answerer(pipeline, Limits())
    found: dict[str, Json] = {}
    for name, example in _EXAMPLES.items():
        request = (PairsRequest if "pairs" in example else TextRequest).model_validate(example)
        found[name] = json.loads(answerer.answer(Job(request, deadline=math.inf)).body)
    if found["text"]["relations"]:
        answerer.answer(Job(ViewRequest(**_EXAMPLES["text"], relation=0), deadline=math.inf))
    return found


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": ErrorResponse, "description": _STATUSES[status]} for status in statuses}


def _reference(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _result_schema(examples: dict[str, Json]) -> Json:
    return {
        "schema": {"oneOf": [_reference("text_result"), _reference("pairs_result")]},
        "examples": {name: {"value": value} for name, value in examples.items()},
    }


def _complete_description(app: FastAPI, settings: ServerSettings) -> None:
    """Add the schema of results, the limit on pairs and the API key to FastAPI's description."""
    description: Json = app.openapi()  # FastAPI keeps it
    schemas = description["components"]["schemas"]
    results = json.dumps(read_schema()["$defs"]).replace("#/$defs/", "#/components/schemas/")
    schemas |= json.loads(results)
    schemas["PairsRequest"]["properties"]["pairs"]["maxItems"] = settings.limits.pairs
    if settings.api_key:
        description["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        for path, operations in description["paths"].items():
            for operation in operations.values():
                if path != middleware.HEALTH:
                    operation["security"] = [{"key": []}]
