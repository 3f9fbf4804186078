"""What the pipeline answers about one pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from disco2.records import Instance


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text and where it lies: characters ``start`` to ``end`` (exclusive)."""

    text: str
    start: int
    end: int

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
    """The most probable outcome for a pair, with the probabilities of all outcomes that were allowed.

    ``kind`` is Implicit where the ``sense`` is one of the model's senses, EntRel or NoRel where the sense is
    just that, and Explicit where the second argument opens with a ``connective``: the model was trained on
    pairs without one, so take such a sense with care. Where two arguments were given, or a connective was
    found, the choice is among the senses only.

    Offsets count characters of the text; where two arguments were given, of each argument's own text.
    """

    kind: str
    sense: str
    probability: float
    probabilities: Mapping[str, float]  # the most probable first
    arg1: Span
    arg2: Span
    connective: str = ""
    entities: tuple[SharedEntity, ...] = ()
    document: str = ""
    index: int = 0  # its place among the document's pairs
    scores: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)  # of all outcomes
    origins: tuple[int, int] = field(default=(0, 0), repr=False, compare=False)  # see ``Candidate``
    source: Instance | None = field(default=None, repr=False, compare=False)  # what ``explain`` looks at

    def to_json(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "kind": self.kind,
            "sense": self.sense,
            "probability": self.probability,
            "probabilities": dict(self.probabilities),
            "connective": self.connective,
            "arg1": self.arg1.to_json(),
            "arg2": self.arg2.to_json(),
            "entities": [entity.to_json() for entity in self.entities],
        }
