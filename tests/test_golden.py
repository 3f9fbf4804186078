"""The shipped models' answers to fixed texts, field by field.

    python -m tests.test_golden    # writes tests/golden.json anew, after a change of answers that is wanted

Figures are compared to 1e-4: int8 matrix products differ in the last digits between processors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import disco2
from disco2.inference.prediction import text_result

GOLDEN = Path(__file__).with_name("golden.json")
MODELS = ("en", "en-fast", "en-paper")
TEXTS = (
    "Bob gave Tina the burger. She was hungry. However, she did not eat it.",
    "The road was closed because a tree had fallen, so we drove around. Were we late? No, we were not.",
    "Anna sold the car. Her brother bought it.\n\nIf it rains, take the bus; when the sun shines, walk.",
    "Press the red button to start the engine. First, check the oil. Then close the lid, turning it left.",
)
PAIRS = (
    ("He trained for a year.", "He came last."),
    ("The shop was closed.", "We went home."),
    ("Some birds can't fly.", "Penguins walk and swim."),
)
VERSIONS = {"digest", "disco2", "annotators", "parser"}  # change with every release, not with an answer


def answers(model: str) -> dict[str, Any]:
    """All answers of a model, as the JSON has them."""
    nlp = disco2.load(model)
    texts = []
    for text in TEXTS:
        document = nlp.annotate(text)
        relations = nlp.relations(document, norel=True)
        texts.append(text_result(nlp, document, relations, [nlp.explain(one) for one in relations]))
    pairs = [nlp.classify(*pair).to_json() for pair in PAIRS]
    return {"texts": texts, "pairs": pairs}


def differences(found: Any, expected: Any, place: str = "") -> Iterator[str]:
    """Where two JSON values differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in expected.keys() | found.keys():
            if key in VERSIONS:
                continue
            if key not in expected or key not in found:
                yield f"{place}.{key}: in one of the two alone"
            else:
                yield from differences(found[key], expected[key], f"{place}.{key}")
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{place}: {len(found)} items instead of {len(expected)}"
        for number, (one, other) in enumerate(zip(found, expected, strict=False)):
            yield from differences(one, other, f"{place}[{number}]")
    elif isinstance(expected, float):
        if found != pytest.approx(expected, abs=1e-4):
            yield f"{place}: {found} instead of {expected}"
    elif found != expected:
        yield f"{place}: {found!r} instead of {expected!r}"


@pytest.mark.parametrize("model", MODELS)
def test_answers_are_the_recorded_ones(model: str) -> None:
    expected = json.loads(GOLDEN.read_text(encoding="utf-8"))[model]
    found = json.loads(json.dumps(answers(model)))
    assert list(differences(found, expected)) == []


if __name__ == "__main__":
    lines = [f"{json.dumps(model)}: {json.dumps(answers(model))}" for model in MODELS]
    GOLDEN.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
