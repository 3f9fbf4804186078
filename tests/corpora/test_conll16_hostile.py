"""CoNLL-16 files that nobody writes in good faith: nothing is guessed, and nothing grows beyond the files."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from disco2.corpora.conll16 import read_conll16
from tests.corpora.test_conll16 import RAW, parses, relation, span, write
from tests.fuzzing.target import limits


def test_tokens_in_another_order_than_their_text_are_given_one(tmp_path: Path) -> None:
    entries = parses()
    words = entries["wsj_9901"]["sentences"][2]["words"]
    words[0], words[1] = words[1], words[0]
    document = read_conll16(write(tmp_path, [relation(1)], entries=entries)).documents["wsj_9901"]
    starts = [token.start for token in document.tokens]
    assert starts == sorted(starts)
    assert document.words(range(11, 14)) == ["ran", "Dogs", "."]


def test_a_token_that_begins_inside_another_and_goes_on_is_moved(tmp_path: Path) -> None:
    entries = parses()
    entries["wsj_9901"]["sentences"][1]["words"][2][1]["CharacterOffsetBegin"] -= 1
    corpus = read_conll16(write(tmp_path, [relation(1)], entries=entries))
    assert corpus.issues.counts()["text does not fit its tokens"] == 1
    tokens = corpus.documents["wsj_9901"].tokens
    assert all(one.end <= other.start for one, other in pairwise(tokens))


def test_words_that_claim_the_whole_text_do_not_get_it(tmp_path: Path) -> None:
    entries = parses()
    words = [["a", {"CharacterOffsetBegin": at, "CharacterOffsetEnd": 90_000 + at}] for at in range(5_000)]
    entries["wsj_9901"]["sentences"].append({"words": words})
    with limits(1_000_000):
        corpus = read_conll16(write(tmp_path, [relation(1)], raw=RAW + "x" * 100_000, entries=entries))
    assert corpus.issues.counts()["text does not fit its tokens"] == 1
    assert len(corpus.documents["wsj_9901"].text) < 20_000


def test_offsets_far_apart_do_not_become_spaces(tmp_path: Path) -> None:
    entries = parses()
    words = [
        ["a", {"CharacterOffsetBegin": at, "CharacterOffsetEnd": at + 1}] for at in range(100, 10**8, 9_000)
    ]
    entries["wsj_9901"]["sentences"].append({"words": words})
    corpus = read_conll16(write(tmp_path, [relation(1)], raw=None, entries=entries))
    assert len(corpus.documents["wsj_9901"].text) < 50_000


@pytest.mark.parametrize(
    "word",
    [
        [" ", {"CharacterOffsetBegin": 0, "CharacterOffsetEnd": 1}],
        ["a", {"CharacterOffsetBegin": False, "CharacterOffsetEnd": True}],
    ],
)
def test_a_word_without_form_or_numbers_costs_its_document(tmp_path: Path, word: list[Any]) -> None:
    entries = {**parses(), "broken": {"sentences": [{"words": [word]}]}}
    corpus = read_conll16(write(tmp_path, [relation(1)], entries=entries))
    assert list(corpus.documents) == ["wsj_9901"]
    assert corpus.issues.counts() == {"bad document": 1, "no parse": 1}


def test_an_entrel_has_no_sense_whatever_its_line_says(tmp_path: Path) -> None:
    corpus = read_conll16(write(tmp_path, [relation(1, Type="EntRel"), relation(2)]))
    assert [one.senses for one in corpus.relations] == [(), ("Comparison.Contrast",)]
    assert corpus.issues.counts()["sense of a kind without"] == 1


def test_ten_thousand_senses_of_one_relation_are_not_all_looked_at(tmp_path: Path) -> None:
    senses = [
        "Comparison.Contrast",
        *(f"Contingency.Condition.xyzzy{number:x}" for number in range(10_000)),
        "x" * 9_999,
    ]
    with limits(0):
        corpus = read_conll16(write(tmp_path, [relation(1, Sense=senses)]), inventory_name="pdtb2")
    assert corpus.relations[0].senses == ("Comparison.Contrast",)
    assert corpus.issues.counts()["too many senses"] == 1


def test_a_sense_as_long_as_a_page_is_unknown(tmp_path: Path) -> None:
    corpus = read_conll16(
        write(tmp_path, [relation(1, Sense=["Comparison.Contrast", "x" * 5_000])]), inventory_name="pdtb2"
    )
    finding = next(found for found in corpus.issues.findings if found.kind == "unknown sense")
    assert len(finding.detail) < 200


def test_one_long_token_in_every_argument_is_not_copied_without_end(tmp_path: Path) -> None:
    entries = parses()
    entries["wsj_9901"]["sentences"].append(
        {"words": [["x" * 300_000, {"CharacterOffsetBegin": 0, "CharacterOffsetEnd": 0}]]}
    )
    lines = [relation(number, Arg1=span([14]), Arg2=span([number % 14, 14])) for number in range(2_000)]
    with limits(1_000_000):
        corpus = read_conll16(write(tmp_path, lines, raw=None, entries=entries))
    counts = corpus.issues.counts()
    assert len(corpus.relations) == 14, "all others are doubles or too much"
    assert 40 < len(corpus.relations) + counts["relation twice"] == 2_000 - counts["bad relation"] < 60


def test_a_long_name_is_not_repeated_with_every_finding(tmp_path: Path) -> None:
    broken = {"words": [["a", {"CharacterOffsetBegin": 0, "CharacterOffsetEnd": 1}]], "parsetree": "(X"}
    entries = {**parses(), "n" * 100_000: {"sentences": [broken] * 500}}
    corpus = read_conll16(write(tmp_path, [relation(1)], entries=entries))
    assert corpus.issues.counts()["bad tree"] == 500
    assert max(len(finding.where) for finding in corpus.issues.findings) < 1_000
