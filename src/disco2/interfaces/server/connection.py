"""A connection: bytes that are no HTTP get an error of the same form; nobody keeps it for nothing."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from http import HTTPStatus
from typing import cast

import h11
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import H11Protocol

from disco2.interfaces.server.refusal import Refusal, unavailable

MOST_HEADER_BYTES = 16_384
FIRST_LOOK, LAST_LOOK = 0.05, 1.0  # seconds between looks at whether a client that has ended its side listens


class Connection(H11Protocol):
    """uvicorn's own, but for the answer to what it can't read, and for clients that take no end.

    uvicorn's own patience begins with the first answer, and anew with every byte. Here the next request's
    headers must be complete, and an answer be taken away, within the time that an idle connection is kept.
    Where there are more connections than ``most``, the one that has waited longest for its client is closed,
    and first of all one that has never been answered: idle ones keep nobody out.
    """

    most = 1_000

    _patience: asyncio.TimerHandle | None = None
    _untaken = 0  # bytes of the answer, when last looked at
    _waits_since = 0.0
    _answered = False
    _ended_by_client = False  # its side alone

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._waits_since = self.loop.time()
        self._wait_for_client()
        if len(self.connections) > self.most:
            self._make_room()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._answered = True
        self._waits_since = self.loop.time()
        self._wait_for_client()
        if self._ended_by_client and self.waits_for_client:
            self.transport.close()

    def eof_received(self) -> bool:  # type: ignore[override]
        """The client sends no more; it stays connected where it can still be waiting for its answer.

        One that has gone altogether looks the same, until something is written to it: then it resets the
        connection. A line that HTTP/1.1 lets a server write at any time before the answer is good for that.
        """
        self._ended_by_client = True
        if self.waits_for_client or self.conn.their_http_version == b"1.0":
            return False
        self._look_for_client(FIRST_LOOK)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._patience is not None:
            self._patience.cancel()

    def shutdown(self) -> None:
        super().shutdown()
        if self.cycle is not None and not self.cycle.response_complete:
            scope = self.cycle.scope  # whose "Connection: close" uvicorn repeats, so that the client knows
            scope["headers"] = [*scope["headers"], CLOSE_HEADER]

    @property
    def waits_for_client(self) -> bool:
        """For a request, for the rest of one, or until an answer is taken away."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

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
            self._drop()

    def _drop(self) -> None:
        if self.transport.get_write_buffer_size():  # nor is the system to keep what nobody takes
            reset_at_once = struct.pack("ii", 1, 0)
            self.transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, reset_at_once
            )
        self.transport.abort()

    def _look_for_client(self, seconds: float) -> None:
        if self.waits_for_client or self.cycle.response_started or self.transport.is_closing():
            return
        told = h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue")
        self.transport.write(self.conn.send(told) or b"")
        self.loop.call_later(seconds, self._look_for_client, min(2 * seconds, LAST_LOOK))

    def _make_room(self) -> None:
        others = [one for one in cast("set[Connection]", self.connections) if one is not self]
        waiting = [one for one in others if one.waits_for_client]
        if not waiting:
            self._answer_and_close(unavailable("Too many connections are open."))
            return
        longest = min(waiting, key=lambda one: (one._answered, one._waits_since))
        self.connections.discard(longest)  # it is lost a moment later; the next one is to choose another
        longest._drop()

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):  # the answer is on its way already
            self.transport.close()
        elif len(self.conn.trailing_data[0]) > MOST_HEADER_BYTES:
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            what = f"The headers are too large: {MOST_HEADER_BYTES:,} bytes are the most."
            self._answer_and_close(Refusal(status, what))
        else:
            self._answer_and_close(Refusal(HTTPStatus.BAD_REQUEST, "This is not a request in HTTP/1.1."))

    def _answer_and_close(self, refusal: Refusal) -> None:
        body = json.dumps(refusal.to_json()).encode()
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
            *refusal.headers.items(),
        ]
        reason = HTTPStatus(refusal.status).phrase
        status = h11.Response(status_code=refusal.status, headers=headers, reason=reason)
        events = (status, h11.Data(data=body), h11.EndOfMessage())
        self.transport.write(b"".join([self.conn.send(event) or b"" for event in events]))
        self.transport.close()
