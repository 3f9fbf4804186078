from __future__ import annotations

import pytest

from disco2.errors import LayerError
from disco2.parser.arguments import (
    ParsedSentence,
    anchor_clause,
    anchor_connective,
    arg1_boundaries,
    arg2_boundaries,
)
from disco2.parser.connectives import ConnectiveCandidate, ConnectiveList
from disco2.parser.features import clause_candidates, clause_features, feature_names
from tests.parser.made_up import document

SENTENCE = ParsedSentence(document(), 0)


def test_an_anchor_knows_the_clauses_it_joins() -> None:
    anchor = anchor_connective(SENTENCE, ConnectiveCandidate("because", (2,)))
    assert (anchor.start, anchor.end, anchor.link) == (2, 3, "mark")
    assert (anchor.second, anchor.first) == (4, 1)


def test_the_right_spans_are_among_the_candidates() -> None:
    anchor = anchor_connective(SENTENCE, ConnectiveCandidate("because", (2,)))
    begins, ends = arg2_boundaries(anchor)
    assert begins[0] == 2
    assert ends[-1] == 6
    begins, ends, pairs = arg1_boundaries(anchor, (2, 6))
    assert (0, 2) in pairs
    assert all(begin in begins and end in ends and begin < end for begin, end in pairs)


def test_parts_of_a_connective_head_arg2() -> None:
    first = anchor_connective(SENTENCE, ConnectiveCandidate("because ... rained", (2, 4)))
    assert (first.start, first.end, first.other) == (2, 3, (4, 5))
    last = anchor_connective(SENTENCE, ConnectiveCandidate("left ... it", (1, 3)))
    assert (last.start, last.end, last.other) == (3, 4, (1, 2))


def test_arg1_may_begin_behind_the_other_part_but_not_in_it() -> None:
    anchor = anchor_connective(SENTENCE, ConnectiveCandidate("we left ... it", (0, 1, 3)))
    _, _, pairs = arg1_boundaries(anchor, (3, 6))
    assert (2, 3) in pairs
    assert not any(begin < 2 or 0 < end <= 2 for begin, end in pairs)


def test_a_clause_without_a_connective_begins_where_it_is_anchored() -> None:
    anchor = anchor_clause(SENTENCE, 2)
    assert anchor.name == "(advcl)"
    assert arg2_boundaries(anchor) == ([2], [3, 4, 6])
    places = [one.start for one in clause_candidates(SENTENCE)]
    assert 2 in places
    features = feature_names(clause_features(anchor, ConnectiveList({}, frozenset()), [2], []))
    assert "stated 1" in features
    assert "link advcl left" in features


def test_layout_of_a_sentence() -> None:
    assert SENTENCE.left == [0, 0, 2, 3, 2, 5]
    assert SENTENCE.right == [1, 6, 3, 4, 5, 6]
    assert SENTENCE.dependents[1] == [0, 4, 5]
    assert SENTENCE.has_subject(1)
    assert SENTENCE.head_of([2, 3, 4]) == 4
    assert [SENTENCE.labels[node] for node in SENTENCE.leaf] == ["NP", "VP", "SBAR", "NP", "VP", "S"]


def test_phrases_over_words() -> None:
    node, exact = SENTENCE.phrase_over(2, 5)
    assert (SENTENCE.labels[node], exact) == ("SBAR", True)
    node, exact = SENTENCE.phrase_over(2, 4)
    assert (SENTENCE.labels[node], exact) == ("SBAR", False)


def test_units_end_behind_closing_marks() -> None:
    assert SENTENCE.behind == [0, 1, 2, 3, 4, 6, 6]
    assert SENTENCE.boundaries == (0, 1, 2, 3, 4, 6)


def test_a_sentence_without_trees_is_refused() -> None:
    with pytest.raises(LayerError, match="no phrases"):
        ParsedSentence(document(trees=False), 0)
