"""Aligned pairs by their place in the text."""

from __future__ import annotations

from dataclasses import replace

from disco2.records import Mention
from disco2.trees import MentionIndex, shared_entities
from disco2.trees.aligned import aligned_pairs
from tests.strategies import relation
from tests.trees.test_argument_tree import bob_and_tina

FIRST, SECOND = tuple(range(6)), tuple(range(6, 10))


def test_pairs_are_placed_by_their_heads_or_by_all_their_words() -> None:
    document = replace(
        bob_and_tina(), mentions=(Mention(3, 5, 4, "a"), Mention(0, 1, 0, "a"), Mention(6, 7, 6, "a"))
    )
    tokens = document.tokens
    index, related = MentionIndex(document), relation(FIRST, SECOND)
    she = (tokens[6].start, tokens[6].end)
    bob = (tokens[0].start, tokens[0].end)
    assert aligned_pairs(document, related, index) == {
        (bob, she),
        ((tokens[4].start, tokens[4].end), she),
    }
    assert aligned_pairs(document, related, index, whole=True) == {
        (bob, she),
        ((tokens[3].start, tokens[4].end), she),
    }


def test_a_mention_is_in_the_argument_that_has_its_head() -> None:
    document = replace(bob_and_tina(), mentions=(Mention(3, 5, 4, "a"), Mention(6, 7, 6, "a")))
    related = relation((0, 1, 3, 5), SECOND)
    assert aligned_pairs(document, related, MentionIndex(document)) == set()
    assert shared_entities({"d": document}, [related]) == [False]
