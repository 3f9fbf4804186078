from __future__ import annotations

from disco2.data import Document
from disco2.parser.arguments import ParsedSentence
from disco2.parser.connectives import ConnectiveList
from disco2.parser.features import answer_features, feature_names, is_question
from tests.parser.made_up import document

LISTED = ConnectiveList({}, frozenset({"we"}))


def features(between: str) -> list[str]:
    one = document()
    text = one.text + between + one.text
    shift = len(one.text) + len(between)
    tokens = [*one.tokens]
    tokens += [type(token)(token.text, token.start + shift, token.end + shift, token.tag) for token in tokens]
    (first,) = one.sentences
    second = type(first)(6, 12, first.constituents, first.dependencies)
    both = Document("two", text, tuple(tokens), (first, second))
    return feature_names(answer_features(both, ParsedSentence(both, 0), ParsedSentence(both, 1), LISTED))


def test_a_line_break_between_question_and_answer_counts() -> None:
    assert "parted 0|bias" in features(" ")
    assert "parted 1|bias" in features("\n")
    assert "plain parted 1|answer we" in features("\n\n")


def test_a_statement_is_no_question() -> None:
    assert not is_question(ParsedSentence(document(), 0))
