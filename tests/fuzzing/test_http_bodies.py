"""Requests of any JSON: an answer that fits the server's own description, or an error in its one form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.fuzzing.http_targets import RELATIONS, TARGETS, VIEWS, client, post, read_body
from tests.fuzzing.target import limits
from tests.fuzzing.test_readers import fuzzed

pytestmark = pytest.mark.skipif(not TARGETS, reason="the server's packages are not installed")

TEXTS = ("Bob left. Tina stayed.", "It rained.\n\nWe left.", "a", "", " ", "\0", "\ud800", "...", "😀 x.")
texts = st.sampled_from(TEXTS) | st.text(max_size=60)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
anything: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def sometimes_wrong(right: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 9).flatmap(lambda number: anything if number == 0 else right)


pair = st.fixed_dictionaries(
    {"arg1": sometimes_wrong(texts), "arg2": sometimes_wrong(texts)},
    optional={"id": st.none() | st.integers() | texts | anything},
)
paragraphs = sometimes_wrong(st.sampled_from(("blank", "line", "none", "page")))
bodies = st.one_of(
    st.fixed_dictionaries(
        {"text": sometimes_wrong(texts)},
        optional={
            "paragraphs": paragraphs,
            "explain": sometimes_wrong(st.booleans()),
            "relation": st.integers(-1, 3),
        },
    ),
    st.fixed_dictionaries(
        {"pairs": sometimes_wrong(st.lists(sometimes_wrong(pair), max_size=4))},
        optional={"explain": sometimes_wrong(st.booleans()), "text": texts},
    ),
    anything,
)


@pytest.mark.parametrize("path", [RELATIONS, VIEWS])
@fuzzed
@given(body=bodies)
@example(body={"text": TEXTS[0], "relation": 0})
@example(body={"pairs": [{"arg1": "a", "arg2": "b", "id": 10**30}], "explain": True})
def test_any_json(path: str, body: Any) -> None:
    content = json.dumps(body).encode()
    with limits(len(content)):
        read_body(content, path=path)


@fuzzed
@given(body=bodies)
def test_results_fit_their_schema(body: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    answer = post(RELATIONS, json.dumps(body).encode())
    description = client().app.openapi()
    response = description["paths"][RELATIONS]["post"]["responses"][str(answer.status_code)]
    schema = response["content"]["application/json"]["schema"]
    jsonschema.validate(answer.json(), {**schema, "components": description["components"]})


def test_every_status_of_a_body_can_be_had() -> None:
    bodies = (b"{", b"{}", b'{"text": "a b."}')
    assert [post(RELATIONS, body).status_code for body in bodies] == [400, 422, 200]
