from __future__ import annotations

import pytest

from disco2.errors import LayerError
from disco2.parser.arguments import ParsedSentence
from tests.parser.made_up import document


def test_layout_of_a_sentence() -> None:
    sentence = ParsedSentence(document(), 0)
    assert sentence.left == [0, 0, 2, 3, 2, 5]
    assert sentence.right == [1, 6, 3, 4, 5, 6]
    assert sentence.dependents[1] == [0, 4, 5]
    assert sentence.has_subject(1)
    assert sentence.head_of([2, 3, 4]) == 4
    assert [sentence.labels[node] for node in sentence.leaf] == ["NP", "VP", "SBAR", "NP", "VP", "S"]


def test_phrases_over_words() -> None:
    sentence = ParsedSentence(document(), 0)
    node, exact = sentence.phrase_over(2, 5)
    assert (sentence.labels[node], exact) == ("SBAR", True)
    node, exact = sentence.phrase_over(2, 4)
    assert (sentence.labels[node], exact) == ("SBAR", False)


def test_units_end_behind_closing_marks() -> None:
    sentence = ParsedSentence(document(), 0)
    assert sentence.behind == [0, 1, 2, 3, 4, 6, 6]
    assert sentence.boundaries == (0, 1, 2, 3, 4, 6)


def test_a_sentence_without_trees_is_refused() -> None:
    with pytest.raises(LayerError, match="no phrases"):
        ParsedSentence(document(trees=False), 0)
