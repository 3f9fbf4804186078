"""Any text gives exact offsets and probabilities, or a clear error."""

from __future__ import annotations

import itertools
import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from disco2.annotation.cache import document_to_json, parse_annotated
from disco2.errors import InputError
from disco2.inference.pipeline import Pipeline
from disco2.inference.plain_text import has_word, without_controls
from disco2.inference.prediction import read_schema, text_result

ANYTHING = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
WORDS = ("Bob", "Tina", "she", "he", "But", "So", "rained")
SEPARATORS = ("\n\n", "\r\n", ". ", "! ", "\x00", "\U0001f600", ", ", " ")
PROSE = st.lists(st.sampled_from((*WORDS, *SEPARATORS)), max_size=40).map("".join)
VALIDATOR = Draft202012Validator(read_schema())
QUICK = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@QUICK
@given(st.one_of(ANYTHING, PROSE))
def test_any_running_text(small: Pipeline, text: str) -> None:
    document = small.annotate(text)
    assert document.text == text
    assert parse_annotated(json.dumps(document_to_json(document)), where="x")[0] == document
    found = small.relations(document, norel=True)
    assert [one.index for one in found] == list(range(len(found)))
    places = [(one.connective_span or one.arg2).start for one in found]
    assert places == sorted(places)
    for one in found:
        assert one.probability == max(one.probabilities.values()) == one.probabilities[one.sense]
        assert 0 <= one.presence <= 1
        parts = [*one.arg1.pieces, *one.arg2.pieces]
        parts += one.connective_span.pieces if one.connective_span else ()
        assert all(text[part.start : part.end] == part.text for part in parts)
        parts.sort(key=lambda part: part.start)
        assert all(before.end <= behind.start for before, behind in itertools.pairwise(parts))
        assert math.isclose(sum(one.probabilities.values()), 1)
        for entity in one.entities:
            assert all(one.arg1.start <= span.start < span.end <= one.arg1.end for span in entity.arg1)
            assert all(one.arg2.start <= span.start < span.end <= one.arg2.end for span in entity.arg2)
    VALIDATOR.validate(text_result(small, document, found, list(small.explain_many(found))))


@QUICK
@given(st.one_of(ANYTHING, PROSE), st.one_of(ANYTHING, PROSE))
def test_any_pair(small: Pipeline, arg1: str, arg2: str) -> None:
    try:
        found = small.classify(arg1, arg2)
    except InputError as error:
        assert not (has_word(arg1) and has_word(arg2)) or "no token" in str(error)  # noqa: PT017
        return
    assert (found.arg1.text, found.arg2.text) == (arg1, arg2)
    assert found.sense in small.senses
    for entity in found.entities:
        assert all(arg1[span.start : span.end] == span.text for span in entity.arg1)
        assert all(arg2[span.start : span.end] == span.text for span in entity.arg2)


@QUICK
@given(ANYTHING)
def test_control_characters_become_spaces_of_the_same_length(text: str) -> None:
    cleaned = without_controls(text)
    assert len(cleaned) == len(text)
    assert all(one == other or other == " " for one, other in zip(text, cleaned, strict=True))
    assert without_controls("a\x00b\tc\r\nd\x85") == "a b\tc\r\nd\x85"


def test_a_sentence_of_two_thousand_words(pipeline: Pipeline) -> None:
    long = "and then Bob saw the old house on the hill " * 225
    found = pipeline(f"It rained. {long}\n\nPrices rose. Tina slept.")
    assert found[-1].arg1.text == "Prices rose."
    answer = pipeline.classify("It rained.", long)
    assert answer.sense in pipeline.senses


def test_half_a_character(pipeline: Pipeline) -> None:
    """What a decoder that looks away leaves of invalid UTF-8."""
    text = b"It rained\xff. We left.".decode("utf-8", errors="surrogateescape")
    with pytest.raises(InputError, match=r"Character 9 .* half of a character"):
        pipeline(text)
    with pytest.raises(InputError, match="half of a character"):
        pipeline.classify("It rained.", text)
