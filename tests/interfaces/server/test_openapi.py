"""The description of the API is true: its examples fit its schemas, and are the server's own answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from disco2.annotation.annotator import ALL_LAYERS, Layers
from disco2.data import Document
from disco2.inference.pipeline import Pipeline
from disco2.interfaces.server.app import make_app
from disco2.interfaces.server.settings import Limits, ServerSettings
from tests.inference.rule_annotator import RuleAnnotator
from tests.inference.small_pipeline import random_model
from tests.interfaces.server.conftest import Serve

KINDS = ("entities", "upward", "additive", "surface", "majority")
Json = dict[str, Any]


@pytest.fixture
def description(client: TestClient) -> Json:
    found: Json = client.get("/openapi.json").json()
    return found


def validator(description: Json, schema: Json) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": description["components"]})


def operations(description: Json) -> list[tuple[str, str, Json]]:
    return [
        (path, method, one) for path, all_ in description["paths"].items() for method, one in all_.items()
    ]


def test_it_describes_all_of_the_api(description: Json) -> None:
    assert {(path, method) for path, method, _ in operations(description)} == {
        ("/v1/relations", "post"),
        ("/v1/views", "post"),
        ("/v1/model", "get"),
        ("/healthz", "get"),
        ("/metrics", "get"),
    }
    assert all(one["summary"] and one["description"] for _, _, one in operations(description))


def test_every_reference_leads_somewhere(description: Json) -> None:
    references = {part.split('"')[0] for part in json.dumps(description).split('"$ref": "')[1:]}
    assert references
    for reference in references:
        place: Any = description
        for step in reference.removeprefix("#/").split("/"):
            place = place[step]
    for schema in description["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_examples_fit_their_schemas(description: Json) -> None:
    checked = 0
    for _, _, operation in operations(description):
        contents = [answer.get("content", {}) for answer in operation["responses"].values()]
        contents.append(operation.get("requestBody", {}).get("content", {}))
        for content in contents:
            for kind in content.values():
                for example in kind.get("examples", {}).values():
                    validator(description, kind["schema"]).validate(example["value"])
                    checked += 1
    assert checked > 25


def test_examples_are_what_the_server_says(client: TestClient, description: Json) -> None:
    for path in ("/v1/relations", "/v1/views"):
        operation = description["paths"][path]["post"]
        asked = operation["requestBody"]["content"]["application/json"]["examples"]
        answers = operation["responses"]["200"]["content"]["application/json"]["examples"]
        assert asked.keys() == answers.keys()
        for name, example in asked.items():
            assert client.post(path, json=example["value"]).json() == answers[name]["value"]
    model = description["paths"]["/v1/model"]["get"]["responses"]["200"]["content"]["application/json"]
    assert client.get("/v1/model").json() == model["examples"]["model"]["value"]


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        ({"text": "a"}, True),
        ({"text": "a", "pairs": []}, False),
        ({"text": ""}, False),
        ({"text": "a", "surprise": 1}, False),
        ({"pairs": [{"arg1": "a", "arg2": "b", "id": 1}]}, True),
        ({"pairs": []}, False),
        ({"pairs": [{"arg1": "a", "arg2": "b"}] * 3}, False),
    ],
)
def test_bodies_fit_where_the_server_takes_them(serve: Serve, body: Json, fits: bool) -> None:
    client = serve(limits=Limits(pairs=2))
    description = client.get("/openapi.json").json()
    schema = description["paths"]["/v1/relations"]["post"]["requestBody"]["content"]["application/json"][
        "schema"
    ]
    assert validator(description, schema).is_valid(body) == fits
    assert client.post("/v1/relations", json=body).status_code == (200 if fits else 422)


def test_statuses_are_described(serve: Serve) -> None:
    """Those that a client can bring about, at every address."""
    client = serve(api_key="s3cret", limits=Limits(body_bytes=1))
    description = client.get("/openapi.json").json()
    for path, method, operation in operations(description):
        for headers in ({}, {"Authorization": "Bearer s3cret"}):
            for content in (b"", b"{", b"{}"):
                answer = client.request(method, path, content=content, headers=headers)
                assert str(answer.status_code) in operation["responses"], (path, answer.status_code)


def test_a_key_is_described_where_there_is_one(serve: Serve, description: Json) -> None:
    assert "securitySchemes" not in description["components"]
    closed = serve(api_key="s3cret").get("/openapi.json").json()
    assert closed["paths"]["/v1/relations"]["post"]["security"] == [{"key": []}]
    assert "security" not in closed["paths"]["/healthz"]["get"]
    assert "s3cret" not in json.dumps(closed)


@pytest.mark.parametrize("kind", KINDS)
def test_models_of_every_kind_are_described(small: Pipeline, kind: str) -> None:
    """Also those that compose nothing, whatever the limits."""
    pipeline = Pipeline(small.annotators, random_model(kind=kind))
    app = make_app(pipeline, ServerSettings(limits=Limits(sentences=1, pairs=1)))
    description = TestClient(app).get("/openapi.json").json()
    content = description["paths"]["/v1/views"]["post"]["responses"]["200"]["content"]["application/json"]
    validator(description, content["schema"]).validate(content["examples"]["view"]["value"])


def test_an_annotator_that_parts_nothing_can_be_served(serve: Serve) -> None:
    client = serve(annotators=OneSentence())
    description = client.get("/openapi.json").json()
    answer = description["paths"]["/v1/views"]["post"]["responses"]["200"]["content"]["application/json"]
    assert answer["examples"] == {}
    assert client.post("/v1/relations", json={"text": "It rained. We left."}).json()["relations"] == []


class OneSentence(RuleAnnotator):
    """Takes every text for one sentence."""

    def annotate(self, documents: Sequence[Document], *, layers: Layers = ALL_LAYERS) -> list[Document]:
        whole = [replace(document, text=document.text.replace(".", ",")) for document in documents]
        found = super().annotate(whole, layers=layers)
        return [replace(one, text=document.text) for one, document in zip(found, documents, strict=True)]


def test_nothing_is_loaded_from_elsewhere(client: TestClient) -> None:
    assert client.get("/docs").status_code == 404
    assert client.get("/redoc").status_code == 404
