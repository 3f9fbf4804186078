"""The relations before and after a relation, in file order, which is nearly that of the text."""

from __future__ import annotations

from dataclasses import dataclass, field

from disco2.records import Corpus, Relation


@dataclass
class Neighbours:
    """The relations of each document in file order, of any kind."""

    corpus: Corpus
    _by_document: dict[str, list[Relation]] = field(default_factory=dict)
    _places: dict[Relation, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for relation in self.corpus.relations:
            line = self._by_document.setdefault(relation.document, [])
            self._places.setdefault(relation, len(line))
            line.append(relation)

    def of(self, relation: Relation) -> tuple[Relation | None, Relation | None]:
        """The relations before and after."""
        place = self._places.get(relation)
        if place is None:
            return None, None
        line = self._by_document[relation.document]
        before = line[place - 1] if place else None
        after = line[place + 1] if place + 1 < len(line) else None
        return before, after
