"""Annotators and predictions see the same paragraphs, whatever the text's blank lines are made of."""

from __future__ import annotations

import pytest

from disco2.inference.pipeline import Pipeline


@pytest.mark.parametrize(
    "blank", ["\n\n", "\r\n\r\n", "\n\x00\n", "\n \x1f\t\n", "\n\ufeff\n", "\u2029", "\u2028\u2028"]
)
def test_no_pair_across_a_blank_line(pipeline: Pipeline, blank: str) -> None:
    text = f"It rained. Bob ran.{blank}We left. Tina slept."
    assert [(one.arg1.text, one.arg2.text) for one in pipeline(text)] == [
        ("It rained.", "Bob ran."),
        ("We left.", "Tina slept."),
    ]


@pytest.mark.parametrize("space", ["\n", "\r\n", "\x00", "\n\x00", "\u2028"])
def test_a_line_end_parts_no_pair(pipeline: Pipeline, space: str) -> None:
    assert len(pipeline(f"It rained.{space}We left.")) == 1
