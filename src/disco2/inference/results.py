"""Predictions as JSON: what ``predictions.schema.json`` describes and docs/json.md explains."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from disco2.data import Document
from disco2.inference.explanation import Explanation
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Prediction
from disco2.version import VERSION

SCHEMA = 4  # raised when a reader of the old form would stumble
SCHEMA_FILE = Path(__file__).with_name("predictions.schema.json")

Json = dict[str, Any]


def text_result(
    pipeline: Pipeline,
    document: Document,
    predictions: Sequence[Prediction],
    explanations: Sequence[Explanation] | None = None,
    *,
    annotators: str | None = None,
) -> Json:
    """The relations of a running text, with the text and its sentences.

    ``annotators`` made the document where it was not the pipeline's own.
    """
    tokens = document.tokens
    return heading(pipeline, annotators=annotators) | {
        "document": document.id,
        "text": document.text,
        "sentences": [
            {"start": tokens[sentence.start].start, "end": tokens[sentence.end - 1].end}
            for sentence in document.sentences
        ],
        "relations": relation_forms(predictions, explanations),
    }


def relation_forms(
    predictions: Sequence[Prediction], explanations: Sequence[Explanation] | None = None
) -> list[Json]:
    """The relations of a running text alone."""
    return [
        _explained(prediction.to_json(), explanations[place] if explanations else None)
        for place, prediction in enumerate(predictions)
    ]


def pairs_result(pipeline: Pipeline, answers: Sequence[Json]) -> Json:
    """The answers to given pairs, each a ``pair_result`` or a ``pair_error``, as one object."""
    return heading(pipeline) | {"answers": list(answers)}


def heading(pipeline: Pipeline, *, annotators: str | None = None) -> Json:
    """What every result opens with: who has made it."""
    prior = pipeline.calibration.prior
    return {
        "schema": SCHEMA,
        "disco2": VERSION,
        "model": {
            "name": pipeline.info.name,
            "licence": pipeline.info.licence,
            "digest": pipeline.info.digest,
            "labels": list(pipeline.model.labels),
            "temperature": pipeline.calibration.temperature,
            "running_text_temperature": pipeline.calibration.of_running_text,
            **({} if prior is None else {"prior": prior.given}),
        },
        "parser": pipeline.parser.digest,
        "annotators": pipeline.annotators.name if annotators is None else annotators,
    }


def pair_result(
    line: int, name: str | int | None, prediction: Prediction, explanation: Explanation | None = None
) -> Json:
    """The answer to one line of a file of pairs; the texts are in the input and are not repeated."""
    answer = prediction.to_json()
    for left_out in ("index", "presence", "connective_parts", "arg1", "arg2"):
        del answer[left_out]
    return _explained(_opening(line, name) | answer, explanation)


def pair_error(line: int, name: str | int | None, error: str) -> Json:
    """The record of a line that is no pair."""
    return _opening(line, name) | {"error": error}


def read_schema() -> Json:
    """The JSON Schema (draft 2020-12) of all of these."""
    schema: Json = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return schema


def _opening(line: int, name: str | int | None) -> Json:
    return {"schema": SCHEMA, "line": line} | ({} if name is None else {"id": name})


def _explained(record: Json, explanation: Explanation | None) -> Json:
    return record if explanation is None else record | {"explanation": explanation.to_json()}
