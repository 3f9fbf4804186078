"""The key that clients must send, where there is one."""

from __future__ import annotations

import hmac
from hashlib import sha256
from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send

from disco2.interfaces.server.addresses import needs_key
from disco2.interfaces.server.refusal import Refusal


class ApiKey:
    """Lets through who sends ``Authorization: Bearer KEY``, and who asks for what is open to all."""

    def __init__(self, app: ASGIApp, *, key: str) -> None:
        self._app = app
        # Clients write what is not ASCII in either way.
        encodings = ["utf-8"] if any(ord(letter) > 255 for letter in key) else ["utf-8", "latin-1"]
        self._wanted = [_digest(key.encode(encoding)) for encoding in encodings]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not needs_key(scope["path"]) or self._is_right(scope):
            await self._app(scope, receive, send)
            return
        refusal = Refusal(
            HTTPStatus.UNAUTHORIZED,
            "This address needs the server's API key.",
            where="header Authorization",
            hint="Send the header: Authorization: Bearer KEY",
            headers={"WWW-Authenticate": "Bearer"},
        )
        await refusal.response()(scope, receive, send)

    def _is_right(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, key = (given[0] if len(given) == 1 else b"").partition(b" ")
        digest = _digest(key.strip())
        # Takes the same time wherever the first wrong byte is; all are compared, whatever comes out.
        right = [hmac.compare_digest(digest, wanted) for wanted in self._wanted]
        return any(right) and scheme.lower() == b"bearer"


def _digest(key: bytes) -> bytes:
    """Of one length, so that not even that is told."""
    return sha256(key).digest()
