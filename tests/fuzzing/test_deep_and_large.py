"""Inputs out of all proportion, deep, wide or repeated: read or refused, in bounded room and time."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tests.fuzzing.layer_targets import conllu_row
from tests.fuzzing.target import NEXT_FILE, all_targets, hold

DEEP = 100_000  # levels
LONG = 10_000  # words of one sentence

TARGETS = all_targets()
BRACKETS = {
    "read quickly": b"(X " * DEEP + b"(Y z)" + b")" * DEEP,
    "read with care": b"(" * DEEP + b"(Y z)" + b")" * DEEP,
    "a trace below": b"(X " * DEEP + b"(-NONE- *)" + b")" * DEEP,
    "nothing below": b"(S " + b"(A " * DEEP + b")" * DEEP + b" (B c))",
    "never closed": b"(X " * DEEP,
    "never opened": b")" * DEEP,
    "wide": b"(S " + b"(A b)" * LONG + b")",
    "a long label": b"(a" + b"=" * DEEP + b" (A b))",
    "many trees": b"(A b)\n" * LONG,
}


@pytest.mark.parametrize("name", ["brackets"])
@pytest.mark.parametrize("kind", BRACKETS)
def test_brackets(name: str, kind: str) -> None:
    hold(TARGETS[name], BRACKETS[kind])


@pytest.mark.parametrize("kind", ["read quickly", "read with care", "wide", "a trace below"])
def test_brackets_are_taken(kind: str) -> None:
    assert hold(TARGETS["brackets"], BRACKETS[kind]) is None


def conllu(heads: list[int], *, words: str = "a") -> bytes:
    rows = [conllu_row(number, head, word=words) for number, head in enumerate(heads, start=1)]
    return "\n".join(rows).encode()


@pytest.mark.parametrize(
    ("content", "taken"),
    [
        (conllu([*range(LONG)]), True),
        (conllu([*range(2, LONG + 1), 1]), False),
        (conllu([0] * LONG), True),
        (conllu([9**90] * 9), False),
    ],
    ids=["chain", "circle", "roots", "giant heads"],
)
def test_conllu(content: bytes, taken: bool) -> None:
    assert (hold(TARGETS["conllu"], content) is None) == taken


MENTION = b"0\ta\t(1\n" + b"0\ta\t_\n" * (LONG - 2) + b"0\ta\t1)\n"
FLAT = b"(X " + b"(A a)" * LONG + b")"
ON_TEXT = {
    "unary": (b"a a", b"(X " * DEEP + b"(A a) (A a)" + b")" * DEEP, b"", b"0\ta\t(1\n0\ta\t1)\n"),
    "to the right": (b"a " * LONG, b"(X (A a) " * LONG + b")" * LONG, b"", MENTION),
    "to the left": (b"a " * LONG, b"(X " * LONG + b"(A a))" * LONG, b"", MENTION),
    "heads": (b"a " * LONG, FLAT, conllu([*range(LONG)]), MENTION),
    "mentions": (b"a " * LONG, FLAT, b"", b"0\ta\t(1)\n" * LONG),
    "nested": (b"a " * LONG, FLAT, b"", b"0\ta\t(1\n" * (LONG // 2) + b"0\ta\t1)\n" * (LONG // 2)),
    "other words": (b"a " * LONG, FLAT, conllu([0] * LONG, words="b"), b"0\tb\t(1)\n" * LONG),
    "trees that do not fit": (b"ab" * LONG, b"(X (A b))\n" * LONG, b"", b""),
}


@pytest.mark.parametrize("kind", ON_TEXT)
def test_layers_on_a_text(kind: str) -> None:
    hold(TARGETS["layers-on-text"], NEXT_FILE.join(ON_TEXT[kind]))


def document(levels: int) -> Any:
    """Two sentences of two words, each below a chain of so many phrases."""
    tree = {
        **{"labels": ["S"] * levels, "starts": [0] * levels, "ends": [2] * levels},
        **{"parents": list(range(-1, levels - 1)), "tags": ["A", "B"]},
    }
    tokens = [
        {"text": sign, "start": 2 * place, "end": 2 * place + 1, "tag": "NN"}
        for place, sign in enumerate("abcd")
    ]
    sentences = [{"start": at, "end": at + 2, "constituents": tree, "dependencies": None} for at in (0, 2)]
    mentions = [{"start": at, "end": at + 2, "head": at, "chain": "1"} for at in (0, 2)]
    layers = {"tokens": tokens, "sentences": sentences, "mentions": mentions}
    return {"format": 1, "id": "d", "text": "a b c d", **layers}


def test_a_deep_annotated_document() -> None:
    assert hold(TARGETS["annotated-document"], json.dumps(document(DEEP)).encode()) is None


@pytest.mark.parametrize(
    "content",
    [b"a" * 300_000_000, b"1 99999999999\na " + b"\0" * 300_000_000, b"a 1\n" * 300_000],
    ids=["a line", "a vector", "lines"],
)
def test_little_that_unpacks_to_much(content: bytes) -> None:
    hold(TARGETS["vectors-compressed"], gzip.compress(content, 1))
