"""Automatic coreference against gold, on a made-up document."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disco2.data import Document, Mention, Sentence, Token
from disco2.experiments.annotators import coreference_quality
from tests.data.test_tree import bob_and_tina
from tests.strategies import relation

RELATION = relation(tuple(range(6)), tuple(range(6, 10)))
TINA, BURGER, SHE = Mention(2, 3, 2, "t"), Mention(3, 5, 4, "t"), Mention(6, 7, 6, "t")


def test_chains_pairs_and_shares() -> None:
    gold = replace(bob_and_tina(), mentions=(TINA, SHE))
    automatic = replace(bob_and_tina(), mentions=(TINA, BURGER, SHE))
    found = coreference_quality({"d": gold}, {"d": automatic}, [RELATION], [RELATION])
    assert found["aligned_pairs"]["heads"] == {
        "precision": 0.5,
        "recall": 1.0,
        "f1": pytest.approx(2 / 3),
        "gold": 1,
        "automatic": 2,
    }
    assert found["relations"] == 1
    assert found["shared_entities"] == {"gold": 1.0, "automatic": 1.0, "both": 1.0}
    assert found["chains"]["muc"]["recall"] == 1.0
    assert found["chains"]["muc"]["precision"] == 0.5
    assert 0 < found["chains"]["mean"] < 1


def test_a_cut_mention_counts_by_its_head_only() -> None:
    gold = replace(bob_and_tina(), mentions=(BURGER, SHE))
    automatic = replace(bob_and_tina(), mentions=(replace(BURGER, start=4), SHE))
    found = coreference_quality({"d": gold}, {"d": automatic}, [RELATION], [RELATION])
    pairs = found["aligned_pairs"]
    assert (pairs["heads"]["recall"], pairs["spans"]["recall"]) == (1.0, 0.0)


def test_other_tokens_on_the_same_text_are_compared_by_characters() -> None:
    gold = replace(bob_and_tina(), mentions=(TINA, SHE))
    # The same text with "Bob gave" as one token.
    first, second = gold.tokens[0], gold.tokens[1]
    joined = Token("Bob gave", first.start, second.end)
    automatic = Document(
        "d",
        gold.text,
        (joined, *gold.tokens[2:]),
        (Sentence(0, 5), Sentence(5, 9)),
        (Mention(1, 2, 1, "x"), Mention(5, 6, 5, "x")),
    )
    moved = relation(tuple(range(5)), tuple(range(5, 9)))
    found = coreference_quality({"d": gold}, {"d": automatic}, [RELATION], [moved])
    assert found["aligned_pairs"]["spans"]["f1"] == 1.0
    assert found["chains"]["mean"] == pytest.approx(1.0)
