"""Pairs inside a sentence and of two neighbours: every pattern, and what must be left out."""

from __future__ import annotations

import pytest

from disco2.data.senses import PDTB3
from disco2.mining.clauses import _JOINERS, sense_of_subordinator, write_sentence
from disco2.parser.connectives import OPENERS
from tests.mining.conftest import Mine

PAIRS = [
    # Subordinate clauses behind the main one, and before it.
    ("We stayed at home because it rained.", "because", "Contingency.Cause.Reason"),
    ("Because the road was wet, we drove slowly.", "because", "Contingency.Cause.Result"),
    ("We went out although it rained.", "although", "Comparison.Concession.Arg1-as-denier"),
    ("Although she was ill, she came to work.", "although", "Comparison.Concession.Arg2-as-denier"),
    ("Even if it rains, we will go.", "even if", "Comparison.Concession.Arg2-as-denier"),
    ("The north is dry, whereas the south is wet.", "whereas", "Comparison.Contrast"),
    ("The bus will stop if you press the button.", "if", "Contingency.Condition.Arg2-as-cond"),
    ("If you press the button, the bus will stop.", "if", "Contingency.Condition.Arg1-as-cond"),
    ("Unless he works hard, he will fail.", "unless", "Contingency.Negative-condition.Arg1-as-negCond"),
    ("After she went home, they washed the dishes.", "after", "Temporal.Asynchronous.Precedence"),
    ("She closed the door before the dog escaped.", "before", "Temporal.Asynchronous.Precedence"),
    ("The children waited until the bell rang.", "until", "Temporal.Asynchronous.Precedence"),
    ("Once the rain stopped, we went out.", "once", "Temporal.Asynchronous.Precedence"),
    ("As soon as the rain stopped, they went out.", "as soon as", "Temporal.Asynchronous.Precedence"),
    ("He was afraid, for the night was dark.", "for", "Contingency.Cause.Reason"),
    # Ambiguous ones, where the clauses decide.
    ("Since the shop is closed, we will eat at home.", "since", "Contingency.Cause.Result"),
    ("He was reading when she opened the door.", "when", "Temporal.Synchronous"),
    ("While she was sleeping, he wrote a letter.", "while", "Temporal.Synchronous"),
    ("The kitchen is small, while the garden is huge.", "while", "Comparison.Contrast"),
    ("He sold the car so that he could pay the rent.", "so that", "Contingency.Purpose.Arg2-as-goal"),
    # Coordinated main clauses.
    ("The train was late, but nobody complained.", "but", "Comparison.Concession.Arg2-as-denier"),
    ("The house was old, and yet they liked it.", "and yet", "Comparison.Concession.Arg2-as-denier"),
    ("He was tired, so he went to bed.", "so", "Contingency.Cause.Result"),
    ("He ate the soup, and then he went to bed.", "and then", "Temporal.Asynchronous.Precedence"),
    ("The walls are white and the floor is black.", "and", "Expansion.Conjunction"),
    ("You must hurry, or you will miss the train.", "or", "Contingency.Negative-condition.Arg1-as-negCond"),
    ("He was ill; therefore, he stayed at home.", "therefore", "Contingency.Cause.Result"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "connective", "sense"), PAIRS)
def test_a_pattern(mine: Mine, text: str, connective: str, sense: str) -> None:
    (pair,) = mine(text)
    assert (pair.connective, pair.label, pair.place) == (connective, sense, "inside")
    assert [one[0].isupper() and one.endswith(".") for one in (pair.arg1, pair.arg2)] == [True, True]
    words = f"{pair.arg1} {pair.arg2}".lower().replace(".", "").split()
    removed = text.lower().translate(str.maketrans("", "", ".,;")).split()
    for word in words:
        removed.remove(word)
    assert removed == connective.split()


