"""JSON that somebody else wrote."""

from __future__ import annotations

import json

import pytest

from disco2.corpora.reading import BrokenJsonError, parse_json, shown


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ('{"a": 1,\n}', "Expecting property name", 2),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply", 1),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply", 1),
        ("9" * 5000, "too many digits", 1),
        ('{"a": 1, "b": 2, "a": 3}', "key 'a' occurs twice", 1),
        ('[{"b": {"": 1, "": 1}}]', "key '' occurs twice", 1),
        ('["fine",\n"\\ud800"]', "half of a surrogate pair", 2),
        ('"\\udc00\\ud83d"', "half of a surrogate pair", 1),
        ('"\\ud83d\\u0041"', "half of a surrogate pair", 1),
        ('{"\\uDFFF": 1}', "half of a surrogate pair", 1),
    ],
)
def test_what_is_wrong_is_said(text: str, reason: str, line: int) -> None:
    with pytest.raises(BrokenJsonError, match=reason) as caught:
        parse_json(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "value", ["\U0001f600", "\\ud800", "\\\\ud800", "\\\U0001f600\\", {"\u00e9": ["\ud7ff"]}]
)
def test_whole_characters_and_backslashes_are_read(value: object) -> None:
    assert parse_json(json.dumps(value)) == value


def test_half_a_character_at_any_depth_that_the_parser_takes() -> None:
    for depth in range(900, 1000):  # around the deepest
        with pytest.raises(BrokenJsonError):
            parse_json("[" * depth + '"\\ud800"' + "]" * depth)


def test_values_in_messages_are_short_however_deep_they_are() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert len(shown(deep)) < 100
    assert len(shown({"x" * 1000: "y" * 1000})) < 200
    assert shown("plain") == "'plain'"
