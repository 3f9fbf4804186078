"""No body beyond the limit is taken in, whatever its headers say."""

from __future__ import annotations

from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from disco2.interfaces.server.refusal import Refusal

PATIENCE = 8  # times the limit: a client that is still sending then is cut off


class BodyLimit:
    """Refuses by the declared length at once, and else as soon as too much has come."""

    def __init__(self, app: ASGIApp, *, most_bytes: int) -> None:
        self._app = app
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        length = int(declared) if declared.isdigit() and len(declared) < 20 else self._most + 1
        if length > self._most:
            refusal = self._too_large(close=length > PATIENCE * self._most)
            await refusal.response()(scope, receive, send)
            return
        await self._app(scope, self._limited(receive), send)

    def _limited(self, receive: Receive) -> Receive:
        come = 0

        async def limited() -> Message:
            nonlocal come
            message = await receive()
            come += len(message.get("body", b""))
            if come <= self._most:
                return message
            # Many clients read no answer before they have sent everything.
            while message.get("more_body", False) and come <= PATIENCE * self._most:
                message = await receive()
                come += len(message.get("body", b""))
            raise self._too_large(close=message.get("more_body", False))

        return limited

    def _too_large(self, *, close: bool) -> Refusal:
        return Refusal(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"That is too much at once: {self._most:,} bytes are the most, about one for each letter.",
            hint="Send the text in parts.",
            headers={"Connection": "close"} if close else None,
        )