def test_the_order_is_that_of_the_text(mine: Mine) -> None:
    (pair,) = mine("Although it rained, we left the house.")
    assert (pair.arg1, pair.arg2) == ("It rained.", "We left the house.")
    (pair,) = mine("We left the house although it rained.")
    assert (pair.arg1, pair.arg2) == ("We left the house.", "It rained.")


def test_a_sentence_may_hold_two_pairs(mine: Mine) -> None:
    pairs = mine("She was tired, but she stayed because the music was good.")
    assert {(pair.arg1, pair.arg2) for pair in pairs} >= {("She stayed.", "The music was good.")}
    assert {pair.connective for pair in pairs} == {"but", "because"}


def test_what_links_to_an_earlier_sentence_goes_too(mine: Mine) -> None:
    (pair,) = mine("However, we stayed at home because it rained.", place="inside")
    assert pair.arg1 == "We stayed at home."
    (pair,) = mine("If it rains, then we will stay at home.")
    assert pair.arg2 == "We will stay at home."


def test_quotation_marks_around_a_sentence_go(mine: Mine) -> None:
    (pair,) = mine('"We stayed at home because it rained."')
    assert (pair.arg1, pair.arg2) == ("We stayed at home.", "It rained.")


@pytest.mark.parametrize(
    "text",
    [
        "We stayed at home because of the heavy rain.",  # no clause
        "He came in and sat down on the chair.",  # no second subject
        "Did you stay at home because it rained?",
        '"We stayed at home," he said, "because it rained."',
        "He left the house only because it rained.",  # the focus would be lost
        "She asked if the train was late.",
        "If you please, we will wait here.",
        "The day was coming when everything would change.",
        "He has lived in the city since he left school.",  # of time
        "He smiled when she opened the door.",  # together, or one after the other
        "Not only was he late, but he forgot the keys.",
        "The shop (because it was Sunday) was closed.",
        "He opened the door and she came in.",  # events: "and" tells nothing
        "She smiled when he was going to sing.",  # not going on yet
        "So far the team has won all its games.",
        "Two days after he left, the letter came.",
    ],
)
def test_what_is_left_out(mine: Mine, text: str) -> None:
    assert mine(text) == []


def test_a_sentence_of_its_own() -> None:
    assert write_sentence("it rained") == "It rained."
    assert write_sentence("Ann 's dog did n't bark") == "Ann's dog didn't bark."
    assert write_sentence("he came at 5 p.m.") == "He came at 5 p.m."
    for text in (
        'he said "no',
        "he came (late",
        "see: it works",
        "it rained... and",
        ", it rained",
        "a_b is",
        "4. Results it is",
    ):
        assert write_sentence(text) == ""


def test_every_sense_is_one_of_pdtb_3() -> None:
    mined = {sense_of_subordinator(name, first=first) for name in _JOINERS for first in (True, False)}
    assert {*OPENERS.values(), *mined} - {""} <= set(PDTB3)


@pytest.mark.parametrize(
    ("second", "connective", "sense", "arg2"),
    [
        ("However, nobody came.", "however", "Comparison.Concession.Arg2-as-denier", "Nobody came."),
        ("But nobody came.", "but", "Comparison.Concession.Arg2-as-denier", "Nobody came."),
        ("As a result, the guests left.", "as a result", "Contingency.Cause.Result", "The guests left."),
        ("For example, Ann sang.", "for example", "Expansion.Instantiation.Arg2-as-instance", "Ann sang."),
        ("Then the band played.", "then", "Temporal.Asynchronous.Precedence", "The band played."),
        ("And then the band played.", "and then", "Temporal.Asynchronous.Precedence", "The band played."),
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
def test_neighbours_that_are_left_out(mine: Mine, text: str) -> None:
    assert mine(text, place="between") == []


def test_a_connective_before_the_first_sentence_goes_too(mine: Mine) -> None:
    pairs = mine("It was late. Therefore, the party was over. However, nobody left the house.")
    assert [(pair.arg1, pair.arg2) for pair in pairs] == [
        ("It was late.", "The party was over."),
        ("The party was over.", "Nobody left the house."),
    ]
