"""Training relations that contain a sentence of a dev or test part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from disco2.corpora.pairs import pair_document, read_pairs
from disco2.corpora.protocols import HeldOutSentences
from disco2.records import Relation, RelationKind

LONG = "The old miller didn't close the heavy gate of the mill."
OTHER = "A small dog barked at every car that passed."


def held_out(arg1: str = LONG, arg2: str = "It was late.") -> HeldOutSentences:
    sentences = HeldOutSentences()
    sentences.add(pair_document("held out", arg1, arg2)[0])
    return sentences


@pytest.mark.parametrize(
    ("sentence", "shared"),
    [
        (LONG, True),
        ("the old miller didn’t close the heavy gate of the mill", True),  # noqa: RUF001
        (f"They say: {LONG[:-1]}, and left.", True),  # theirs inside ours
        ("The old miller didn't close the heavy gate", True),  # ours inside theirs
        ("The old miller didn't close the", False),  # seven words
        ("The old miller didn't close the heavy door of the mill.", False),
        ("It was late.", False),
        ("", False),
    ],
)
def test_a_sentence_of_eight_words_is_found_whatever_its_case_and_punctuation(
    sentence: str, shared: bool
) -> None:
    assert held_out().holds(sentence) is shared


def test_sentences_that_are_cut_otherwise_are_found() -> None:
    sentences = held_out("The bell rang in the tower. Nobody came to the door.")
    assert sentences.holds("The bell rang in the tower, nobody came to the door.")


@pytest.mark.parametrize(("arg2", "shared"), [(f"We slept. {LONG}", True), ("We slept.", False)])
def test_a_relation_shares_what_its_arguments_lie_in(arg2: str, shared: bool) -> None:
    document, first, second = pair_document("training", "We ate.", arg2)
    relation = Relation("1", "training", RelationKind.IMPLICIT, first, second)
    assert held_out().shares(relation, document) is shared


def test_texts_in_any_order() -> None:
    sentences, again = HeldOutSentences(), HeldOutSentences()
    texts = (f"It rained. {LONG}", OTHER)
    for text, other in zip(texts, reversed(texts), strict=True):
        sentences.add_text(text)
        again.add_text(other)
    assert len(sentences) == 2
    assert sentences.holds(LONG)
    assert sentences.holds(OTHER)
    assert not sentences.holds("It rained.")
    assert sentences.digest == again.digest != held_out().digest


def test_dev_and_test_of_a_corpus_or_all_of_one_without_parts(tmp_path: Path) -> None:
    def evaluated(*parts: str) -> HeldOutSentences:
        rows = [
            {"arg1": text, "arg2": "It was late.", "label": "x", "split": part}
            for text, part in zip((LONG, OTHER), parts, strict=True)
        ]
        file = tmp_path / "pairs.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        sentences = HeldOutSentences()
        sentences.add_evaluated(read_pairs(file))
        return sentences

    assert evaluated("test", "train").holds(LONG)
    assert not evaluated("test", "train").holds(OTHER)
    assert evaluated("train", "dev").holds(OTHER)
    assert evaluated("", "").holds(OTHER)
