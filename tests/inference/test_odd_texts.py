"""Text that nobody tidied: each kind gives a clear result or a clear error."""

from __future__ import annotations

import pytest

from disco2.errors import InputError
from disco2.inference.pipeline import Pipeline
from disco2.model.bilinear import LISTED


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\t \r\n"])
def test_empty_text(pipeline: Pipeline, text: str) -> None:
    assert pipeline(text) == []


def test_a_sentence_of_two_thousand_words(pipeline: Pipeline) -> None:
    long = "and then Bob saw the old house on the hill " * 225
    found = pipeline(f"It rained. {long}\n\nPrices rose. Tina slept.")
    assert found[-1].arg1.text == "Prices rose."
    answer = pipeline.classify("It rained.", long)
    assert answer.sense in pipeline.senses


def test_emoji_and_combining_marks(pipeline: Pipeline) -> None:
    happy = "Tina was happy \U0001f600\U0001f469\u200d\U0001f52c."
    text = f"{happy} Bob ate a cre\u0300me bru\u0302le\u0301e \U0001f1ee\U0001f1f9!"
    found = pipeline(text)
    assert [one.arg1.start for one in found] == [0]
    assert pipeline("\U0001f600 \U0001f600\U0001f3fd \u0301\u0301\u0301") == []


def test_nul_bytes(pipeline: Pipeline) -> None:
    """They are kept in the text and its offsets, and no annotator sees them."""
    text = "Bob\x00gave Tina the burger.\x00 She was\x00 hungry.\x00"
    found = pipeline(text)
    assert [(one.arg1.text[:8], one.arg2.text[:3]) for one in found] == [("Bob\x00gave", "She")]
    assert pipeline.classify("It \x00rained.", "We\x00 left.").arg1.text == "It \x00rained."
    assert pipeline("\x00\x00") == []


def test_half_a_character(pipeline: Pipeline) -> None:
    """What a decoder that looks away leaves of invalid UTF-8."""
    text = b"It rained\xff. We left.".decode("utf-8", errors="surrogateescape")
    with pytest.raises(InputError, match=r"Character 9 .* half of a character"):
        pipeline(text)
    with pytest.raises(InputError, match="half of a character"):
        pipeline.classify("It rained.", text)


def test_hundreds_of_mentions_on_each_side(small: Pipeline) -> None:
    """All pairs of them are aligned; the explanation of so many stays short."""
    answer = small.classify("Bob " * 300, "Bob " * 300)
    assert len(answer.entities[0].arg1) == 300
    explanation = small.explain(answer)
    assert len(explanation.pairs) == LISTED**2
    assert [others.count for others in explanation.other_pairs] == [90_000 - LISTED**2]
