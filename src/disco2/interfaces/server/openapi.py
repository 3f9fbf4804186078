"""The description of the API: bodies and answers by their JSON Schemas, with examples and all statuses."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

from disco2.inference.results import Json, read_schema
from disco2.interfaces.server import addresses
from disco2.interfaces.server import examples as shown
from disco2.interfaces.server.bodies import body_schemas
from disco2.interfaces.server.examples import Examples
from disco2.interfaces.server.refusal import Refusal, unexpected
from disco2.interfaces.server.settings import ServerSettings
from disco2.interfaces.server.view_schema import VIEW_SCHEMA

_SCHEMAS = "#/components/schemas/"
KEY = "key"

# Why each status is given, and an example of its error.
_ERRORS: dict[int, tuple[str, Refusal]] = {
    400: ("The body is not JSON.", Refusal(400, "The body is not JSON.", where="character 9")),
    401: (
        "The API key is missing or wrong.",
        Refusal(
            401,
            "This address needs the server's API key.",
            where="header Authorization",
            hint="Send the header: Authorization: Bearer KEY",
        ),
    ),
    408: ("The body did not arrive in time.", Refusal(408, "The body did not arrive within 30 seconds.")),
    413: (
        "The body is too large.",
        Refusal(
            413,
            "That is too much at once: 131,072 bytes are the most, about one for each letter.",
            hint="Send the text in parts.",
        ),
    ),
    415: (
        "The body is not declared as JSON in UTF-8.",
        Refusal(
            415,
            "The body is not declared as JSON in UTF-8.",
            where="header Content-Type",
            hint="Send the header: Content-Type: application/json",
        ),
    ),
    422: (
        "The JSON has another shape, an unknown name, no word, or too many sentences or pairs.",
        Refusal(422, "The text has no word.", where="text", hint="Give a sentence or two."),
    ),
    500: ("Something went wrong in the server.", unexpected()),
    503: (
        "Too many requests are waiting, or the server is shutting down. Retry-After says when to come back.",
        Refusal(503, "Too many requests are waiting.", hint="Try again in a moment."),
    ),
    504: (
        "There was no answer within the time limit.",
        Refusal(504, "There was no answer within 30 seconds.", hint="Send less text at a time."),
    ),
}
OF_POSTS = (400, 401, 408, 413, 415, 422, 500, 503, 504)


def reference(name: str) -> Json:
    return {"$ref": _SCHEMAS + name}


def json_content(schema: Json, examples: Json) -> Json:
    """A body or an answer with named examples."""
    named = {name: {"value": value} for name, value in examples.items()}
    return {"application/json": {"schema": schema, "examples": named}}


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    found: dict[int | str, dict[str, Any]] = {}
    for status in statuses:
        why, example = _ERRORS[status]
        found[status] = {
            "description": why,
            "content": json_content(reference("Error"), {HTTPStatus(status).name.lower(): example.to_json()}),
        }
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            found[status]["headers"] = {
                "Retry-After": {"description": "Seconds.", "schema": {"type": "integer", "minimum": 0}}
            }
    return found


def relations_extra() -> Json:
    content = json_content(
        {"oneOf": [reference("TextBody"), reference("PairsBody")]},
        {"text": shown.TEXT, "explained": shown.EXPLAINED, "pairs": shown.PAIRS},
    )
    return {"requestBody": {"required": True, "content": content}}


def view_extra() -> Json:
    return {
        "requestBody": {
            "required": True,
            "content": json_content(reference("ViewBody"), {"view": shown.VIEW}),
        }
    }


def complete(schema: Json, settings: ServerSettings, examples: Examples) -> Json:
    """Add what the framework can't know: the schemas, the answers of this model, the key."""
    schema = json.loads(json.dumps(schema))
    components = schema.setdefault("components", {})
    components["schemas"] = _all_schemas(settings)
    paths = schema["paths"]
    answers = {"text": examples.text, "explained": examples.explained, "pairs": examples.pairs}
    relations = {"oneOf": [reference("text_result"), reference("pairs_result")]}
    paths[addresses.RELATIONS]["post"]["responses"]["200"]["content"] = json_content(relations, answers)
    paths[addresses.VIEWS]["post"]["responses"]["200"]["content"] = json_content(
        reference("ViewResult"), {} if examples.view is None else {"view": examples.view}
    )
    if settings.api_key:
        components["securitySchemes"] = {KEY: {"type": "http", "scheme": "bearer"}}
        for path, operations in paths.items():
            for operation in operations.values():
                if addresses.needs_key(path):
                    operation["security"] = [{KEY: []}]
    return schema


def _all_schemas(settings: ServerSettings) -> Json:
    text = json.dumps(read_schema()["$defs"]).replace("#/$defs/", _SCHEMAS)
    found: Json = json.loads(text)
    found |= body_schemas(most_pairs=settings.limits.pairs)
    found |= {
        "Error": {
            "type": "object",
            "description": "What is wrong, where in the request, and what to do; the last two may be empty.",
            "required": ["error"],
            "additionalProperties": False,
            "properties": {
                "error": {
                    "type": "object",
                    "required": ["status", "what", "where", "hint"],
                    "additionalProperties": False,
                    "properties": {
                        "status": {"type": "integer", "minimum": 400, "maximum": 599},
                        "what": {"type": "string", "minLength": 1},
                        "where": {"type": "string"},
                        "hint": {"type": "string"},
                    },
                }
            },
        },
        "ModelResult": {
            "type": "object",
            "description": "The model that answers, and what one request may ask for.",
            "required": ["schema", "disco2", "model", "parser", "annotators", "limits"],
            "additionalProperties": False,
            "properties": {
                **{
                    name: found["text_result"]["properties"][name]
                    for name in ("schema", "disco2", "model", "parser", "annotators")
                },
                "limits": {
                    "type": "object",
                    "required": ["body_bytes", "sentences", "pairs", "seconds"],
                    "additionalProperties": False,
                    "properties": {
                        **{
                            name: {"type": "integer", "minimum": 1}
                            for name in ("body_bytes", "sentences", "pairs")
                        },
                        "seconds": {"type": "number", "exclusiveMinimum": 0},
                    },
                },
            },
        },
        "Health": {
            "type": "object",
            "required": ["status"],
            "additionalProperties": False,
            "properties": {"status": {"const": "ok"}},
        },
        "ViewResult": {
            "type": "object",
            "description": "One relation with all that a drawing of it needs, and the drawing.",
            "required": ["schema", "view", "svg"],
            "additionalProperties": False,
            "properties": {
                "schema": reference("version"),
                "view": VIEW_SCHEMA,
                "svg": {"type": "string", "description": "Both argument trees, as SVG."},
            },
        },
    }
    return found
