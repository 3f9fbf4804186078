"""Bodies of requests to the server, given to its application without a network."""

from __future__ import annotations

import json
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

from tests.fuzzing.target import Target
from tests.fuzzing.tiny_model import tiny_pipeline

NEEDED = ("fastapi", "uvicorn", "prometheus_client", "httpx")
RELATIONS, VIEWS = "/v1/relations", "/v1/views"
OUR_FAULT = 500

TEXT = "Bob gave Tina the burger. She was hungry."


@cache
def client() -> Any:
    from starlette.testclient import TestClient

    from disco2.interfaces.server.app import make_app

    return TestClient(make_app(tiny_pipeline()), base_url="http://127.0.0.1")


def post(path: str, body: bytes) -> Any:
    return client().post(path, content=body, headers={"content-type": "application/json"})


@cache
def documented(path: str) -> frozenset[int]:
    """The statuses that the server's own description has for this address, but for faults of ours."""
    statuses = client().app.openapi()["paths"][path]["post"]["responses"]
    return frozenset(map(int, statuses)) - {OUR_FAULT}


def read_body(body: bytes, *, path: str) -> None:
    """The answer has a status of the description, and is JSON: a result, or an error in its one form."""
    answer = post(path, body)
    assert answer.status_code in documented(path), f"{answer.status_code}: {answer.content[:200]!r}"
    assert answer.headers["content-type"] == "application/json"
    content = json.loads(answer.content.decode("utf-8"), parse_constant=_refuse)
    if answer.status_code == 200:
        assert "schema" in content
        return
    assert content.keys() == {"error"}
    error = content["error"]
    assert error.keys() == {"status", "what", "where", "hint"}
    assert error["status"] == answer.status_code
    assert error["what"].endswith(".")
    assert all(isinstance(error[name], str) for name in ("what", "where", "hint"))


def _refuse(name: str) -> float:
    raise AssertionError(f"{name} is no JSON")


def _json(content: object) -> bytes:
    return json.dumps(content).encode()


TARGETS = (
    (
        Target(
            "http-relations",
            partial(read_body, path=RELATIONS),
            (
                _json({"text": TEXT}),
                _json({"text": f"{TEXT}\n\nIt rained.", "paragraphs": "line", "explain": True}),
                _json({"pairs": [{"arg1": "It rained.", "arg2": "We left.", "id": 1}], "explain": True}),
            ),
        ),
        Target(
            "http-views",
            partial(read_body, path=VIEWS),
            (
                _json({"text": TEXT, "relation": 0}),
                _json({"text": TEXT, "relation": 7, "paragraphs": "none"}),
            ),
        ),
    )
    if all(find_spec(package) for package in NEEDED)
    else ()
)
