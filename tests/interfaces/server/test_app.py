"""What the server answers is what the command line prints; errors have one form; the description is true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from disco2.inference.prediction import read_schema
from disco2.interfaces.server.settings import Limits
from tests.interfaces.conftest import Run
from tests.interfaces.server.conftest import Serve, check_error

Json = dict[str, Any]
TEXT = (
    "Bob gave Tina the burger. She was hungry.\nHowever, he ate it \U0001f600.\n\nPrices rose. Ann left\x00."
)
JSON = {"Content-Type": "application/json"}
VALIDATOR = Draft202012Validator(read_schema())


@pytest.mark.parametrize("paragraphs", ["blank", "line", "none"])
@pytest.mark.parametrize("explain", [False, True])
def test_a_text_is_answered_as_on_the_command_line(
    client: TestClient, run_small: Run, paragraphs: str, explain: bool
) -> None:
    text = TEXT.replace("\x00", "")  # not possible on the command line
    answer = client.post("/v1/relations", json={"text": text, "paragraphs": paragraphs, "explain": explain})
    assert answer.status_code == 200
    options = ["--paragraphs", paragraphs, *(["--explain"] if explain else [])]
    code, out, err = run_small("predict", text, "--json", *options)
    assert code == 0, err
    assert answer.json() == json.loads(out)
    VALIDATOR.validate(answer.json())
    assert ("explanation" in answer.json()["relations"][0]) == explain


def test_unsure_answers_are_marked_as_on_the_command_line(
    client: TestClient, run_small: Run, tmp_path: Path
) -> None:
    text, pair = "Bob gave Tina the burger. She was hungry.", {"arg1": "It rained.", "arg2": "We left."}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair))
    for least, unsure in ((0, False), (0.0, False), (1, True)):
        limit = ("--min-probability", str(least))
        answer = client.post("/v1/relations", json={"text": text, "min_probability": least}).json()
        assert answer == json.loads(run_small("predict", text, "--json", *limit)[1])
        view = client.post("/v1/views", json={"text": text, "relation": 0, "min_probability": least}).json()
        assert view["view"]["relation"] == answer["relations"][0]
        pairs = client.post("/v1/relations", json={"pairs": [pair], "min_probability": least}).json()
        assert pairs["answers"] == [
            json.loads(run_small("predict-pairs", tmp_path / "pairs.jsonl", *limit)[1])
        ]
        assert answer["relations"][0]["unsure"] == pairs["answers"][0]["unsure"] == unsure


@pytest.mark.parametrize("explain", [False, True])
def test_pairs_are_answered_as_on_the_command_line(
    client: TestClient, run_small: Run, tmp_path: Path, explain: bool
) -> None:
    names = ["Bob", "Tina", "Ann", "Max"]
    pairs: list[Json] = [
        {
            "arg1": f"{names[n % 4]} gave {names[n % 3]} burger {n}.",
            "arg2": "However, she was hungry. Then he left.",
        }
        for n in range(70)  # more than are scored at a time
    ]
    pairs[0]["id"], pairs[1]["id"], pairs[2]["id"] = "x", 10**30, None
    pairs[5] = pairs[4]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
    code, out, err = run_small("predict-pairs", file, *(["--explain"] if explain else []))
    assert code == 0, err
    answer = client.post("/v1/relations", json={"pairs": pairs, "explain": explain})
    assert answer.status_code == 200
    content = answer.json()
    assert content["answers"] == [json.loads(line) for line in out.splitlines()]
    VALIDATOR.validate(content)
    text = client.post("/v1/relations", json={"text": "It rained."}).json()
    assert all(content[name] == text[name] for name in ("schema", "disco2", "model", "annotators"))


def test_a_view_has_the_relation_and_its_drawing(client: TestClient) -> None:
    relations = client.post("/v1/relations", json={"text": TEXT}).json()["relations"]
    for number, relation in enumerate(relations):
        content = client.post("/v1/views", json={"text": TEXT, "relation": number}).json()
        assert content["view"]["relation"] == relation
        assert content["svg"].startswith("<svg")
        texts = [one["text"] for one in content["view"]["arguments"]]
        assert texts == [relation["arg1"]["text"], relation["arg2"]["text"]]
        stacked = client.post("/v1/views", json={"text": TEXT, "relation": number, "stacked": True}).json()
        assert stacked["view"] == content["view"]
        assert stacked["svg"] != content["svg"]


def test_the_model_and_its_limits(client: TestClient) -> None:
    content = client.get("/v1/model").json()
    text = client.post("/v1/relations", json={"text": "It rained."}).json()
    assert content["model"] == text["model"]
    assert content["annotators"] == text["annotators"]
    assert content["limits"] == {"body_bytes": 131_072, "sentences": 1_000, "pairs": 500, "seconds": 30.0}
    assert client.get("/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize("path", ["/healthz", "/v1/model", "/metrics", "/openapi.json", "/docs", "/"])
def test_head_requests(client: TestClient, path: str) -> None:
    answer = client.head(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == client.get(path).headers["content-type"]


@pytest.mark.parametrize(
    ("body", "status", "where"),
    [
        (b"", 422, "body"),
        (b"{", 400, "character 1"),
        (b'{"text": zqxsecret}', 400, "character 9"),
        (b'{"text": "zqxsecret \xff"}', 400, None),
        (b'{"text": NaN}', 422, "text"),
        (b'{"text": ' + b"[" * 60_000 + b"]" * 60_000 + b"}", 400, None),
        (b'{"text": "zqxsecret", "pairs": []}', 422, "body"),
        (b'{"text": "a", "zqxsecret": 1}', 422, "body"),
        (b'{"text": ["zqxsecret"]}', 422, "text"),
        (b'{"text": " \\u0000 ... !"}', 422, "text"),
        (b'{"text": "zqxsecret \\ud83d"}', 422, "text"),
        (b'{"text": "a", "paragraphs": "zqxsecret"}', 422, "paragraphs"),
        (b'{"text": "a", "kinds": ["zqxsecret"]}', 422, "kinds[0]"),
        (b'{"text": "a", "kinds": []}', 422, "kinds"),
        (b'{"text": "a", "min_probability": NaN}', 422, "min_probability"),
        (b'{"pairs": []}', 422, "pairs"),
        (b'{"pairs": ["zqxsecret"]}', 422, "pairs[0]"),
        (b'{"pairs": [{"arg1": "a"}]}', 422, "pairs[0].arg2"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b"}, {"arg1": "a", "arg2": "!"}]}', 422, "pairs[1].arg2"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b\\udc00"}]}', 422, "pairs[0].arg2"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b", "zqxsecret": 1}]}', 422, "pairs[0]"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b", "id": true}]}', 422, "pairs[0].id"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b", "id": "\\udc00"}]}', 422, "pairs[0].id"),
        (b'{"pairs": [{"arg1": "a", "arg2": "b"}], "paragraphs": "line"}', 422, "body"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_invalid_bodies(client: TestClient, body: bytes, status: int, where: str | None) -> None:
    check_error(client.post("/v1/relations", content=body, headers=JSON), status, where=where)


@pytest.mark.parametrize(("text", "what"), [("", "is empty"), (" \n", "is empty"), ("?!", "has no letter")])
def test_texts_without_words(client: TestClient, text: str, what: str) -> None:
    error = check_error(client.post("/v1/relations", json={"text": text}), 422, where="text")
    assert what in error["what"]
    assert "English text" in error["hint"]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"text": "It rained."}, "relation"),
        ({"text": "It rained.", "relation": -1}, "relation"),
        ({"text": "It rained.", "relation": True}, "relation"),
        ({"text": "It rained. We left.", "relation": 1}, "relation"),
        ({"text": "It rained. We left.", "relation": 10**400}, "relation"),
        ({"text": "It rained.", "relation": 0, "explain": True}, "body"),
        ({"text": "word " * 600 + ". We left.", "relation": 0}, "relation"),
        ({"pairs": [], "relation": 0}, "text"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_invalid_bodies_of_views(client: TestClient, body: Json, where: str) -> None:
    check_error(client.post("/v1/views", json=body), 422, where=where)


def test_media_types(client: TestClient) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        headers = {"Content-Type": kind} if kind else {}
        check_error(client.post("/v1/relations", content=b'{"text": "a"}', headers=headers), 415)
    compressed = JSON | {"Content-Encoding": "gzip"}
    check_error(client.post("/v1/relations", content=b'{"text": "a"}', headers=compressed), 415)
    headers = {"Content-Type": 'Application/JSON; charset="UTF-8"'}
    with_mark = b"\xef\xbb\xbf" + b'{"text": "a"}'
    assert client.post("/v1/relations", content=with_mark, headers=headers).status_code == 200


def test_unknown_addresses_and_methods(client: TestClient) -> None:
    for path in (
        "/nowhere",
        "/v1/relations/",
        "/assets/page",
        "/assets/..%2f..%2fapp.py",
        "/docs/",
        "/redoc",
    ):
        check_error(client.get(path), 404)
    for method, path, allowed in (("GET", "/v1/relations", "POST"), ("POST", "/v1/model", "GET")):
        answer = client.request(method, path)
        check_error(answer, 405)
        assert allowed in answer.headers["allow"]


def test_limits_on_sentences_and_pairs(serve: Serve) -> None:
    client = serve(limits=Limits(sentences=3, pairs=2))
    text = "It rained. We left. Bob came."
    pair = {"arg1": "It rained.", "arg2": "We left."}
    assert client.post("/v1/relations", json={"text": text}).status_code == 200
    assert client.post("/v1/relations", json={"pairs": [pair, pair]}).status_code == 200
    too_many = client.post("/v1/relations", json={"text": f"{text} Ann stayed."})
    assert "4 sentences; at most 3" in check_error(too_many, 422, where="text")["what"]
    check_error(client.post("/v1/relations", json={"text": "a\n\nb\n\nc\n\nd"}), 422, where="text")
    check_error(client.post("/v1/views", json={"text": f"{text} Ann.", "relation": 0}), 422, where="text")
    check_error(client.post("/v1/relations", json={"pairs": [pair] * 3}), 422, where="pairs")
    client = serve(limits=Limits(body_bytes=30_000))  # tokens are a third of the bytes
    check_error(client.post("/v1/relations", json={"text": "a," * 8_000}), 422, where="text")
    long = {"arg1": "a," * 8_000, "arg2": "b"}
    check_error(client.post("/v1/relations", json={"pairs": [long]}), 422, where="pairs")


def test_the_page_and_its_files(client: TestClient) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'; script-src 'self'" in page.headers["content-security-policy"]
    names = [part.split('"')[0] for part in page.text.split('"/assets/')[1:]]
    assert {"page.css", "page.js", "relations.js", "favicon.svg"} <= set(names)
    for name in names:
        first = client.get(f"/assets/{name}")
        assert first.status_code == 200
        assert first.headers["cache-control"] == "no-cache"
        again = client.get(f"/assets/{name}", headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_the_page_of_the_api_needs_no_script_and_no_other_server(client: TestClient) -> None:
    page = client.get("/docs")
    for part in (
        "POST</span> /v1/relations",
        "GET</span> /metrics",
        "paragraphs",
        "curl -s http://127.0.0.1",
    ):
        assert part in page.text
    assert {part.split('"')[0] for part in page.text.split('src="')[1:]} == {"/assets/appearance.js"}
    assert client.get("/").text.count('href="/docs"') == 1


@pytest.fixture
def description(client: TestClient) -> Json:
    found: Json = client.get("/openapi.json").json()
    return found


def validator(description: Json, schema: Json) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": description["components"]})


def test_the_description_is_complete(description: Json) -> None:
    operations = {
        (path, method): one for path, both in description["paths"].items() for method, one in both.items()
    }
    assert set(operations) == {
        ("/v1/relations", "post"),
        ("/v1/views", "post"),
        ("/v1/model", "get"),
        ("/healthz", "get"),
        ("/metrics", "get"),
    }
    assert all(one["summary"] and one["description"] for one in operations.values())
    references = {part.split('"')[0] for part in json.dumps(description).split('"$ref": "')[1:]}
    assert references
    for reference in references:
        place: Any = description
        for step in reference.removeprefix("#/").split("/"):
            place = place[step]
    for schema in description["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_examples_are_answered_as_described(client: TestClient, description: Json) -> None:
    operation = description["paths"]["/v1/relations"]["post"]
    request = operation["requestBody"]["content"]["application/json"]
    response = operation["responses"]["200"]["content"]["application/json"]
    for example in request["examples"].values():
        validator(description, request["schema"]).validate(example["value"])
        answer = client.post("/v1/relations", json=example["value"])
        validator(description, response["schema"]).validate(answer.json())
