"""Chains, tokens, tags, dependencies and brackets against gold ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.annotator.scores import (
    Chains,
    ParsedText,
    Score,
    b_cubed,
    ceaf_entities,
    evaluate_brackets,
    mention_detection,
    muc,
    score_coreference,
    syntax_scores,
)

# "Ann can't see. Bob can."  cut as in the treebank
GOLD = ParsedText(
    tokens=[(0, 3), (4, 6), (6, 9), (10, 13), (13, 14), (15, 18), (19, 22), (22, 23)],
    sentences=[(0, 5), (5, 8)],
    tags=["NNP", "MD", "RB", "VB", ".", "NNP", "MD", "."],
    heads=[3, 3, 3, -1, 3, 6, -1, 6],
    labels=["nsubj", "aux", "advmod", "root", "punct", "nsubj", "root", "punct"],
)
# and with "can't" as one token, all in one sentence, "Bob" under "see", the last tag wrong
FOUND = ParsedText(
    tokens=[(0, 3), (4, 9), (10, 13), (13, 14), (15, 18), (19, 22), (22, 23)],
    sentences=[(0, 7)],
    tags=["NNP", "MD", "VB", ".", "NNP", "MD", ":"],
    heads=[2, 2, -1, 2, 2, 2, 5],
    labels=["nsubj", "aux", "root", "punct", "nsubj", "root", "dep"],
)


def test_a_worked_example() -> None:
    scores = syntax_scores([GOLD], [FOUND])
    assert scores.tokens == pytest.approx(2 * 6 / 15)
    assert scores.sentences == 0
    assert scores.tags == pytest.approx(2 * 5 / 15)
    assert scores.unlabelled == pytest.approx(2 * 4 / 15)  # Ann, see, its full stop, the last full stop
    assert scores.labelled == pytest.approx(2 * 3 / 15)


def test_a_head_counts_only_where_it_is_a_token_of_both() -> None:
    gold = ParsedText([(0, 1), (1, 3)], [(0, 2)], ["A", "B"], [1, -1], ["x", "root"])
    found = ParsedText([(0, 1), (1, 2), (2, 3)], [(0, 3)], ["A", "B", "B"], [1, -1, 1], ["x", "root", "y"])
    scores = syntax_scores([gold], [found])
    assert scores.tokens == pytest.approx(2 / 5)
    assert scores.sentences == 1
    assert scores.unlabelled == 0


def test_nothing_to_find_is_found() -> None:
    empty = ParsedText([], [], [], [], [])
    assert syntax_scores([empty], [empty]).tokens == 1
    assert syntax_scores([], []).labelled == 1


@st.composite
def tagged_twice(draw: st.DrawFn) -> tuple[ParsedText, ParsedText]:
    """The same tokens with two analyses."""
    count = draw(st.integers(1, 8))
    spans = [(index, index + 1) for index in range(count)]

    def analysis() -> ParsedText:
        heads = draw(st.lists(st.integers(-1, count - 1), min_size=count, max_size=count))
        tags = draw(st.lists(st.sampled_from("AB"), min_size=count, max_size=count))
        labels = draw(st.lists(st.sampled_from("xy"), min_size=count, max_size=count))
        return ParsedText(spans, [(0, count)], tags, heads, labels)

    return analysis(), analysis()


@given(tagged_twice())
def test_on_the_same_tokens_these_are_accuracies(texts: tuple[ParsedText, ParsedText]) -> None:
    gold, found = texts
    scores = syntax_scores([gold], [found])
    count = len(gold.tokens)
    same_head = [a == b for a, b in zip(gold.heads, found.heads, strict=True)]
    same_label = [a == b for a, b in zip(gold.labels, found.labels, strict=True)]
    assert scores.tags == pytest.approx(
        sum(a == b for a, b in zip(gold.tags, found.tags, strict=True)) / count
    )
    assert scores.unlabelled == pytest.approx(sum(same_head) / count)
    assert scores.labelled == pytest.approx(
        sum(head and label for head, label in zip(same_head, same_label, strict=True)) / count
    )


BRACKETS = [("S", 0, 5), ("NP", 0, 1), ("VP", 1, 4), ("NP", 2, 4)]


def test_one_wrong_label_and_one_wrong_span() -> None:
    predicted = [("S", 0, 5), ("NP", 0, 1), ("VP", 1, 5), ("PP", 2, 4), ("NP", 3, 4)]
    found = evaluate_brackets([BRACKETS], [predicted])
    assert found.labelled == Score(2, 4, 2, 5)
    assert found.labelled.precision == pytest.approx(2 / 5)
    assert found.labelled.recall == pytest.approx(2 / 4)
    assert found.labelled.f1 == pytest.approx(4 / 9)
    assert found.unlabelled.recall_part == 3
    assert found.exact == 0


def test_unary_chains_count_as_often_as_they_occur() -> None:
    gold = [[("S", 0, 2), ("VP", 0, 2), ("NP", 1, 2), ("NP", 1, 2)]]
    predicted = [[("VP", 0, 2), ("NP", 1, 2)]]
    found = evaluate_brackets(gold, predicted)
    assert found.labelled == Score(2, 4, 2, 2)
    assert found.unlabelled.recall_part == 2


def test_root_and_flat_modifiers_are_left_out() -> None:
    found = evaluate_brackets([[("ROOT", 0, 5), *BRACKETS]], [[*BRACKETS, ("NML", 2, 3), ("TOP", 0, 5)]])
    assert found.labelled.f1 == 1.0
    assert found.exact == 1


def test_counts_are_summed_over_sentences() -> None:
    found = evaluate_brackets([BRACKETS, [("NP", 0, 1)]], [BRACKETS, [("INTJ", 0, 1)]])
    assert found.labelled.f1 == pytest.approx(8 / 10)
    assert found.unlabelled.f1 == 1.0
    assert (found.exact, found.sentences) == (1, 2)


def test_nothing_to_divide_by_gives_zero() -> None:
    assert evaluate_brackets([[]], [[]]).labelled.f1 == evaluate_brackets([], []).labelled.f1 == 0.0


MEASURES = (mention_detection, muc, b_cubed, ceaf_entities)


def chains(*words: str) -> Chains:
    """Chains of one-letter mentions: ``chains("ab", "c")``."""
    return [set(word) for word in words]


def values(score: Score) -> tuple[float, float, float]:
    return score.recall, score.precision, score.f1


# Pradhan et al. (2014), "Scoring Coreference Partitions of Predicted Mentions", section 4.
PAPER = chains("abc", "defg"), chains("ab", "cd", "fghi")
# The cases TC-A of the reference scorer: a key with a singleton, mentions missing, mentions made up.
KEY = chains("a", "bc", "def")
MISSING = KEY, chains("a", "de")
EXTRA = KEY, chains("a", "bcg", "defh", "i")
MIXED = KEY, chains("a", "bcg", "fh", "i")


@pytest.mark.parametrize(
    ("measure", "case", "expected"),
    [
        (muc, PAPER, (2 / 5, 2 / 5)),
        (muc, MISSING, (1 / 3, 1)),
        (muc, EXTRA, (1, 3 / 5)),
        (muc, MIXED, (1 / 3, 1 / 3)),
        (b_cubed, PAPER, (35 / 12 / 7, 1 / 2)),
        (b_cubed, MISSING, (7 / 3 / 6, 1)),
        (b_cubed, EXTRA, (1, (4 + 7 / 12) / 9)),
        (b_cubed, MIXED, (5 / 9, 17 / 42)),
        (ceaf_entities, PAPER, (0.65, 1.3 / 3)),
        (ceaf_entities, MISSING, (0.6, 0.9)),
        (ceaf_entities, EXTRA, (0.88571, 0.66429)),
        (ceaf_entities, MIXED, (0.73333, 0.55)),
    ],
)
def test_the_reference_cases(
    measure: Callable[[Chains, Chains], Score], case: tuple[Chains, Chains], expected: tuple[float, float]
) -> None:
    recall, precision = expected
    f1 = 2 * precision * recall / (precision + recall)
    assert values(measure(*case)) == pytest.approx((recall, precision, f1), abs=1e-5)


def test_documents_are_summed_before_dividing() -> None:
    scores = score_coreference([PAPER, MISSING])
    assert scores.muc.recall == pytest.approx((2 + 1) / (5 + 3))
    assert scores.muc.precision == pytest.approx((2 + 1) / (5 + 1))
    assert scores.ceaf.recall == pytest.approx((1.3 + 1.8) / (2 + 3))
    assert scores.mean == pytest.approx((scores.muc.f1 + scores.b_cubed.f1 + scores.ceaf.f1) / 3)


def test_nothing_to_score_scores_nothing() -> None:
    scores = score_coreference([])
    assert scores.mean == 0.0
    assert score_coreference([([], [])]).mean == 0.0
    assert values(b_cubed(chains("ab"), [])) == (0.0, 0.0, 0.0)
    assert values(ceaf_entities([], chains("ab"))) == (0.0, 0.0, 0.0)


@st.composite
def partitions(draw: st.DrawFn) -> Chains:
    """Chains over some of ten mentions."""
    places = draw(st.lists(st.integers(0, 5), min_size=10, max_size=10))
    found = [{mention for mention, place in enumerate(places) if place == number} for number in range(5)]
    return [chain for chain in found if chain]


@given(partitions(), partitions())
def test_exchanging_the_sides_exchanges_recall_and_precision(first: Chains, second: Chains) -> None:
    for measure in MEASURES:
        there, back = measure(first, second), measure(second, first)
        assert (there.recall, there.precision) == pytest.approx((back.precision, back.recall))
        assert 0 <= there.recall <= 1 + 1e-12


@given(partitions())
def test_the_same_chains_in_another_order_are_perfect(gold: Chains) -> None:
    links = any(len(chain) > 1 for chain in gold)
    for measure in MEASURES:
        expected = 1.0 if gold and (links or measure is not muc) else 0.0
        assert values(measure(gold, gold[::-1])) == pytest.approx((expected,) * 3)
