"""Questions and answers: whether a sentence answers the question in the sentence before it (Hypophora)."""

from __future__ import annotations

from disco2.data import Document
from disco2.parser.connectives import ConnectiveList
from disco2.parser.linear import Item
from disco2.parser.sentences import ParsedSentence

REPLIES = frozenset({"yes", "no", "yeah", "nope", "yep", "yup", "sure", "okay", "well", "mhm", "uh", "right"})
WH_TAGS = frozenset({"WP", "WP$", "WRB", "WDT"})
PARTED = "parted"  # name of a feature: whether a line break stands between question and answer
WH_PLACES = 4  # tokens at the beginning of a question among which its wh-word stands


def has_question_mark(sentence: ParsedSentence) -> bool:
    return "?" in sentence.words[-2:]


def is_question(sentence: ParsedSentence) -> bool:
    """Whether a sentence ends in a question mark, or has the phrase structure of a question."""
    return has_question_mark(sentence) or any(label in ("SBARQ", "SQ") for label in sentence.labels[:2])


def answer_features(
    document: Document, question: ParsedSentence, answer: ParsedSentence, listed: ConnectiveList
) -> Item:
    """Features of two neighbouring sentences, the first of which is a question.

    What kind of question it is and whether a line break parts the two (as where speakers take turns) decide
    how the rest counts, so every feature is combined with both.
    """
    tokens = document.tokens
    parted = (
        "\n" in document.text[tokens[question.start + len(question) - 1].end : tokens[answer.start].start]
    )
    wh = next(
        (question.words[n] for n in range(min(WH_PLACES, len(question))) if question.tags[n] in WH_TAGS), ""
    )
    inverted = any(label in ("SQ", "SINV") for label in question.labels)
    kind = "wh" if wh else "inverted" if inverted else "plain"
    alone = [
        "bias",
        f"wh {wh}",
        f"mark {has_question_mark(question):d}",
        f"size {_size(question)}",
        f"answer {listed.word(answer.words[0])}",
        f"answer tag {answer.tags[0]}",
        f"answer size {_size(answer)}",
        f"reply {answer.words[0] in REPLIES:d}",
        f"asks {is_question(answer):d}",
    ]
    heads = (kind, f"{PARTED} {parted:d}", f"{kind} {PARTED} {parted:d}")
    return [(head, alone) for head in ("", *heads)]


def _size(sentence: ParsedSentence) -> str:
    length = len(sentence)
    return "1" if length < 3 else "3" if length < 6 else "6" if length < 12 else "12"
