"""Predictions that were stored by the names of relations, back to the relations themselves."""

from __future__ import annotations

from collections.abc import Iterable

from disco2.errors import CorpusError
from disco2.records import Corpus, Relation


def relations_named(corpus: Corpus, names: Iterable[tuple[str, str]]) -> list[Relation]:
    """The relations with these documents and ids, in that order; CorpusError where the corpus lacks one."""
    known: dict[tuple[str, str], Relation] = {}
    for relation in corpus.relations:
        known.setdefault((relation.document, relation.id), relation)
    found = []
    for document, name in names:
        if (document, name) not in known:
            raise CorpusError(
                f"There is no relation '{name}' in the document '{document}'.",
                where=corpus.name,
                hint="Read the corpus that the predictions were made on, with the same options.",
            )
        found.append(known[document, name])
    return found
