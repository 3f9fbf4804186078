"""What the pipeline answers about one pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from disco2.records import Instance


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text and where it lies: characters ``start`` to ``end`` (exclusive).

    Where other words stand in between, ``parts`` are the pieces, ``text`` joins them with a space, and
    ``start`` and ``end`` are those of the whole.
    """

    text: str
    start: int
    end: int
    parts: tuple[Span, ...] = ()

    @property
    def pieces(self) -> tuple[Span, ...]:
        """The parts; the span itself where it has none."""
        return self.parts or (self,)

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, "start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True)
class SharedEntity:
    """A chain of coreferent mentions that both arguments speak of."""

    chain: str
    arg1: tuple[Span, ...]
    arg2: tuple[Span, ...]

    def __str__(self) -> str:
        first, second = (", ".join(span.text for span in side) for side in (self.arg1, self.arg2))
        return f"{first} ~ {second}"

    def to_json(self) -> dict[str, Any]:
        return {
            "chain": self.chain,
            "arg1": [span.to_json() for span in self.arg1],
            "arg2": [span.to_json() for span in self.arg2],
        }


@dataclass(frozen=True)
class Prediction:
    """A relation: the most probable outcome, with the probabilities of all outcomes that were allowed.

    ``kind`` is Explicit where a ``connective`` states the relation, Implicit where nothing does, Hypophora
    where a question is followed by its answer, EntRel or NoRel where the ``sense`` is just that. ``presence``
    is the probability that there is a relation at all; ``probability`` is that of its sense.

    Where two arguments were given, the choice is among the senses only, and the kind is Explicit where the
    second one opens with a connective: the model was trained on pairs without one, so take such a sense with
    care. The same holds where neighbouring sentences alone are judged.

    Offsets count characters of the text; where two arguments were given, of each argument's own text.
    """

    kind: str
    sense: str
    probability: float
    probabilities: Mapping[str, float]  # the most probable first
    arg1: Span
    arg2: Span
    connective: str = ""  # as it is written; dots stand for words in between
    connective_span: Span | None = None  # None where only its words are known
    presence: float = 1.0
    entities: tuple[SharedEntity, ...] = ()
    document: str = ""
    index: int = 0  # its place among the document's relations
    scores: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)  # of all outcomes
    origins: tuple[int, int] = field(default=(0, 0), repr=False, compare=False)  # see ``Candidate``
    source: Instance | None = field(default=None, repr=False, compare=False)  # what ``explain`` looks at

    def to_json(self) -> dict[str, Any]:
        stated = () if self.connective_span is None else self.connective_span.pieces
        return {
            "index": self.index,
            "kind": self.kind,
            "sense": self.sense,
            "probability": self.probability,
            "probabilities": dict(self.probabilities),
            "presence": self.presence,
            "connective": self.connective,
            "connective_parts": [span.to_json() for span in stated],
            "arg1": _argument(self.arg1),
            "arg2": _argument(self.arg2),
            "entities": [entity.to_json() for entity in self.entities],
        }


def _argument(span: Span) -> dict[str, Any]:
    return span.to_json() | {"parts": [part.to_json() for part in span.pieces]}
