"""Two arguments that are given as texts of their own -> one document, and the pair in it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from disco2.annotation.annotator import raw_document
from disco2.annotation.text import pair_spans, pair_text
from disco2.data import Argument, Document, Instance, Relation, RelationKind
from disco2.errors import InputError
from disco2.inference.candidates import Candidate, marked
from disco2.inference.connectives import opening_connective
from disco2.inference.plain_text import check_text, has_word, without_controls
from disco2.inference.prediction import Span


@dataclass(frozen=True, slots=True)
class GivenPair:
    """Two texts, each with at least one word; an argument may have several sentences."""

    arg1: str
    arg2: str
    id: str = "pair"

    def __post_init__(self) -> None:
        for name, text in (("arg1", self.arg1), ("arg2", self.arg2)):
            if not has_word(check_text(text, where=name)):
                raise InputError(f"The argument {name} has no word.", hint="Give a sentence or a clause.")

    def document(self) -> Document:
        """Both arguments as one text, with no layer yet."""
        return raw_document(without_controls(self._text), document_id=self.id)

    @property
    def _text(self) -> str:
        return pair_text(self.arg1, self.arg2)

    def candidate(self, annotated: Document) -> Candidate:
        """The pair in its annotated document; which token belongs to which argument is known by its place."""
        annotated = replace(annotated, text=self._text)  # with its control characters
        (_, cut), (origin, _) = pair_spans(self.arg1, self.arg2)
        first = [number for number, token in enumerate(annotated.tokens) if token.end <= cut]
        second = [number for number, token in enumerate(annotated.tokens) if token.start >= origin]
        for name, tokens in (("arg1", first), ("arg2", second)):
            if not tokens:
                raise InputError(f"The annotator found no token in {name}.", hint="Try another annotator.")
        relation = Relation(
            id=self.id,
            document=self.id,
            kind=RelationKind.IMPLICIT,
            arg1=Argument(tuple(first), self.arg1),
            arg2=Argument(tuple(second), self.arg2),
        )
        opening = annotated.sentences[annotated.sentence_index(second[0])]
        if opening.start == second[0]:
            relation = marked(relation, opening_connective(annotated, opening))
        return Candidate(
            Instance(relation, annotated),
            Span(self.arg1, 0, cut),
            Span(self.arg2, 0, len(self.arg2)),
            origins=(0, origin),
            senses_only=True,
        )
