"""API key, host names, other web pages, body limits, the log without texts, and the metrics."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence

import pytest
from starlette.testclient import TestClient

from disco2.annotation.annotator import ALL_LAYERS, Layers
from disco2.data import Document
from disco2.errors import SettingsError
from disco2.interfaces.server.middleware import JsonLines
from disco2.interfaces.server.settings import Limits, ServerSettings
from tests.inference.rule_annotator import RuleAnnotator
from tests.interfaces.server.conftest import MARK, Serve, check_error

BODY = {"text": "It rained."}
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize("key", ["s3cret", "a:b=/+"])
def test_the_key_opens(serve: Serve, key: str) -> None:
    client = serve(api_key=key)
    right = {"Authorization": f"Bearer {key}"}
    assert client.post("/v1/relations", json=BODY, headers=right).status_code == 200
    assert client.get("/v1/model", headers=right).status_code == 200
    assert client.get("/metrics", headers=right).status_code == 200


@pytest.mark.parametrize(
    "given", ["", "s3cret", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3crett", "Basic s3cret"]
)
def test_no_other_key_opens(serve: Serve, given: str) -> None:
    client = serve(api_key="s3cret", limits=Limits(body_bytes=5))
    headers = {"Authorization": given} if given else {}
    for path in ("/v1/relations", "/v1/views", "/v1/model", "/metrics", "/v1/nowhere"):
        answer = client.post(path, headers=headers, content=b"x" * 10)  # the body is not read
        check_error(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"
    for path in ("/healthz", "/", "/openapi.json"):
        assert client.get(path).status_code == 200


def test_invalid_settings() -> None:
    for key in ("a b", "a\n", " ", "\x7f", "ключ", "\udcff", "k" * 5_000):
        with pytest.raises(SettingsError) as caught:
            ServerSettings(api_key=key)
        assert repr(key) not in str(caught.value)
    for origin in ("example.org", "https://example.org/", "https://a b", "", "file://x"):
        with pytest.raises(SettingsError):
            ServerSettings(cors_origins=(origin,))
    for host in ("https://example.org", "a b", "", "[::1]"):
        with pytest.raises(SettingsError):
            ServerSettings(allowed_hosts=(host,))
    for seconds in (0, float("inf"), float("nan")):
        with pytest.raises(SettingsError):
            Limits(seconds=seconds)
    with pytest.raises(SettingsError, match="can't wait"):
        Limits(queue=20, connections=20)
    assert "s3cret" not in repr(ServerSettings(api_key="s3cret"))


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1", True),
        ("localhost:8000", True),
        ("LOCALHOST", True),
        ("[::1]:8000", True),
        ("example.org:80", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example:8000", False),
        ("[::1", False),
        ("", True),  # HTTP/1.0 without Host; no browser sends that
    ],
)
def test_foreign_hosts_are_refused(serve: Serve, host: str, allowed: bool) -> None:
    client = serve(allowed_hosts=("localhost", "127.0.0.1", "::1", "Example.org"))
    answer = client.get("/v1/model", headers={"Host": host})
    if allowed:
        assert answer.status_code == 200
    else:
        assert "--allowed-host" in check_error(answer, 400, where="header Host")["hint"]
    assert serve(allowed_hosts=("*",)).get("/healthz", headers={"Host": host}).status_code == 200


def test_other_pages_may_not_ask(client: TestClient) -> None:
    origin = {"Origin": "https://example.org"}
    answer = client.post("/v1/relations", json=BODY, headers=origin)
    assert not [name for name in answer.headers if name.startswith("access-control")]
    preflight = origin | {"Access-Control-Request-Method": "POST"}
    check_error(client.options("/v1/relations", headers=preflight), 405)


def test_pages_of_a_named_origin_may_ask(serve: Serve) -> None:
    client = serve(api_key="s3cret", cors_origins=("https://example.org",))
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    before = client.options("/v1/relations", headers={"Origin": "https://example.org", **asked})
    assert before.status_code == 200
    assert before.headers["access-control-allow-origin"] == "https://example.org"
    other = client.options("/v1/relations", headers={"Origin": "https://example.com", **asked})
    assert "access-control-allow-origin" not in other.headers
    answer = client.get("/v1/model", headers={"Origin": "https://example.org"})
    check_error(answer, 401)
    assert answer.headers["access-control-allow-origin"] == "https://example.org"  # the page can read it
    assert "access-control-allow-credentials" not in answer.headers


def test_security_headers(client: TestClient) -> None:
    for answer in (client.post("/v1/relations", json=BODY), client.get("/nowhere"), client.get("/v1/model")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-cache"
        assert "server" not in answer.headers


def test_bodies_are_limited_with_and_without_a_length(serve: Serve) -> None:
    client = serve(limits=Limits(body_bytes=1_000))
    for size, closed in ((1_000, False), (7_000, False), (9_000, True), (10**6, True)):
        answer = client.post("/v1/relations", json={"text": "a" * size})
        check_error(answer, 413)
        assert (answer.headers.get("connection") == "close") == closed
    for size in (2, 100):  # pieces of 600 bytes
        pieces = iter([b'{"text": "', *[b"a" * 600] * size, b'"}'])
        check_error(client.post("/v1/relations", content=pieces, headers=JSON), 413)
    pieces = iter([b'{"text"', b': "It rained."}'])
    assert client.post("/v1/relations", content=pieces, headers=JSON).status_code == 200
    answer = client.post("/v1/relations", content=b"{}", headers=JSON | {"Content-Length": "10" * 20})
    check_error(answer, 413)


class Failing(RuleAnnotator):
    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        for document in documents:
            if MARK in document.text:
                raise KeyError(document.text)
        return super().annotate(documents, layers=layers)


def log_lines(caplog: pytest.LogCaptureFixture, logger: str) -> list[dict[str, object]]:
    written = [JsonLines().format(record) for record in caplog.records if record.name == logger]
    assert all("\n" not in line for line in written)
    return [json.loads(line) for line in written]


def test_every_request_is_logged_without_its_content(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="disco2.server")
    body = {"text": f"{MARK} gave Tina the burger. She left."}
    answer = client.post(f"/v1/relations?{MARK}=1", json=body, headers={"User-Agent": MARK, "Referer": MARK})
    client.post("/v1/relations", json={"pairs": [{"arg1": MARK, "arg2": "b", "id": MARK}]})
    client.get(f"/{MARK}", headers={"X-Request-ID": f"{MARK} {MARK}"})
    client.get("/assets/page.css")
    client.request(MARK.upper(), "/v1/model")
    lines = log_lines(caplog, "disco2.server.access")
    assert [(one["method"], one["route"], one["status"]) for one in lines] == [
        ("POST", "/v1/relations", 200),
        ("POST", "/v1/relations", 200),
        ("GET", "other", 404),
        ("GET", "/assets/{name}", 200),
        ("other", "/v1/model", 405),
    ]
    first = lines[0]
    assert first["request"] == answer.headers["x-request-id"]
    assert (first["sentences"], first["batch"], lines[1]["pairs"]) == (2, 1, 1)
    assert first["bytes_in"] == len(answer.request.content)
    assert first["bytes_out"] == len(answer.content)
    assert isinstance(first["milliseconds"], float)
    assert MARK not in json.dumps(lines) + caplog.text


def test_unexpected_errors_are_logged_without_the_text(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    client = serve(annotators=Failing())
    caplog.set_level(logging.INFO)
    answer = client.post("/v1/relations", json={"text": f"It is {MARK}."})
    check_error(answer, 500)
    (line,) = log_lines(caplog, "disco2.server.error")
    assert line["error"] == "KeyError"
    assert line["request"] == answer.headers["x-request-id"]
    assert "in annotate" in str(line["trace"])
    assert MARK not in json.dumps(line) + caplog.text
    assert log_lines(caplog, "disco2.server.access")[-1]["status"] == 500
    assert client.post("/v1/relations", json={"text": "It is well."}).status_code == 200


def figure(client: TestClient, name: str) -> float:
    text = client.get("/metrics").text
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


def test_metrics(serve: Serve) -> None:
    client, other = serve(), serve()
    client.post("/v1/relations", json={"text": "It rained. We left. Bob came."})
    client.post("/v1/relations", json={"pairs": [{"arg1": "a", "arg2": "b"}] * 4})
    client.post("/v1/relations", json={})
    client.get(f"/{MARK}")
    text = client.get("/metrics").text
    assert MARK not in text
    assert 'disco2_model_info{annotators="rules"' in text
    post = 'disco2_requests_total{method="POST",route="/v1/relations",'
    for name, value in {
        f'{post}status="200"': 2,
        f'{post}status="422"': 1,
        'disco2_requests_total{method="GET",route="other",status="404"': 1,
        "disco2_sentences_total": 3,
        "disco2_pairs_total": 4,
        "disco2_relations_total": 6,
        "disco2_batch_requests_count": 2,
        "disco2_queue_requests": 0,
        'disco2_request_seconds_count{route="/v1/relations"}': 3,
    }.items():
        assert figure(client, name) == value, name
    assert figure(other, "disco2_sentences_total") == 0
