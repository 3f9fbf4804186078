"""The outermost layer: ids, headers that protect, the access log, the metrics, and the last catch."""

from __future__ import annotations

import asyncio
import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from disco2.interfaces.server.log_lines import told_of
from disco2.interfaces.server.metrics import Metrics
from disco2.interfaces.server.refusal import unavailable, unexpected
from disco2.interfaces.server.request_record import RequestRecord, open_record

access = logging.getLogger("disco2.server.access")
errors = logging.getLogger("disco2.server.error")

PROTECTION = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
}


class Observing:
    """Every request comes by here, and so does every answer."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        record = open_record(scope)
        counted_receive, counted_send = _counted_receive(receive, record), _counted_send(send, record)
        self._metrics.under_way.inc()
        try:
            await self._app(scope, counted_receive, counted_send)
        except Exception as error:
            # Not the error itself: whoever writes this down would write its words, which may quote a text.
            content = {"request": record.id, **told_of(error)}
            errors.error("unexpected %s", type(error).__name__, extra={"content": content})
            if not record.status:
                await unexpected().response()(scope, counted_receive, counted_send)
        except asyncio.CancelledError:  # the server waits no longer for what it has begun
            if not record.status:
                refusal = unavailable("The server is shutting down.")
                await refusal.response()(scope, counted_receive, counted_send)
        finally:
            self._metrics.under_way.dec()
            self._metrics.observe(record)
            access.info("request", extra={"content": record.to_json()})


def _counted_receive(receive: Receive, record: RequestRecord) -> Receive:
    async def counted() -> Message:
        message = await receive()
        record.bytes_in += len(message.get("body", b""))
        return message

    return counted


def _counted_send(send: Send, record: RequestRecord) -> Send:
    async def counted(message: Message) -> None:
        if message["type"] == "http.response.start":
            record.status = message["status"]
            headers = list(message.get("headers", []))
            present = {name.lower() for name, _ in headers}
            headers += [
                (name.encode(), value.encode())
                for name, value in {**PROTECTION, "x-request-id": record.id}.items()
                if name.encode() not in present
            ]
            message = {**message, "headers": headers}
        record.bytes_out += len(message.get("body", b""))
        await send(message)

    return counted
