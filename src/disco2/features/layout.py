"""Where the arguments lie: their order, the distance between them, and which sentences they take up."""

from __future__ import annotations

from collections.abc import Iterator

from disco2.records import Argument, Document, Instance
from disco2.trees.pieces import pieces

_MOST_SENTENCES = 3
_NEAR = 2  # words between arguments that are still close: a comma, a quotation mark
_FIRST_SENTENCES = 2  # of a document: its heading and how it begins


def layout_features(instance: Instance) -> set[str]:
    """What holds for the places of the two arguments, and for the extent of each; no layer is looked at."""
    doc, relation = instance.document, instance.relation
    if not (relation.arg1.tokens and relation.arg2.tokens):
        return set()  # the trees refuse such a relation, with words of their own
    begin1, end1 = relation.arg1.tokens[0], relation.arg1.tokens[-1]
    begin2, end2 = relation.arg2.tokens[0], relation.arg2.tokens[-1]
    sentence = doc.sentence_index

    is_first = begin1 < begin2
    order = "arg1 comes first" if is_first else "arg2 comes first"
    left, right = (end1, begin2) if is_first else (end2, begin1)
    meet = (
        sentence(begin1) == sentence(begin2)
        or sentence(end1) == sentence(begin2)
        or sentence(end2) == sentence(begin1)
    )
    where = "arguments share a sentence" if meet else "arguments in different sentences"
    connective = sum(left < token < right for token in set(relation.connective_tokens))
    distance = _distance(left, right, connective)
    found = {order, where, distance, f"{where}, {order}, {distance}"}
    if left < right:
        found.add(f"sentences from one argument to the other: {_count(sentence(right) - sentence(left))}")
    lengths = (_count(sentence(end1) - sentence(begin1) + 1), _count(sentence(end2) - sentence(begin2) + 1))
    found.add(f"sentences of the arguments: {', '.join(lengths)}")
    found.update(f"arg1 {fact}" for fact in _extent(doc, relation.arg1))
    found.update(f"arg2 {fact}" for fact in _extent(doc, relation.arg2))
    at_start = sentence(begin1) < _FIRST_SENTENCES
    found.add("at the document's start" if at_start else "further on in the document")
    return found


def _distance(left: int, right: int, connective: int) -> str:
    """``left`` is the last token of the first argument, ``right`` the first of the other; the tokens of a
    connective between them don't count, for an implicit relation has none.
    """
    if right <= left:
        return "arguments nested"
    gap = right - left - 1 - connective
    if gap == 0:
        return "arguments adjacent"
    return "arguments close to each other" if gap <= _NEAR else "arguments apart"


def _extent(doc: Document, argument: Argument) -> Iterator[str]:
    """Is it in one piece, does it begin its sentence, does it reach the end of it, its last mark aside."""
    begin, end = argument.tokens[0], argument.tokens[-1]
    sentence, _ = next(pieces(doc, argument.tokens[:1]))
    yield "in one piece" if end - begin + 1 == len(argument.tokens) else "in several pieces"
    opens, closes = begin == sentence.start, end >= sentence.end - 2
    if opens and closes:
        yield "fills its sentence"
    elif opens:
        yield "begins its sentence"
    elif closes:
        yield "ends its sentence"
    else:
        yield "inside its sentence"


def _count(sentences: int) -> str:
    return str(sentences) if sentences < _MOST_SENTENCES else f"{_MOST_SENTENCES} or more"
