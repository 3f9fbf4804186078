"""Bodies of requests to the server, given to its application without a network."""

from __future__ import annotations

import asyncio
import json
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

from tests.fuzzing.target import Target
from tests.fuzzing.tiny_model import tiny_pipeline

NEEDED = ("fastapi", "uvicorn", "prometheus_client")
RELATIONS, VIEWS = "/v1/relations", "/v1/views"
OUR_FAULT = 500

TEXT = "Bob gave Tina the burger. She was hungry."


class Server:
    """The application with a loop of its own, asked one request at a time."""

    def __init__(self) -> None:
        from disco2.interfaces.server.app import make_app

        self.app = make_app(tiny_pipeline())
        self._loop = asyncio.new_event_loop()

    def post(self, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        """The status, the headers and the body of the answer."""
        return self._loop.run_until_complete(asyncio.wait_for(self._post(path, body), timeout=60))

    async def _post(self, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        sent: list[dict[str, Any]] = []
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        asked = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if asked.is_set():
                await asyncio.Event().wait()  # the client stays
            asked.set()
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        scope: dict[str, Any] = {
            **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST"},
            **{
                "scheme": "http",
                "path": path,
                "raw_path": path.encode(),
                "query_string": b"",
                "root_path": "",
            },
            **{"headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)},
        }
        await self.app(scope, receive, send)
        start, *parts = sent
        told = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        return start["status"], told, b"".join(part.get("body", b"") for part in parts)


@cache
def server() -> Server:
    return Server()


@cache
def documented(path: str) -> frozenset[int]:
    """The statuses that the server's own description has for this address, but for faults of ours."""
    statuses = server().app.openapi()["paths"][path]["post"]["responses"]
    return frozenset(map(int, statuses)) - {OUR_FAULT}


def read_body(body: bytes, *, path: str) -> None:
    """The answer has a status of the description, and is JSON: a result, or an error in its one form."""
    status, headers, answer = server().post(path, body)
    assert status in documented(path), f"{status}: {answer[:200]!r}"
    assert headers["content-type"] == "application/json"
    content = json.loads(answer.decode("utf-8"), parse_constant=_refuse)
    if status == 200:
        assert "schema" in content
        return
    assert content.keys() == {"error"}
    error = content["error"]
    assert error.keys() == {"status", "what", "where", "hint"}
    assert error["status"] == status
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
