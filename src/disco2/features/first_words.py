"""The first words of each argument, an extra that Lin, Kan & Ng (2009) do not have."""

from __future__ import annotations

from disco2.records import Instance

FirstWord = tuple[str, int, str]  # argument, place counted from 1, lower-cased word


def first_words(instance: Instance, count: int) -> list[FirstWord]:
    """The first ``count`` lower-cased words of each argument with their places; fewer where it is shorter."""
    doc, relation = instance.document, instance.relation
    return [
        (side, place, word.lower())
        for side, argument in (("arg1", relation.arg1), ("arg2", relation.arg2))
        for place, word in enumerate(doc.words(argument.tokens[:count]), start=1)
    ]
