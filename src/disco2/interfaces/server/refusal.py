"""Errors as clients see them: one JSON form, whatever went wrong; never with the text of a request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

RETRY_AFTER = 2  # seconds
CLIENT_GONE = 499  # nobody reads this answer; it is what the log says

_WHAT = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not take that method.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong in the server.",
}
_HINT = {
    HTTPStatus.NOT_FOUND: "See /openapi.json for what there is.",
    HTTPStatus.METHOD_NOT_ALLOWED: "The header Allow says which ones it takes.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The server's log says more, under the request's id.",
}


class Refusal(Exception):  # noqa: N818  an answer to a request
    """A request that gets no answer but this: what is wrong, where in the request, what to do."""

    def __init__(
        self,
        status: int,
        what: str,
        *,
        where: str = "",
        hint: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(what)
        self.status = status
        self.what = what
        self.where = where
        self.hint = hint
        self.headers = dict(headers or {})

    def to_json(self) -> dict[str, Any]:
        return {"error": {"status": self.status, "what": self.what, "where": self.where, "hint": self.hint}}

    def response(self) -> Response:
        body = json.dumps(self.to_json()).encode()
        return Response(body, self.status, headers=self.headers, media_type="application/json")


def unexpected() -> Refusal:
    """For an error of ours, of which clients learn nothing more."""
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    return Refusal(status, _WHAT[status], hint=_HINT[status])


def unavailable(what: str) -> Refusal:
    """For requests that could be answered at another time."""
    return Refusal(
        HTTPStatus.SERVICE_UNAVAILABLE,
        what,
        hint="Try again in a moment.",
        headers={"Retry-After": str(RETRY_AFTER)},
    )


async def answer_refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)  # noqa: S101  for the type checker
    return error.response()


async def answer_http_error(_: Request, error: Exception) -> Response:
    """What the framework refuses on its own: unknown addresses and methods."""
    assert isinstance(error, HTTPException)  # noqa: S101  for the type checker
    status = HTTPStatus(error.status_code)
    what = _WHAT.get(status, f"{status.phrase}.")
    return Refusal(status, what, hint=_HINT.get(status, ""), headers=error.headers).response()
