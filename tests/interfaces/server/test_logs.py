"""The log tells of every request, and never what is in it; the metrics count."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence

import pytest
from starlette.testclient import TestClient

from disco2.annotation.annotator import ALL_LAYERS, Layers
from disco2.data import Document
from disco2.interfaces.server.log_lines import JsonLines
from tests.inference.rule_annotator import RuleAnnotator
from tests.interfaces.server.conftest import Serve

MARK = "zqxsecret"


class Breaking(RuleAnnotator):
    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        for document in documents:
            if MARK in document.text:
                raise KeyError(document.text)
        return super().annotate(documents, layers=layers)


def lines(caplog: pytest.LogCaptureFixture, logger: str) -> list[dict[str, object]]:
    """As the server writes them."""
    written = [JsonLines().format(record) for record in caplog.records if record.name == logger]
    assert all("\n" not in line for line in written)
    return [json.loads(line) for line in written]


def test_every_request_is_told(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="disco2.server")
    body = {"text": f"{MARK} gave Tina the burger. She left."}
    answer = client.post(f"/v1/relations?{MARK}=1", json=body, headers={"User-Agent": MARK, "Referer": MARK})
    client.post("/v1/relations", json={"pairs": [{"arg1": MARK, "arg2": "b", "id": MARK}]})
    client.get(f"/{MARK}", headers={"X-Request-ID": f"{MARK} {MARK}"})
    client.get("/assets/page.css")
    client.request(MARK.upper(), "/v1/model")
    told = lines(caplog, "disco2.server.access")
    assert [(one["method"], one["route"], one["status"]) for one in told] == [
        ("POST", "/v1/relations", 200),
        ("POST", "/v1/relations", 200),
        ("GET", "other", 404),
        ("GET", "/assets/{name}", 200),
        ("other", "/v1/model", 405),
    ]
    first = told[0]
    assert first["request"] == answer.headers["x-request-id"]
    assert first["sentences"] == 2
    assert first["batch"] == 1
    assert first["bytes_in"] == len(answer.request.content)
    assert first["bytes_out"] == len(answer.content)
    assert isinstance(first["milliseconds"], float)
    assert told[1]["pairs"] == 1
    assert MARK not in json.dumps(told)
    assert MARK not in caplog.text


def test_an_id_of_the_clients_own(client: TestClient) -> None:
    for given, kept in (("a-1_B.2", True), ("x" * 65, False), ("a b", False), ('"', False)):
        answer = client.get("/healthz", headers={"X-Request-ID": given})
        assert (answer.headers["x-request-id"] == given) == kept


def test_errors_of_ours_are_told_without_the_text(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    client = serve(annotators=Breaking())
    caplog.set_level(logging.INFO)
    answer = client.post("/v1/relations", json={"text": f"It is {MARK}."})
    assert answer.status_code == 500
    assert "Traceback" not in answer.text
    (told,) = lines(caplog, "disco2.server.error")
    assert told["error"] == "KeyError"
    assert told["request"] == answer.headers["x-request-id"]
    assert "in annotate" in str(told["trace"])
    assert MARK not in answer.text + json.dumps(told) + caplog.text
    assert lines(caplog, "disco2.server.access")[-1]["status"] == 500
    assert client.post("/v1/relations", json={"text": "It is well."}).status_code == 200


def test_errors_of_libraries_are_told_without_their_words() -> None:
    try:
        raise ValueError(MARK)
    except ValueError as error:
        record = logging.getLogger("x").makeRecord(
            "x", logging.ERROR, "f", 1, "it\nbroke", (), (ValueError, error, error.__traceback__)
        )
    line = JsonLines().format(record)
    assert MARK not in line
    assert json.loads(line)["error"] == "ValueError"


def figure(client: TestClient, name: str) -> float:
    text = client.get("/metrics").text
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


def test_metrics_count(client: TestClient) -> None:
    client.post("/v1/relations", json={"text": "It rained. We left. Bob came."})
    client.post("/v1/relations", json={"pairs": [{"arg1": "a", "arg2": "b"}] * 4})
    client.post("/v1/relations", json={})
    client.get(f"/{MARK}")
    text = client.get("/metrics").text
    assert MARK not in text
    post = 'disco2_requests_total{method="POST",route="/v1/relations",'
    assert figure(client, f'{post}status="200"') == 2
    assert figure(client, f'{post}status="422"') == 1
    assert figure(client, 'disco2_requests_total{method="GET",route="other",status="404"') == 1
    assert figure(client, "disco2_sentences_total") == 3
    assert figure(client, "disco2_pairs_total") == 4
    assert figure(client, "disco2_relations_total") == 6
    assert figure(client, "disco2_batch_requests_count") == 2
    assert figure(client, "disco2_queue_requests") == 0
    assert figure(client, 'disco2_request_seconds_count{route="/v1/relations"}') == 3
    assert 'disco2_model_info{annotators="rules"' in text


def test_two_servers_in_one_process_have_their_own_figures(serve: Serve) -> None:
    first, second = serve(), serve()
    first.post("/v1/relations", json={"text": "It rained."})
    assert figure(first, "disco2_sentences_total") == 1
    assert figure(second, "disco2_sentences_total") == 0
