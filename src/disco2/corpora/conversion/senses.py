"""A corpus with its senses in the terms of another inventory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from disco2.errors import CorpusError
from disco2.records import Corpus, Relation
from disco2.records.sense_mapping import senses_2_to_3, senses_3_to_2

_MAPPINGS: dict[tuple[str, str], Callable[[str], str | None]] = {
    ("pdtb2", "pdtb3"): senses_2_to_3,
    ("pdtb3", "pdtb2"): senses_3_to_2,
    ("gdtb", "pdtb2"): senses_3_to_2,
    ("gdtb", "pdtb3"): lambda sense: sense,  # GDTB's senses are PDTB 3's
}


def with_senses_of(corpus: Corpus, inventory: str) -> Corpus:
    """The same relations with mapped senses; those without a counterpart are left out, with a finding."""
    if corpus.inventory == inventory:
        return corpus
    mapping = _MAPPINGS.get((corpus.inventory, inventory))
    if mapping is None:
        raise CorpusError(
            f"Senses of '{corpus.inventory}' can't be turned into those of '{inventory}'.",
            where=corpus.name,
            hint="Known: pdtb2 to pdtb3, pdtb3 or gdtb to pdtb2.",
        )

    def mapped(relation: Relation) -> Relation:
        senses = []
        for sense in relation.senses:
            found = mapping(sense)
            if found is None:
                detail = f"'{sense}' has none in {inventory}; left out."
                corpus.dirt.add("sense without a counterpart", where=relation.where, detail=detail)
            else:
                senses.append(found)
        votes: dict[str, float] = {}
        for sense, share in relation.votes:
            found = mapping(sense)
            if found is not None:
                votes[found] = votes.get(found, 0.0) + share
        total = sum(votes.values())
        shares = tuple((sense, share / total) for sense, share in votes.items())
        return replace(relation, senses=tuple(dict.fromkeys(senses)), votes=shares)

    return replace(corpus, inventory=inventory, relations=tuple(map(mapped, corpus.relations)))
