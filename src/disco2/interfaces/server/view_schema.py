"""The JSON Schema of a relation with all that a drawing of it needs."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

_TEXT: Json = {"type": "string"}
_COUNT: Json = {"type": "integer", "minimum": 0}
_NUMBER: Json = {"type": "number"}
_SPAN: Json = {"$ref": "#/components/schemas/span"}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _object(properties: Json, *, description: str = "") -> Json:
    told = {"description": description} if description else {}
    return {"type": "object", "required": list(properties), "properties": properties, **told}


_ARGUMENT = _object(
    {
        "text": _TEXT,
        "start": _COUNT,
        "end": _COUNT,
        "words": _list(_TEXT),
        "left": _list(_COUNT),
        "right": _list(_COUNT),
        "labels": _list(_TEXT),
        "up": _list(_list(_NUMBER)),
    },
    description="A tree: leaves are numbered first, then inner nodes, children before parents.",
)
_MENTIONS = _list(_object({"node": _COUNT, "text": _TEXT}))
_CHAIN = _object(
    {
        "chain": _TEXT,
        "first": _MENTIONS,
        "second": _MENTIONS,
        "down": _list({"type": "object", "additionalProperties": _list(_NUMBER)}),
    },
    description="An entity of both arguments, with the downward vectors on the way to its mentions.",
)
_SENSE = _object(
    {
        "sense": _TEXT,
        "probability": _NUMBER,
        "score": _NUMBER,
        "bias": _NUMBER,
        "arguments": _NUMBER,
        "pairs": _list(_object({"chain": _TEXT, "arg1": _SPAN, "arg2": _SPAN, "value": _NUMBER})),
        "other_pairs": _list(_object({"chain": _TEXT, "count": _COUNT, "value": _NUMBER})),
        "features": _list(_object({"name": _TEXT, "value": _NUMBER})),
        "rounding": _NUMBER,
        "words": _list(_object({"argument": _COUNT, "text": _TEXT, "value": _NUMBER})),
    },
    description="bias + arguments + pairs + other_pairs + features + rounding = score.",
)
VIEW_SCHEMA: Json = _object(
    {
        "relation": {"$ref": "#/components/schemas/relation"},
        "arguments": _list(_ARGUMENT) | {"minItems": 2, "maxItems": 2},
        "chains": _list(_CHAIN),
        "member": _COUNT,
        "members": _COUNT,
        "dimensions": _COUNT,
        "senses": _list(_SENSE),
    }
)
