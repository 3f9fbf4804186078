"""A request's body -> checked content; a refusal says what is wrong and where, and quotes nothing."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from disco2.interfaces.server.refusal import Refusal
from disco2.twin_keys import TwinKeyError, without_twins

_Body = TypeVar("_Body", bound=BaseModel)

_SAID = {  # by pydantic's name of the fault
    "missing": "A field is missing.",
    "extra_forbidden": "There is a field that is not known here.",
    "string_type": "A text is needed.",
    "string_too_short": "The text is empty.",
    "string_unicode": "The text holds half of a character.",
    "bool_type": "true or false is needed.",
    "int_type": "A whole number is needed.",
    "greater_than_equal": "The number is too small.",
    "list_type": "A list is needed.",
    "too_short": "The list is empty.",
    "model_type": "An object in braces is needed.",
    "literal_error": "The value is none of those that are allowed.",
}


async def read_content(request: Request, *, seconds: float) -> dict[str, Any]:
    """The JSON object that the body holds."""
    check_media_type(request.headers.get("content-type", ""))
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise Refusal(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "The body is compressed.",
            where="header Content-Encoding",
            hint="Send it as it is.",
        )
    try:
        async with asyncio.timeout(seconds):
            body = await request.body()
    except TimeoutError:
        raise Refusal(
            HTTPStatus.REQUEST_TIMEOUT,
            f"The body did not arrive within {seconds:g} seconds.",
            headers={"Connection": "close"},
        ) from None
    return parse_object(body)


def check_media_type(content_type: str) -> None:
    """Refuse what is not declared as JSON: no web page can send that from elsewhere without asking first."""
    kind, *parameters = (part.strip().lower() for part in content_type.split(";"))
    charsets = [
        part.removeprefix("charset=").strip('"') for part in parameters if part.startswith("charset=")
    ]
    if kind != "application/json" or any(charset not in ("utf-8", "utf8") for charset in charsets):
        raise Refusal(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "The body is not declared as JSON in UTF-8.",
            where="header Content-Type",
            hint="Send the header: Content-Type: application/json",
        )


def parse_object(body: bytes) -> dict[str, Any]:
    """The object; refused are names that occur twice, NaN, endless numbers and endless nesting."""
    try:
        text = body.decode("utf-8").removeprefix("\ufeff")
        content = json.loads(text, object_pairs_hook=without_twins, parse_constant=_constant)
    except UnicodeDecodeError as error:
        raise _invalid("The body is not UTF-8.", where=f"byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise _invalid("The body is not JSON.", where=f"character {error.pos}") from None
    except TwinKeyError:
        raise _invalid("A name occurs twice in one object.") from None
    except ValueError:
        raise _invalid("A number has too many digits.") from None
    except RecursionError:
        raise _invalid("The JSON is nested too deeply.") from None
    if not isinstance(content, dict):
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "An object in braces is needed.", where="body")
    return content


def checked(model: type[_Body], content: dict[str, Any]) -> _Body:
    """The content as a body of this kind; the first fault is told."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
    kind, place = fault["type"], fault["loc"]
    what, hint = _SAID.get(kind, "The value does not fit."), ""
    if "id" in place and kind in ("string_type", "int_type"):
        what = "A text or a whole number is needed."
    if kind == "extra_forbidden":
        place = place[:-1]  # the last part is a name of the user's
        hint = "Known are: arg1, arg2, id." if place else f"Known are: {', '.join(model.model_fields)}."
    elif kind == "literal_error":
        hint = "Allowed are: blank, line, none."
    raise Refusal(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        what,
        where=_place(place),
        hint=hint,
    )


def _place(parts: tuple[int | str, ...]) -> str:
    """As one writes it: pairs[3].arg1."""
    found = ""
    for part in parts:
        if isinstance(part, int):
            found += f"[{part}]"
        else:
            found += f".{part}" if found else part
        if part == "id":
            break  # behind it are pydantic's names of the alternatives
    return found or "body"


def _constant(_: str) -> float:
    raise _invalid("NaN and Infinity are not JSON.")


def _invalid(what: str, *, where: str = "body") -> Refusal:
    return Refusal(HTTPStatus.BAD_REQUEST, what, where=where)
