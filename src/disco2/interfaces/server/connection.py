"""A connection: bytes that are no HTTP get an error of the same form; nobody keeps it for nothing."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus

import h11
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import H11Protocol

from disco2.interfaces.server.refusal import Refusal


class Connection(H11Protocol):
    """uvicorn's own, but for the answer to what it can't read, and for clients that take no end.

    uvicorn's own patience begins with the first answer, and anew with every byte. Here the next request's
    headers must be complete, and an answer be taken away, within the time that an idle connection is kept.
    """

    _patience: asyncio.TimerHandle | None = None
    _untaken = 0  # bytes of the answer, when last looked at

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_client()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait_for_client()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._patience is not None:
            self._patience.cancel()

    def shutdown(self) -> None:
        super().shutdown()
        if self.cycle is not None and not self.cycle.response_complete:
            scope = self.cycle.scope  # whose "Connection: close" uvicorn repeats, so that the client knows
            scope["headers"] = [*scope["headers"], CLOSE_HEADER]

    def _wait_for_client(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
        self._untaken = self.transport.get_write_buffer_size()
        self._patience = self.loop.call_later(self.timeout_keep_alive, self._end_or_wait)

    def _end_or_wait(self) -> None:
        untaken = self.transport.get_write_buffer_size()
        if 0 < untaken < self._untaken:
            self._wait_for_client()  # slow, but at it
        elif untaken or self.cycle is None or self.cycle.response_complete:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):  # the answer is on its way already
            self.transport.close()
            return
        refusal = Refusal(HTTPStatus.BAD_REQUEST, "This is not a request in HTTP/1.1.")
        body = json.dumps(refusal.to_json()).encode()
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        status = h11.Response(status_code=refusal.status, headers=headers, reason="Bad Request")
        events = (status, h11.Data(data=body), h11.EndOfMessage())
        self.transport.write(b"".join([self.conn.send(event) or b"" for event in events]))
        self.transport.close()
