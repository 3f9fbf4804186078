"""What the server says is what the command line says, to the last digit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from disco2.inference.pipeline import Pipeline
from disco2.inference.results import read_schema, text_result
from disco2.interfaces.server.app import make_app
from tests.interfaces.conftest import Run

TEXT = (
    "Bob gave Tina the burger. She was hungry.\nHowever, he ate it \U0001f600.\n\nPrices rose. Ann left\x00."
)
VALIDATOR = Draft202012Validator(read_schema())


def printed(run: Run, *arguments: str | Path) -> dict[str, Any]:
    code, out, err = run("predict", *arguments)
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.mark.parametrize("paragraphs", ["blank", "line", "none"])
@pytest.mark.parametrize("explain", [False, True])
def test_a_text_is_answered_as_on_the_command_line(
    client: TestClient, run_small: Run, paragraphs: str, explain: bool
) -> None:
    text = TEXT.replace("\x00", "")  # which no command line can hold
    answer = client.post("/v1/relations", json={"text": text, "paragraphs": paragraphs, "explain": explain})
    assert answer.status_code == 200
    options = ["--paragraphs", paragraphs, *(["--explain"] if explain else [])]
    assert answer.json() == printed(run_small, text, "--json", *options)
    VALIDATOR.validate(answer.json())
    assert ("explanation" in answer.json()["relations"][0]) == explain


def test_what_is_left_out_has_its_usual_value(client: TestClient) -> None:
    whole = {"text": TEXT, "paragraphs": "blank", "explain": False}
    answers = [client.post("/v1/relations", json=body).json() for body in ({"text": TEXT}, whole)]
    assert answers[0] == answers[1]
    assert answers[0]["text"] == TEXT


@pytest.mark.parametrize("explain", [False, True])
def test_pairs_are_answered_as_on_the_command_line(
    client: TestClient, run_small: Run, tmp_path: Path, explain: bool
) -> None:
    names = ["Bob", "Tina", "Ann", "Max"]
    pairs: list[dict[str, Any]] = [
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


def test_the_shipped_model_answers_the_same(shipped: Pipeline) -> None:
    text = "Bob gave Tina the burger. She was hungry. The shop had closed."
    with TestClient(make_app(shipped)) as client:
        answer = client.post("/v1/relations", json={"text": text, "explain": True})
    document = shipped.annotate(text)
    found = shipped.relations(document)
    assert answer.json() == text_result(shipped, document, found, list(shipped.explain_many(found)))


def test_a_view_has_the_relation_and_its_drawing(client: TestClient) -> None:
    relations = client.post("/v1/relations", json={"text": TEXT}).json()["relations"]
    for number, relation in enumerate(relations):
        answer = client.post("/v1/views", json={"text": TEXT, "relation": number})
        assert answer.status_code == 200
        content = answer.json()
        assert content["view"]["relation"] == relation
        assert content["svg"].startswith("<svg")
        assert [one["text"] for one in content["view"]["arguments"]] == [
            relation["arg1"]["text"],
            relation["arg2"]["text"],
        ]


def test_the_model_is_told_with_its_limits(client: TestClient) -> None:
    content = client.get("/v1/model").json()
    text = client.post("/v1/relations", json={"text": "It rained."}).json()
    assert content["model"] == text["model"]
    assert content["annotators"] == text["annotators"]
    assert content["limits"] == {"body_bytes": 131_072, "sentences": 1_000, "pairs": 500, "seconds": 30.0}


@pytest.mark.parametrize("path", ["/healthz", "/v1/model", "/metrics", "/openapi.json", "/"])
def test_headers_can_be_asked_for_alone(client: TestClient, path: str) -> None:
    answer = client.head(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == client.get(path).headers["content-type"]


def test_it_says_that_it_is_well(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
