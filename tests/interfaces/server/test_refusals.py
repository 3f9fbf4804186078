"""What can't be answered is refused in one form, with the right status, and without quoting it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from disco2.interfaces.server.settings import Limits
from tests.interfaces.server.conftest import Serve

MARK = "zqxsecret"
JSON = {"Content-Type": "application/json"}


def check_error(answer: Any, status: int, *, where: str | None = None) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    content = answer.json()
    assert content.keys() == {"error"}
    error: dict[str, Any] = content["error"]
    assert error.keys() == {"status", "what", "where", "hint"}
    assert error["status"] == status
    assert error["what"].endswith(".")
    assert MARK not in answer.text
    if where is not None:
        assert error["where"] == where
    return error


@pytest.mark.parametrize(
    ("body", "status", "where"),
    [
        (b"", 400, "character 0"),
        (b"{", 400, None),
        (b'{"text": zqxsecret}', 400, "character 9"),
        (b'{"text": "zqxsecret \xff"}', 400, "byte 20"),
        (b'{"text": NaN}', 400, "body"),
        (b'{"text": "a", "relation": -Infinity}', 400, "body"),
        (b'{"text": "zqxsecret", "text": "zqxsecret"}', 400, "body"),
        (b'{"pairs": [{"arg1": "zqxsecret", "arg1": "a", "arg2": "b"}]}', 400, "body"),
        (b'{"pairs": [], "pairs": []}', 400, "body"),
        (b'{"text": ' + b"9" * 10_000 + b"}", 400, "body"),
        (b'{"text": ' + b"[" * 60_000 + b"]" * 60_000 + b"}", 400, "body"),
        (b'{"text": ' + b'{"a":' * 20_000 + b"1" + b"}" * 20_000 + b"}", 400, "body"),
        (b'{"text": "a"} zqxsecret', 400, None),
        (b'"zqxsecret"', 422, "body"),
        (b"[]", 422, "body"),
        (b"null", 422, "body"),
        (b"{}", 422, "body"),
        (b'{"text": "zqxsecret", "pairs": []}', 422, "body"),
        (b'{"text": "a", "zqxsecret": 1}', 422, "body"),
        (b'{"text": null}', 422, "text"),
        (b'{"text": 1e999}', 422, "text"),
        (b'{"text": ["zqxsecret"]}', 422, "text"),
        (b'{"text": ""}', 422, "text"),
        (b'{"text": " \\u0000 ... !"}', 422, "text"),
        (b'{"text": "zqxsecret \\ud83d"}', 422, "text"),
        (b'{"text": "a", "paragraphs": "zqxsecret"}', 422, "paragraphs"),
        (b'{"text": "a", "explain": 1}', 422, "explain"),
        (b'{"text": "a", "explain": "true"}', 422, "explain"),
        (b'{"pairs": {}}', 422, "pairs"),
        (b'{"pairs": []}', 422, "pairs"),
        (b'{"pairs": ["zqxsecret"]}', 422, "pairs[0]"),
        (b'{"pairs": [{"arg1": "a"}]}', 422, "pairs[0].arg2"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b"}, {"arg1": "a", "arg2": "!"}]}', 422, "pairs[1].arg2"),
        (b'{"pairs": [{"arg1": "?", "arg2": "b"}]}', 422, "pairs[0].arg1"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b\\udc00"}]}', 422, "pairs[0].arg2"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b", "zqxsecret": 1}]}', 422, "pairs[0]"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b", "id": true}]}', 422, "pairs[0].id"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b", "id": 1.5}]}', 422, "pairs[0].id"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b", "id": "\\udc00"}]}', 422, "pairs[0].id"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b"}], "paragraphs": "line"}', 422, "body"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_bodies(client: TestClient, body: bytes, status: int, where: str | None) -> None:
    check_error(client.post("/v1/relations", content=body, headers=JSON), status, where=where)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"text": "It rained."}, "relation"),
        ({"text": "It rained.", "relation": -1}, "relation"),
        ({"text": "It rained.", "relation": True}, "relation"),
        ({"text": "It rained.", "relation": "0"}, "relation"),
        ({"text": "It rained. We left.", "relation": 1}, "relation"),
        ({"text": "It rained. We left.", "relation": 10**400}, "relation"),
        ({"text": "It rained.", "relation": 0, "explain": True}, "body"),
        ({"text": "word " * 600 + ". We left.", "relation": 0}, "relation"),
        ({"pairs": [], "relation": 0}, "text"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_bodies_of_views(client: TestClient, body: dict[str, Any], where: str) -> None:
    check_error(client.post("/v1/views", json=body), 422, where=where)


def test_a_byte_order_mark_is_no_fault(client: TestClient) -> None:
    body = b"\xef\xbb\xbf" + json.dumps({"text": "It rained."}).encode()
    assert client.post("/v1/relations", content=body, headers=JSON).status_code == 200


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1"]
)
def test_other_media_types(client: TestClient, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    check_error(client.post("/v1/relations", content=b'{"text": "a"}', headers=headers), 415)


def test_compressed_bodies(client: TestClient) -> None:
    headers = JSON | {"Content-Encoding": "gzip"}
    answer = client.post("/v1/relations", content=b'{"text": "a"}', headers=headers)
    check_error(answer, 415, where="header Content-Encoding")


def test_json_with_its_encoding_is_taken(client: TestClient) -> None:
    headers = {"Content-Type": 'Application/JSON; charset="UTF-8"'}
    assert client.post("/v1/relations", content=b'{"text": "a"}', headers=headers).status_code == 200


@pytest.mark.parametrize(
    "path", ["/nowhere", "/v1/relations/", "/assets/page", "/assets/..%2f..%2fapp.py", "/docs"]
)
def test_unknown_addresses(client: TestClient, path: str) -> None:
    check_error(client.get(path), 404)


def test_wrong_methods_are_told_the_right_ones(client: TestClient) -> None:
    for method, path, allowed in (("GET", "/v1/relations", "POST"), ("POST", "/v1/model", "GET")):
        answer = client.request(method, path)
        check_error(answer, 405)
        assert answer.headers["allow"] == allowed


def test_limits(serve: Serve) -> None:
    client = serve(limits=Limits(body_bytes=1_000, sentences=3, pairs=2))
    text = "It rained. We left. Bob came."
    pair = {"arg1": "It rained.", "arg2": "We left."}
    assert client.post("/v1/relations", json={"text": text}).status_code == 200
    assert client.post("/v1/relations", json={"pairs": [pair, pair]}).status_code == 200
    too_many = client.post("/v1/relations", json={"text": f"{text} Ann stayed."})
    assert "4 sentences; 3 are the most" in check_error(too_many, 422, where="text")["what"]
    check_error(client.post("/v1/relations", json={"text": "a\n\nb\n\nc\n\nd"}), 422, where="text")
    check_error(client.post("/v1/views", json={"text": f"{text} Ann.", "relation": 0}), 422, where="text")
    check_error(client.post("/v1/relations", json={"pairs": [pair] * 3}), 422, where="pairs")
    check_error(client.post("/v1/relations", json={"text": "a" * 1_000}), 413)


def test_long_texts_are_counted_before_they_are_annotated(serve: Serve) -> None:
    client = serve(limits=Limits(sentences=100))
    answer = client.post("/v1/relations", json={"text": "Bob saw Tina at home. " * 600})
    assert "600 sentences" in check_error(answer, 422, where="text")["what"]
    client = serve(limits=Limits(body_bytes=30_000))
    check_error(client.post("/v1/relations", json={"text": "a," * 8_000}), 422, where="text")
    pair = {"arg1": "a," * 8_000, "arg2": "b"}
    check_error(client.post("/v1/relations", json={"pairs": [pair]}), 422, where="pairs")


def test_a_body_without_a_length_is_limited_too(serve: Serve) -> None:
    client = serve(limits=Limits(body_bytes=1_000))
    for size in (2, 100):  # in pieces of 600 bytes
        pieces = iter([b'{"text": "', *[b"a" * 600] * size, b'"}'])
        check_error(client.post("/v1/relations", content=pieces, headers=JSON), 413)
    pieces = iter([b'{"text"', b': "It rained."}'])
    assert client.post("/v1/relations", content=pieces, headers=JSON).status_code == 200
