"""Text in, predictions out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import pytest

from disco2.errors import BundleError, InputError, SettingsError
from disco2.inference.pipeline import Pipeline
from disco2.model import RelationModel
from tests.inference.rule_annotator import RuleAnnotator
from tests.inference.small_pipeline import small_model, small_pipeline

STORY = "Bob gave Tina the burger. She was hungry. However, Bob ate it.\n\nPrices rose. It rained."


def test_every_pair_of_neighbours_within_a_paragraph(pipeline: Pipeline) -> None:
    found = pipeline(STORY, between_only=True, norel=True)
    assert [(one.arg1.text, one.arg2.text) for one in found] == [
        ("Bob gave Tina the burger.", "She was hungry."),
        ("She was hungry.", "However, Bob ate it."),
        ("Prices rose.", "It rained."),
    ]
    assert [one.index for one in found] == [0, 1, 2]


def test_kinds_and_the_outcomes_that_are_allowed(pipeline: Pipeline) -> None:
    implicit, explicit, _ = pipeline(STORY, between_only=True, norel=True)
    assert (implicit.connective, explicit.connective) == ("", "However")
    assert explicit.kind == "Explicit"
    assert set(explicit.probabilities) == set(pipeline.senses)
    assert set(implicit.probabilities) == set(pipeline.model.labels)
    for one in pipeline(STORY, between_only=True, norel=True):
        if not one.connective:
            assert one.kind == (one.sense if one.sense in ("EntRel", "NoRel") else "Implicit")


def test_given_arguments_get_a_sense(pipeline: Pipeline) -> None:
    found = pipeline.classify("It rained.", "The match was cancelled. Nobody minded.")
    assert found.kind == "Implicit"
    assert found.sense in pipeline.senses
    assert not {"EntRel", "NoRel"} & found.probabilities.keys()
    assert math.isclose(sum(found.probabilities.values()), 1)
    assert found.arg2.text == "The match was cancelled. Nobody minded."
    assert pipeline.classify("It rained.", "But we went out.").kind == "Explicit"


def test_many_texts_and_pairs_come_back_in_order_and_lazily(small: Pipeline) -> None:
    texts = [f"Bob ate {n} eggs. Tina slept." for n in range(7)]
    assert [found[0].arg1.text for found in small.pipe(texts, batch_size=3)] == [
        f"Bob ate {n} eggs." for n in range(7)
    ]
    taken = []

    def endless() -> Iterator[tuple[str, str]]:
        for n in itertools.count():
            taken.append(n)
            yield f"Bob ate {n} eggs.", "Tina slept."

    answers = list(itertools.islice(small.classify_many(endless(), batch_size=2), 3))
    assert [answer.arg1.text for answer in answers] == [f"Bob ate {n} eggs." for n in range(3)]
    assert len(taken) == 4
    alone = small.classify("Bob ate 1 eggs.", "Tina slept.")
    assert alone.sense == answers[1].sense
    assert alone.probability == pytest.approx(answers[1].probability, abs=1e-6)


@pytest.mark.parametrize("argument", ["", "  \n", "...", "!? --", "\U0001f600", "\x00"])
def test_an_argument_without_a_word_is_refused(small: Pipeline, argument: str) -> None:
    with pytest.raises(InputError, match="arg2 has no word"):
        small.classify("It rained.", argument)
    with pytest.raises(InputError, match="arg1 has no word"):
        small.classify(argument, "It rained.")


@pytest.mark.parametrize("thing", [None, 3, b"It rained.", ["It rained."]])
def test_what_is_no_text_is_refused(small: Pipeline, thing: object) -> None:
    with pytest.raises(InputError, match="text is needed"):
        small(thing)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="text is needed"):
        small.classify(thing, "It rained.")  # type: ignore[arg-type]


def test_a_model_without_senses_is_refused() -> None:
    model = small_model()
    nothing = RelationModel(model.settings, ("EntRel", "NoRel"), model.vectors, None, model.parameters)
    with pytest.raises(BundleError, match="no sense"):
        Pipeline(RuleAnnotator(), nothing)


def test_paragraphs_may_end_at_every_line_or_never(small: Pipeline) -> None:
    text = "Bob left. Tina stayed.\r\nIt rained.\r\n \r\nPrices rose."

    def pairs(paragraphs: str) -> int:
        return len(small(text, paragraphs=paragraphs, norel=True))

    assert (pairs("line"), pairs("blank"), pairs("none")) == (1, 2, 3)
    with pytest.raises(SettingsError, match="blank, line, none"):
        pairs("page")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\u2029"])
def test_no_sentence_goes_on_behind_a_line_that_is_a_paragraph(pipeline: Pipeline, end: str) -> None:
    text = f"Bob in the house{end}Bob left. Tina stayed.{end}Tina"
    many = pipeline.pipe([text], paragraphs="line", norel=True)
    for found in (pipeline(text, paragraphs="line", norel=True), *many):
        assert [(one.arg1.text, one.arg2.text) for one in found] == [("Bob left.", "Tina stayed.")]
    document = pipeline.annotate(text, paragraphs="line")
    assert document.text == text
    assert pipeline.relations(document, paragraphs="line") == pipeline(text, paragraphs="line")


def test_neighbouring_pairs_know_each_other() -> None:
    first, second = (one.source for one in small_pipeline()("Bob left. Tina stayed. It rained."))
    assert first is not None
    assert second is not None
    assert (first.previous, first.following) == (None, second.relation)
    assert (second.previous, second.following) == (first.relation, None)


PAIR = ("It rained.", "We left.")


@pytest.mark.parametrize("size", [0, -1, 1.5, "a", None, True])
def test_a_batch_has_a_whole_number_of_items(small: Pipeline, size: Any) -> None:
    with pytest.raises(InputError, match="A batch can't have"):
        list(small.pipe([PAIR[0]], batch_size=size))
    assert len(list(small.pipe([PAIR[0]], batch_size=10**30))) == 1


def test_what_is_no_list_and_no_pair(small: Pipeline) -> None:
    for things in ("It rained. We left.", b"x", None, 5):
        for many in (small.pipe, small.classify_many):
            with pytest.raises(InputError, match="Give a list"):
                list(many(things))  # type: ignore[arg-type]
    for pair in ("ab", ("a",), ("a", "b", "c"), {"arg1": "a", "arg2": "b"}, 5, None):
        with pytest.raises(InputError, match="pair1: A pair is two texts"):
            list(small.classify_many([PAIR, pair]))  # type: ignore[list-item]


@pytest.mark.parametrize(
    "blank", ["\n\n", "\r\n\r\n", "\n\x00\n", "\n \x1f\t\n", "\n\ufeff\n", "\u2029", "\u2028\u2028"]
)
def test_no_pair_across_a_blank_line_but_across_a_line_end(pipeline: Pipeline, blank: str) -> None:
    text = f"It rained. Bob ran.{blank}We left. Tina slept."
    assert [(one.arg1.text, one.arg2.text) for one in pipeline(text)] == [
        ("It rained.", "Bob ran."),
        ("We left.", "Tina slept."),
    ]
    for space in ("\n", "\r\n", "\x00", "\n\x00", "\u2028"):
        assert len(pipeline(f"It rained.{space}We left.")) == 1
