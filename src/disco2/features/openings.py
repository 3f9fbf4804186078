"""How the arguments begin: their first words and tags, and those of the two together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from disco2.features.tags import tag_of
from disco2.records import Argument, Document, Instance
from disco2.trees.pieces import pieces

_LONGEST = 3


def opening_features(instance: Instance) -> set[str]:
    """The first two and three lower-cased words of each argument, its first tag and first three tags.

    Of the two arguments together, the first words and the first tags. Of an argument too short for two or
    three, all of it. Nothing is said of tags where one of the words has none.
    """
    doc, relation = instance.document, instance.relation
    found: set[str] = set()
    first_words: list[str] = []
    first_tags: list[str] = []
    if not (relation.arg1.tokens and relation.arg2.tokens):
        return found  # the trees refuse such a relation, with words of their own
    for side, argument in (("arg1", relation.arg1), ("arg2", relation.arg2)):
        words = [word.lower() for word in doc.words(argument.tokens[:_LONGEST])]
        first_words.append(f"'{words[0]}'")
        found.update(f"{side} {fact}" for fact in _runs(words, (2, 3), quote="'"))
        tags = _opening_tags(doc, argument)
        if all(tags):
            first_tags.append(tags[0])
            found.update(f"{side} {fact}" for fact in _runs(tags, (1, 3)))
    for pair in (first_words, first_tags):
        if len(pair) == 2:
            found.add(f"arguments begin with {', '.join(pair)}")
    return found


def _opening_tags(doc: Document, argument: Argument) -> list[str]:
    return [
        tag_of(doc, sentence, position)
        for sentence, positions in pieces(doc, argument.tokens[:_LONGEST])
        for position in positions
    ]


def _runs(opening: Sequence[str], lengths: tuple[int, ...], quote: str = "") -> Iterator[str]:
    for length in lengths:
        verb = "begins with" if length <= len(opening) else "is"
        yield f"{verb} {quote}{' '.join(opening[:length])}{quote}"
