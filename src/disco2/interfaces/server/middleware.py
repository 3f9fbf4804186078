"""What every request passes before a route: the log, metrics, checks and limits."""

from __future__ import annotations

import asyncio
import functools
import hmac
import json
import logging
import re
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, Metric, ProcessCollector
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from disco2.interfaces.server.schemas import CLOSE, ApiError, client_closed, unavailable
from disco2.interfaces.server.settings import ServerSettings

_ROUTES = frozenset(
    "/v1/relations /v1/views /v1/model /healthz /metrics /openapi.json /docs /".split()  # noqa: SIM905
)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_FIGURES = ("sentences", "pairs", "batch")  # in the log if they are not 0
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # Nothing from other servers and nothing inline: no text can make the page run anything.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-cache",
}
DRAINED = 8  # times the body limit: read and discarded, as many clients send everything before they read

access_log = logging.getLogger("disco2.server.access")
error_log = logging.getLogger("disco2.server.error")


@dataclass(slots=True)
class RequestRecord:
    """Sizes and times of a request for the log and the metrics, without its content.

    ``method`` and ``route`` are known ones or "other": clients can't add values.
    """

    request: str
    method: str
    route: str
    started: float = field(default_factory=time.monotonic)
    status: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    sentences: int = 0
    pairs: int = 0
    relations: int = 0
    batch: int = 0

    @classmethod
    def of_scope(cls, scope: Scope) -> RequestRecord:
        given = _header(scope, b"x-request-id").decode("latin-1")
        method, path = scope["method"], scope["path"]
        return cls(
            given if _REQUEST_ID.fullmatch(given) else uuid4().hex,
            method if method in _METHODS else "other",
            path if path in _ROUTES else "/assets/{name}" if path.startswith("/assets/") else "other",
        )

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def to_json(self) -> dict[str, Any]:
        """A line of the access log."""
        line = asdict(self) | {"milliseconds": round(1000 * self.seconds, 1)}
        del line["started"], line["relations"]
        return {name: value for name, value in line.items() if value or name not in _FIGURES}


