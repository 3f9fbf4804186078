"""Errors as clients see them: one JSON form with what, where and a hint; never with the text of a request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from disco2.interfaces.server.schemas import ErrorBody, ErrorResponse, field_names

RETRY_AFTER = 2  # seconds
CLIENT_CLOSED = 499  # nobody reads this response; it is what the log shows
CLOSE = {"Connection": "close"}

_HTTP_ERRORS = {  # raised by the framework
    404: ("Unknown address.", "See /openapi.json for all addresses."),
    405: ("This address does not take this method.", "The header Allow lists the methods it takes."),
    400: ("Could not parse the body.", "Send a JSON object in UTF-8."),
}


class ApiError(HTTPException):
    """An error response; ``where`` is a place in the request, ``hint`` what to do."""

    def __init__(
        self,
        status: int,
        what: str,
        *,
        where: str = "",
        hint: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, what, headers)
        self.where = where
        self.hint = hint

    def to_json(self) -> dict[str, object]:
        body = ErrorBody(status=self.status_code, what=self.detail, where=self.where, hint=self.hint)
        return ErrorResponse(error=body).model_dump()

    def response(self) -> Response:
        content = json.dumps(self.to_json())
        return Response(content, self.status_code, headers=self.headers, media_type="application/json")


def invalid(what: str, *, where: str, hint: str = "") -> ApiError:
    """For JSON that can't be answered."""
    return ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, what, where=where, hint=hint)


def unexpected() -> ApiError:
    """For a bug in the server; the log has more."""
    return ApiError(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "Internal error in the server.",
        hint="The server's log has more, under the request's id.",
    )


def unavailable(what: str) -> ApiError:
    """For requests that could be answered later."""
    headers = {"Retry-After": str(RETRY_AFTER)}
    return ApiError(HTTPStatus.SERVICE_UNAVAILABLE, what, hint="Try again in a moment.", headers=headers)


def client_closed() -> ApiError:
    return ApiError(CLIENT_CLOSED, "The client has closed the connection.")


async def answer_http_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, ApiError):
        assert isinstance(error, HTTPException)  # noqa: S101  for the type checker
        what, hint = _HTTP_ERRORS.get(error.status_code, (f"{HTTPStatus(error.status_code).phrase}.", ""))
        error = ApiError(error.status_code, what, hint=hint, headers=error.headers)
    return error.response()


async def answer_validation_error(_: Request, error: Exception) -> Response:
    """The first error that FastAPI and pydantic found in a body."""
    assert isinstance(error, RequestValidationError)  # noqa: S101  for the type checker
    first = error.errors()[0]
    kind, (_, *place) = first["type"], first["loc"]
    if kind == "json_invalid":
        where = f"character {place[0]}"
        return ApiError(HTTPStatus.BAD_REQUEST, "The body is not valid JSON.", where=where).response()
    hint = ""
    if kind == "extra_forbidden":
        *place, _ = place  # the name is the user's
        hint = f"Known fields: {', '.join(field_names(place))}."
    where = ""
    for part in place:
        if isinstance(part, int):
            where += f"[{part}]"
        elif part.islower():  # not the name of a model in a union
            where += f".{part}" if where else part
    what = first["msg"]
    if where.endswith((".id.str", ".id.int")):  # one error for each type
        where, what = where[:-4], "Input should be a string or an integer"
    return invalid(f"{what}.", where=where or "body", hint=hint).response()


async def answer_disconnect(_: Request, error: Exception) -> Response:
    assert isinstance(error, ClientDisconnect)  # noqa: S101  for the type checker
    return client_closed().response()
