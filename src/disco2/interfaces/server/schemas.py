"""The API as clients see it: what they send, what they get, errors, and the OpenAPI description.

Pydantic models validate requests. Unknown fields are refused, and no value is converted. Results of
``POST /v1/relations`` are described by the JSON Schema of ``disco2 predict --json``. No error message quotes
the text of a request.
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
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from disco2.inference.plain_text import has_word
from disco2.inference.prediction import Json, RelationChoice, read_schema
from disco2.interfaces.server.settings import ServerSettings

HEALTH = "/healthz"  # the one address of the API that never needs a key
RETRY_AFTER = 2  # seconds
CLIENT_CLOSED = 499  # nobody reads this response; it is what the log shows
CLOSE = {"Connection": "close"}


def _check_unicode(value: str | int | None) -> str | int | None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise PydanticCustomError("surrogate", "The text contains an unpaired surrogate") from None
    return value


def _check_words(text: str) -> str:
    _check_unicode(text)
    if not text.strip():
        raise PydanticCustomError("no_word", "The text is empty")
    if not has_word(text):
        raise PydanticCustomError("no_word", "The text has no letter and no digit")
    return text


# The format has no common pattern: a letter or digit of any script. Programs ignore unknown formats.
Words = Annotated[
    str, AfterValidator(_check_words), Field(json_schema_extra={"minLength": 1, "format": "words"})
]
Kind = Literal["Explicit", "Implicit", "EntRel", "Hypophora", "NoRel"]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


MinProbability = Annotated[
    float, Field(ge=0, le=1, description="Answers with a lower probability are marked as `unsure`.")
]


class _OfText(_Request):
    text: Annotated[Words, Field(description="The text. It must have a letter or a digit.")]
    paragraphs: Annotated[
        Literal["blank", "line", "none"],
        Field(description="Paragraphs end at a blank line, at every line end, or never."),
    ] = "blank"
    kinds: Annotated[
        list[Kind] | None, Field(min_length=1, description="Kinds of relations; default: all except NoRel.")
    ] = None
    between_only: Annotated[
        bool, Field(description="Only relations between neighbouring sentences, no connectives and clauses.")
    ] = False
    norel: Annotated[bool, Field(description="Also neighbouring sentences without a relation.")] = False
    min_probability: MinProbability = 0.0

    @property
    def choice(self) -> RelationChoice:
        return RelationChoice.of(
            self.kinds,
            between_only=self.between_only,
            norel=self.norel,
            min_probability=self.min_probability,
        )


class TextRequest(_OfText):
    """A text whose relations are asked for."""

    explain: Annotated[bool, Field(description="Split the score of each relation into its terms.")] = False


class Pair(_Request):
    """Two arguments: one or more sentences, or a clause, each."""

    arg1: Words
    arg2: Words
    id: Annotated[
        str | int | None, AfterValidator(_check_unicode), Field(description="Returned with the answer.")
    ] = None


class PairsRequest(_Request):
    """Pairs of arguments whose senses are asked for."""

    pairs: Annotated[
        list[Pair],
        Field(
            min_length=1, description="Objects with arg1, arg2 and perhaps an id. Answers have this order."
        ),
    ]
    explain: Annotated[bool, Field(description="Split the score of each pair into its terms.")] = False
    min_probability: MinProbability = 0.0


class ViewRequest(_OfText):
    """A text, and which of its relations to draw."""

    relation: Annotated[int, Field(ge=0, description="Index among the relations of the text, from 0.")]
    stacked: Annotated[bool, Field(description="Draw the second tree below the first one.")] = False


AnyRequest = TextRequest | PairsRequest | ViewRequest
_MODELS = {model.__name__: model for model in (TextRequest, PairsRequest)}


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


class ErrorBody(BaseModel):
    status: Annotated[int, Field(ge=400, le=599)]
    what: str
    where: Annotated[str, Field(description="A place in the request; may be empty.")]
    hint: Annotated[str, Field(description="What to do; may be empty.")]


class ErrorResponse(BaseModel):
    error: ErrorBody


class HealthResponse(BaseModel):
    status: Literal["ok"] = "ok"


class ModelResponse(BaseModel):
    """The model that answers, and the limits of a request."""

    version: Annotated[int, Field(alias="schema")]
    disco2: str
    model: Json
    parser: Annotated[str, Field(description="Digest of the parser of connectives and clauses.")]
    annotators: str
    limits: Annotated[
        dict[Literal["body_bytes", "sentences", "pairs", "seconds"], float],
        Field(description="What one request may ask for."),
    ]


class View(BaseModel):
    """A relation as in the results of ``POST /v1/relations``, with everything that a drawing needs."""

    relation: Json
    arguments: Annotated[
        list[Json],
        Field(
            description="Trees: `words`, `labels`, and the children of inner nodes in `left` and `right`. "
            "Leaves are numbered first, then inner nodes, children before parents. `up`: upward vectors.",
        ),
    ]
    chains: Annotated[list[Json], Field(description="Shared entities, with their downward vectors.")]
    member: int
    members: int
    dimensions: int
    senses: Annotated[
        list[Json], Field(description="bias + arguments + pairs + other_pairs + features + rounding = score")
    ]


class ViewResponse(BaseModel):
    version: Annotated[int, Field(alias="schema")]
    view: View
    svg: Annotated[str, Field(description="Both argument trees.")]


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
    headers = {"Retry-After": str(RETRY_AFTER)}
    return ApiError(HTTPStatus.SERVICE_UNAVAILABLE, what, hint="Try again in a moment.", headers=headers)


def client_closed() -> ApiError:
    return ApiError(CLIENT_CLOSED, "The client has closed the connection.")


_HTTP_ERRORS = {  # raised by the framework
    404: ("Unknown address.", "See /docs or /openapi.json for all addresses."),
    405: ("This address does not take this method.", "The header Allow lists the methods it takes."),
    400: ("Could not parse the body.", "Send a JSON object in UTF-8."),
}


async def answer_error(_: Request, error: Exception) -> Response:
    """The response to an exception of a route or of the framework."""
    if isinstance(error, ApiError):
        return error.response()
    if isinstance(error, RequestValidationError):
        return _validation_error(error.errors()[0]).response()
    if isinstance(error, HTTPException):
        what, hint = _HTTP_ERRORS.get(error.status_code, (f"{HTTPStatus(error.status_code).phrase}.", ""))
        return ApiError(error.status_code, what, hint=hint, headers=error.headers).response()
    return client_closed().response()


ERROR_HANDLERS: Any = dict.fromkeys((HTTPException, RequestValidationError, ClientDisconnect), answer_error)


def _validation_error(first: dict[str, Any]) -> ApiError:
    """An error that FastAPI and pydantic found in a body."""
    kind, (_, *place) = first["type"], first["loc"]
    if kind == "json_invalid":
        where = f"character {place[0]}"
        return ApiError(HTTPStatus.BAD_REQUEST, "The body is not valid JSON.", where=where)
    hint = "Send English text, best of two sentences or more." if kind == "no_word" else ""
    if kind == "extra_forbidden":
        *place, _ = place  # the name is the client's
        model = Pair if len(place) > 1 else _MODELS[place[0]] if place else ViewRequest
        hint = f"Known fields: {', '.join(model.model_fields)}."
    where = ""
    for part in place:
        if isinstance(part, int):
            where += f"[{part}]"
        elif part.islower():  # not the name of a model in a union
            where += f".{part}" if where else part
    what = first["msg"]
    if where.endswith((".id.str", ".id.int")):  # one error for each type
        where, what = where[:-4], "Input should be a string or an integer"
    return invalid(f"{what}.", where=where or "body", hint=hint)


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


def _errors(*statuses: int) -> dict[int | str, Json]:
    return {status: {"model": ErrorResponse, "description": _STATUSES[status]} for status in statuses}


GET_ERRORS, POST_ERRORS = _errors(400, 401, 408, 413, 500), _errors(*_STATUSES)


def result_content(examples: dict[str, Json]) -> Json:
    """The description of the results of ``POST /v1/relations``, with the answers to ``EXAMPLES``."""
    references = [{"$ref": f"#/components/schemas/{name}"} for name in ("text_result", "pairs_result")]
    return {
        "application/json": {
            "schema": {"oneOf": references},
            "examples": {name: {"value": value} for name, value in examples.items()},
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
            for operation in operations.values():
                if path != HEALTH:
                    operation["security"] = [{"key": []}]
    return description
