"""The API as clients see it: what they send, errors, and the OpenAPI description.

Pydantic models validate requests. Unknown fields are refused, and no value is converted. Results are
described by the JSON Schema of ``disco2 predict --json``. No error message quotes the text of a request.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from disco2.inference.plain_text import has_word
from disco2.inference.prediction import Json, RelationChoice, read_schema
from disco2.interfaces.server.settings import ServerSettings

CLOSE = {"Connection": "close"}


def _check_words(text: str) -> str:
    if not has_word(text):
        message = "The text has no letter and no digit" if text.strip() else "The text is empty"
        raise PydanticCustomError("no_word", message)
    return text


# The format has no common pattern: a letter or digit of any script. Programs ignore unknown formats.
Unicode = Annotated[str, Field(min_length=0)]  # with any limit, pydantic refuses unpaired surrogates
Words = Annotated[
    Unicode, AfterValidator(_check_words), Field(json_schema_extra={"minLength": 1, "format": "words"})
]
MinProbability = Annotated[
    float, Field(ge=0, le=1, description="Answers with a lower probability are marked as `unsure`.")
]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _OfText(_Request):
    text: Words = Field(description="The text. It must have a letter or a digit.")
    paragraphs: Literal["blank", "line", "none"] = Field(
        "blank", description="Paragraphs end at a blank line, at every line end, or never."
    )
    kinds: list[Literal["Explicit", "Implicit", "EntRel", "Hypophora", "NoRel"]] | None = Field(
        None, min_length=1, description="Kinds of relations; default: all except NoRel."
    )
    between_only: bool = Field(
        False, description="Only relations between neighbouring sentences, no connectives and clauses."
    )
    norel: bool = Field(False, description="Also neighbouring sentences without a relation.")
    min_probability: MinProbability = 0.0

    @property
    def choice(self) -> RelationChoice:
        names = {"kinds", "between_only", "norel", "min_probability"}
        return RelationChoice.of(**self.model_dump(include=names))


class TextRequest(_OfText):
    """A text whose relations are asked for."""

    explain: bool = Field(False, description="Split the score of each relation into its terms.")


class Pair(_Request):
    """Two arguments: one or more sentences, or a clause, each."""

    arg1: Words
    arg2: Words
    id: Unicode | int | None = Field(None, description="Returned with the answer.")


class PairsRequest(_Request):
    """Pairs of arguments whose senses are asked for."""

    pairs: list[Pair] = Field(
        min_length=1, description="Objects with arg1, arg2 and perhaps an id. Answers have this order."
    )
    explain: bool = Field(False, description="Split the score of each pair into its terms.")
    min_probability: MinProbability = 0.0


class ViewRequest(_OfText):
    """A text, and which of its relations to draw."""

    relation: int = Field(ge=0, description="Index among the relations of the text, from 0.")
    stacked: bool = Field(False, description="Draw the second tree below the first one.")


AnyRequest = TextRequest | PairsRequest | ViewRequest


def _request_kind(body: Any) -> str | None:
    if not isinstance(body, dict) or ("text" in body) == ("pairs" in body):
        return None
    return "TextRequest" if "text" in body else "PairsRequest"


RelationsRequest = Annotated[
    Annotated[TextRequest, Tag("TextRequest")] | Annotated[PairsRequest, Tag("PairsRequest")],
    Discriminator(
        _request_kind,
        custom_error_type="text_or_pairs",
        custom_error_message="Give exactly one of the fields text and pairs",
    ),
]


class ViewResponse(BaseModel):
    version: int = Field(alias="schema")
    view: Json = Field(
        description="The relation; the trees of its `arguments` (leaves are numbered first, then inner "
        "nodes, children before parents; `up`: upward vectors); `chains`: shared entities, with downward "
        "vectors; `senses`: bias + arguments + pairs + other_pairs + features + rounding = score."
    )
    svg: str = Field(description="Both argument trees.")


class ErrorBody(BaseModel):
    status: int = Field(ge=400, le=599)
    what: str
    where: str = Field(description="A place in the request; may be empty.")
    hint: str = Field(description="What to do; may be empty.")


class ErrorResponse(BaseModel):
    error: ErrorBody


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

    def response(self) -> Response:
        error = {"status": self.status_code, "what": self.detail, "where": self.where, "hint": self.hint}
        content = json.dumps({"error": error})
        return Response(content, self.status_code, headers=self.headers, media_type="application/json")


def invalid(what: str, *, where: str, hint: str = "") -> ApiError:
    """For JSON that can't be answered."""
    return ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, what, where=where, hint=hint)


def unavailable(what: str) -> ApiError:
    """For requests that could be answered later."""
    headers = {"Retry-After": "2"}
    return ApiError(HTTPStatus.SERVICE_UNAVAILABLE, what, hint="Try again in a moment.", headers=headers)


def client_closed() -> ApiError:
    """Nobody reads this response; its status is what the log shows."""
    return ApiError(499, "The client has closed the connection.")


_TYPES = ("TextRequest", "PairsRequest", "constrained-str", "int")  # in the places of pydantic's errors


async def _answer_http_error(_: Request, error: HTTPException) -> Response:
    if not isinstance(error, ApiError):
        hint = "See /docs or /openapi.json for all addresses." if error.status_code in (404, 405) else ""
        error = ApiError(error.status_code, f"{error.detail}.", hint=hint, headers=error.headers)
    return error.response()


async def _answer_invalid_body(_: Request, error: RequestValidationError) -> Response:
    first = error.errors()[0]
    kind, (_, *place) = first["type"], first["loc"]
    if kind == "json_invalid":
        where = f"character {place[0]}"
        return ApiError(HTTPStatus.BAD_REQUEST, "The body is not valid JSON.", where=where).response()
    if kind == "extra_forbidden":
        place.pop()  # the name is the client's
    names = [one for one in place if one not in _TYPES]
    where = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in names).removeprefix(".")
    hints = {
        "no_word": "Send English text, best of two sentences or more.",
        "extra_forbidden": "Send the fields that /docs lists, and no others.",
    }
    return invalid(f"{first['msg']}.", where=where or "body", hint=hints.get(kind, "")).response()


ERROR_HANDLERS: Any = {HTTPException: _answer_http_error, RequestValidationError: _answer_invalid_body}

_BURGER = "Bob gave Tina the burger."
EXAMPLES: dict[str, Json] = {
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
ERRORS: dict[int | str, Json] = {
    status: {"model": ErrorResponse, "description": text} for status, text in _STATUSES.items()
}
RESULTS = {
    "application/json": {
        "schema": {
            "oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("text_result", "pairs_result")]
        }
    }
}


def complete_description(app: FastAPI, settings: ServerSettings) -> Json:
    """Add the schema of results, the limit on pairs and the API key to FastAPI's description."""
    description: Json = app.openapi()
    schemas = description["components"]["schemas"]
    results = json.dumps(read_schema()["$defs"]).replace("#/$defs/", "#/components/schemas/")
    schemas |= json.loads(results)
    schemas["PairsRequest"]["properties"]["pairs"]["maxItems"] = settings.limits.pairs
    if settings.api_key:
        description["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        for path, operations in description["paths"].items():
            for operation in operations.values() if path != "/healthz" else ():
                operation["security"] = [{"key": []}]
    return description