class ServerMetrics:
    """Figures for Prometheus, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        own: Any = {"registry": self.registry}
        labels = ["route", "method", "status"]
        self.requests = Counter("disco2_requests", "Requests answered.", labels, **own)
        self.seconds = Histogram(
            "disco2_request_seconds", "From request to answer.", ["route"], buckets=_SECONDS, **own
        )
        self.batches = Histogram(
            "disco2_batch_requests", "Requests answered together.", buckets=(1, 2, 4, 8, 16, 32), **own
        )
        self.sentences = Counter("disco2_sentences", "Sentences of texts answered.", **own)
        self.pairs = Counter("disco2_pairs", "Pairs answered.", **own)
        self.relations = Counter("disco2_relations", "Relations in answers.", **own)
        self.waiting = Gauge("disco2_queue_requests", "Requests that wait for a worker.", **own)
        self.under_way = Gauge("disco2_requests_under_way", "Requests not yet answered.", **own)
        self.model = Info("disco2_model", "The model that answers.", **own)
        self.worker = ""  # its number, if this process is one of several

    def collect(self) -> Iterator[Metric]:
        """All figures. Those of a worker have its number as a label: each worker shows its own."""
        for metric in self.registry.collect():
            if self.worker:
                metric.samples = [
                    one._replace(labels={**one.labels, "worker": self.worker}) for one in metric.samples
                ]
            yield metric

    def observe(self, record: RequestRecord) -> None:
        self.requests.labels(record.route, record.method, str(record.status)).inc()
        self.seconds.labels(record.route).observe(record.seconds)
        self.sentences.inc(record.sentences)
        self.pairs.inc(record.pairs)
        self.relations.inc(record.relations)


class Gate:
    """Every request passes it: log, metrics, security headers; checks of form, host and API key; its body.

    Errors that nothing else has answered are answered here.
    """

    def __init__(self, app: ASGIApp, *, settings: ServerSettings, metrics: ServerMetrics) -> None:
        self._app = app
        self._metrics = metrics
        self._hosts = frozenset(host.lower() for host in settings.allowed_hosts)
        self._limits = settings.limits
        # Digests have one length, so that comparing takes the same time whatever the key.
        self._key = sha256(settings.api_key.encode()).digest() if settings.api_key else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        record = RequestRecord.of_scope(scope)
        scope.setdefault("state", {})["record"] = record
        body: list[bytes] = []

        async def replay() -> Message:
            if body:
                return {"type": "http.request", "body": body.pop(), "more_body": False}
            return await receive()  # waits for the client to disconnect

        async def count_sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                record.status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in {**_SECURITY_HEADERS, "X-Request-ID": record.request}.items():
                    headers.setdefault(name, value)
            record.bytes_out += len(message.get("body", b""))
            await send(message)

        self._metrics.under_way.inc()
        try:
            self._check_headers(scope)
            self._check_key(scope)
            body.append(await self._read_body(scope, receive, record))
            method = "GET" if scope["method"] == "HEAD" else scope["method"]  # uvicorn leaves the body out
            await self._app({**scope, "method": method}, replay, count_sent)
        except (Exception, asyncio.CancelledError) as error:
            failure = _failure(error, record)
            if not record.status:
                await failure.response()(scope, receive, count_sent)
        finally:
            self._metrics.under_way.dec()
            self._metrics.observe(record)
            access_log.info("request", extra={"content": record.to_json()})

    def _check_headers(self, scope: Scope) -> None:
        """Against request smuggling (RFC 9112, 6.1), and against DNS rebinding.

        A foreign name that resolves to this machine is still a foreign name.
        """
        bad = functools.partial(ApiError, HTTPStatus.BAD_REQUEST)
        if {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}:
            what = "The request has both Content-Length and Transfer-Encoding."
            raise bad(what, hint="Send one of the two.", headers=CLOSE)
        if scope["http_version"] not in ("1.0", "1.1", "2", "3"):
            raise ApiError(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "Use HTTP/1.1.", headers=CLOSE)
        given = _header(scope, b"host").decode("latin-1")
        try:
            host = urlsplit(f"//{given}").hostname
        except ValueError:
            host = None
        if given and not {"*", host} & self._hosts:
            hint = "Start it with --allowed-host NAME to allow another name."
            raise bad("This server does not serve this host name.", where="header Host", hint=hint)

    def _check_key(self, scope: Scope) -> None:
        path = scope["path"]
        if not self._key or not (path in ("/metrics", "/v1") or path.startswith("/v1/")):
            return
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, key = (given[0] if len(given) == 1 else b"").partition(b" ")
        equal = hmac.compare_digest(sha256(key.strip()).digest(), self._key)
        if not equal or scheme.lower() != b"bearer":
            raise ApiError(
                HTTPStatus.UNAUTHORIZED,
                "This address needs the server's API key.",
                where="header Authorization",
                hint="Send the header: Authorization: Bearer KEY",
                headers={"WWW-Authenticate": "Bearer"},
            )

    async def _read_body(self, scope: Scope, receive: Receive, record: RequestRecord) -> bytes:
        """The body. Part of one that is too large is read and dropped: many clients send first, then read."""
        limit, seconds = self._limits.body_bytes, self._limits.seconds
        declared = _header(scope, b"content-length")
        length = int(declared) if declared.isdigit() else 0
        body, more = b"", length <= DRAINED * limit
        try:
            async with asyncio.timeout(max(0.0, seconds - record.seconds)):
                while more and record.bytes_in <= DRAINED * limit:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise client_closed()
                    part = message.get("body", b"")
                    record.bytes_in += len(part)
                    body += part if record.bytes_in <= limit else b""
                    more = message.get("more_body", False)
        except TimeoutError:
            what = f"The body did not arrive within {seconds:g} seconds."
            raise ApiError(HTTPStatus.REQUEST_TIMEOUT, what, headers=CLOSE) from None
        if max(length, record.bytes_in) > limit:
            raise ApiError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"The body is too large: at most {limit:,} bytes, about one per letter.",
                hint="Send the text in parts.",
                headers=CLOSE if more or not record.bytes_in else None,
            )
        return body


def _failure(error: BaseException, record: RequestRecord) -> ApiError:
    """The response to an error; unexpected ones are logged."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, asyncio.CancelledError):  # after a second signal
        return unavailable("The server is shutting down.")
    content = {"request": record.request, **describe_error(error)}
    error_log.error("unexpected %s", type(error).__name__, extra={"content": content})
    hint = "The server's log has more, under the request's id."
    return ApiError(HTTPStatus.INTERNAL_SERVER_ERROR, "Internal error in the server.", hint=hint)


def _header(scope: Scope, name: bytes) -> bytes:
    found: bytes = next((value for key, value in scope["headers"] if key == name), b"")
    return found


class JsonLines(logging.Formatter):
    """Log records as JSON in ASCII, so that no content can start a new line.

    Of an exception it shows the type and the places, not the message, which may quote a user's text.
    """

    def format(self, record: logging.LogRecord) -> str:
        content: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "process": record.process,
        }
        content |= getattr(record, "content", None) or {"message": record.getMessage().strip()}
        if record.exc_info and record.exc_info[1] is not None:
            content |= describe_error(record.exc_info[1])
        return json.dumps(content)


def describe_error(error: BaseException) -> dict[str, Any]:
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    return {"error": type(error).__name__, "trace": places}


def write_log(*, access: bool = True) -> None:
    """Write the log of the server and its libraries to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("disco2.server", "uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO if name == "disco2.server" else logging.WARNING)
    access_log.disabled = not access
