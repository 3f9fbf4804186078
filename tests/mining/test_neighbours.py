"""Pairs of neighbouring sentences, the second of which opened with a connective."""

from __future__ import annotations

import pytest

from disco2.annotation.annotator import Annotator
from disco2.corpora.protocols import HeldOutSentences
from disco2.mining.miner import Miner, MiningSettings
from tests.mining.conftest import Mine


@pytest.mark.parametrize(
    ("second", "connective", "sense", "arg2"),
    [
        ("However, nobody came.", "however", "Comparison.Concession.Arg2-as-denier", "Nobody came."),
        ("But nobody came.", "but", "Comparison.Concession.Arg2-as-denier", "Nobody came."),
        ("Therefore, they went home.", "therefore", "Contingency.Cause.Result", "They went home."),
        ("As a result, the guests left.", "as a result", "Contingency.Cause.Result", "The guests left."),
        ("For example, Ann sang.", "for example", "Expansion.Instantiation.Arg2-as-instance", "Ann sang."),
        ("Then the band played.", "then", "Temporal.Asynchronous.Precedence", "The band played."),
        ("And then the band played.", "and then", "Temporal.Asynchronous.Precedence", "The band played."),
        ("Meanwhile, the band played.", "meanwhile", "Temporal.Synchronous", "The band played."),
        ("In other words, it was dull.", "in other words", "Expansion.Equivalence", "It was dull."),
        ("Instead, they went home.", "instead", "Expansion.Substitution.Arg2-as-subst", "They went home."),
        ("Because it was late.", "because", "Contingency.Cause.Reason", "It was late."),
    ],
)
def test_a_connective(mine: Mine, second: str, connective: str, sense: str, arg2: str) -> None:
    (pair,) = mine(f"The party was over. {second}")
    assert (pair.connective, pair.label, pair.place) == (connective, sense, "between")
    assert (pair.arg1, pair.arg2) == ("The party was over.", arg2)


@pytest.mark.parametrize(
    "text",
    [
        "However, nobody came to the party.",  # nothing before it
        "What a party! However, nobody came.",
        "The party was over. However, why did they come?",
        "The party was over. However hard he tried, he lost.",
        "The party was over. But for the noise, it was fine.",
        "The party was over. And it was late.",  # "and" tells nothing
        "The party was over. Then came the rain.",
        'The party was over. "However, nobody came."',
        "The party of the year. However, nobody came.",  # no verb
    ],
)
def test_what_is_left_out(mine: Mine, text: str) -> None:
    assert mine(text, place="between") == []


def test_a_paragraph_ends_it(syntax: Annotator) -> None:
    miner = Miner(syntax, MiningSettings(least_words=2), HeldOutSentences())
    assert list(miner.pairs(["The party was over.", "However, nobody came."])) == []


def test_a_connective_before_the_first_sentence_goes_too(mine: Mine) -> None:
    pairs = mine("It was late. Therefore, the party was over. However, nobody left the house.")
    assert [(pair.arg1, pair.arg2) for pair in pairs] == [
        ("It was late.", "The party was over."),
        ("The party was over.", "Nobody left the house."),
    ]
