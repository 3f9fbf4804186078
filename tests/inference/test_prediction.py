"""What relations say, and that their JSON is what the schema says."""

from __future__ import annotations

import copy
import json
import sys
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from disco2.errors import InputError
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import pair_error, pair_result, pairs_result, read_schema, text_result

SCHEMA = read_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
TEXT = "Bob gave Tina the burger. She was hungry. However, he ate it \U0001f600."


def through_json(record: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(record, allow_nan=False))
    return found


def results(pipeline: Pipeline) -> list[dict[str, Any]]:
    document = pipeline.annotate(TEXT)
    found = pipeline.relations(document)
    explained = [pipeline.explain(one) for one in found]
    pair = pipeline.classify("Bob gave Tina the burger.", "She was hungry.")
    many = pipeline.classify("Bob " * 20, "Bob " * 20)
    return [
        text_result(pipeline, document, found),
        text_result(pipeline, document, found, explained),
        text_result(pipeline, pipeline.annotate(""), []),
        pair_result(1, None, pair),
        pair_result(2, "x", pair, pipeline.explain(pair)),
        pair_result(3, 1, many, pipeline.explain(many)),
        pair_error(4, 7, "'arg1' is missing."),
        pairs_result(pipeline, [pair_result(1, "x", pair), pair_error(2, None, "It was refused.")]),
    ]


def test_results_fit_the_schema(pipeline: Pipeline) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for record in results(pipeline):
        VALIDATOR.validate(through_json(record))


def objects(value: Any) -> list[dict[str, Any]]:
    """All objects in a record but tables of probabilities, whose names are free."""
    found: list[dict[str, Any]] = []
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            found.append(one)
            pending.extend(item for name, item in one.items() if name != "probabilities")
        elif isinstance(one, list):
            pending.extend(one)
    return found


def test_the_schema_is_strict(small: Pipeline) -> None:
    """Nowhere may anything be added, and nothing but the optional may be left out."""
    for original in results(small):
        record = through_json(original)
        seen: set[frozenset[str]] = set()
        for number, part in enumerate(objects(record)):
            if frozenset(part) in seen:
                continue
            seen.add(frozenset(part))
            changed = copy.deepcopy(record)
            objects(changed)[number]["surprise"] = 1
            assert not VALIDATOR.is_valid(changed)
            for name in part.keys() - {"id", "explanation"}:
                changed = copy.deepcopy(record)
                del objects(changed)[number][name]
                assert not VALIDATOR.is_valid(changed), name


def test_the_documentation_names_everything_in_the_schema() -> None:
    from tests.conftest import ROOT

    text = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    names = {name for definition in SCHEMA["$defs"].values() for name in definition.get("properties", {})} | {
        "format",
        "tokens",
        "mentions",
        "constituents",
        "dependencies",
    }
    assert {name for name in names if f"`{name}`" not in text} == set()


def test_relations_are_like_a_list(small: Pipeline) -> None:
    found = small(TEXT, norel=True)
    assert found == list(found) == small.relations(small.annotate(TEXT), norel=True)
    assert repr(found) == f"{len(found)} relations in 3 sentences"
    assert found.to_dict() == text_result(small, found.document, found)
    assert "<td>Bob gave Tina the burger.</td>" in found._repr_html_()
    assert repr(small).startswith("<Pipeline small: 2 senses")


def test_a_data_frame_needs_pandas(small: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pip install pandas"):
        small(TEXT).to_dataframe()
    monkeypatch.undo()
    pytest.importorskip("pandas")
    table = small(TEXT).to_dataframe()
    assert table["arg1_spans"].iloc[0] == "0-25"
    assert list(table["gloss"]) == [one.gloss for one in small(TEXT)]


def test_senses_directions_and_glosses_of_a_relation(small: Pipeline) -> None:
    shares = {"Contingency.Cause": 0.4, "Expansion.Conjunction": 0.35, "Expansion.Manner": 0.25}
    answer = small.classify("It rained.", "We left.")
    one = replace(answer, sense="Contingency.Cause", probability=0.4, probabilities=shares)
    assert one.top(2) == (("Contingency.Cause", 0.4), ("Expansion.Conjunction", 0.35))
    assert one.level(1).sense == "Expansion"
    assert one.level(1).probabilities == pytest.approx({"Expansion": 0.6, "Contingency": 0.4})
    assert one.level(2) == one
    with pytest.raises(InputError, match="no level 3"):
        one.level(3)
    assert (one.gloss, replace(one, direction="Result").gloss) == ("", "so")
    assert repr(replace(one, direction="Reason")) == (
        "<Contingency.Cause 40.0%, Implicit, Reason: [because]: 'It rained.', 'We left.'>"
    )


def test_low_probabilities_are_marked(small: Pipeline) -> None:
    found = small(TEXT, norel=True, min_probability=1.0)
    assert found == [replace(one, unsure=True) for one in small(TEXT, norel=True)]
    assert small.classify("It rained.", "We left.", min_probability=1).unsure
    for wrong in (-0.1, 1.1, "a", None):
        with pytest.raises(InputError, match="from 0 to 1"):
            small(TEXT, min_probability=wrong)  # type: ignore[arg-type]
