"""What the pipeline answers about one pair; which answers a user asks for; answers as rows of CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from disco2.data import Instance, RelationKind
from disco2.errors import InputError


class Record:
    """A result that becomes JSON field by field."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """Plain values, ready for ``json.dumps``."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}  # type: ignore[arg-type]


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_json()
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True)
class Span(Record):
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
class SharedEntity(Record):
    """A chain of coreferent mentions that both arguments speak of."""

    chain: str
    arg1: tuple[Span, ...]
    arg2: tuple[Span, ...]

    def __str__(self) -> str:
        first, second = (", ".join(span.text for span in side) for side in (self.arg1, self.arg2))
        return f"{first} ~ {second}"


@dataclass(frozen=True)
class Prediction(Record):
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


# The kinds that can be found, as PDTB-style corpora spell them.
KINDS = ("Explicit", "Implicit", "EntRel", "Hypophora", "NoRel")
_BY_NAME = {kind.casefold(): kind for kind in KINDS}
JUDGED = frozenset(KINDS) - {RelationKind.EXPLICIT.value}  # what a model has a say in


@dataclass(frozen=True, slots=True)
class RelationChoice:
    """All kinds but NoRel unless others are named; ``between_only``: neighbouring sentences, nothing else."""

    kinds: tuple[str, ...] = KINDS[:-1]
    between_only: bool = False

    @classmethod
    def of(
        cls, kinds: Iterable[str] | str | None = None, *, between_only: bool = False, norel: bool = False
    ) -> RelationChoice:
        """The choice of a user, who names kinds in any case, as a list or separated by commas."""
        given = kinds.split(",") if isinstance(kinds, str) else kinds
        if given is None:
            chosen = set(KINDS[:-1])
        else:
            try:
                names = [name.strip() for name in given]
            except (TypeError, AttributeError):
                raise InputError(f"Kinds are names, not {kinds!r}.", hint=_hint()) from None
            chosen = {_known(name) for name in names if name}
            if not chosen:
                raise InputError("No kind of relation is named.", hint=_hint())
        if norel:
            chosen.add(RelationKind.NOREL.value)
        return cls(tuple(kind for kind in KINDS if kind in chosen), bool(between_only))

    def wants(self, kind: str) -> bool:
        return kind in self.kinds

    @property
    def asks_model(self) -> bool:
        """Whether anything but explicit relations is asked for."""
        return not JUDGED.isdisjoint(self.kinds)


def _known(name: str) -> str:
    found = _BY_NAME.get(name.casefold())
    if found is None:
        raise InputError(f"There is no kind of relation '{name}'.", hint=_hint())
    return found


def _hint() -> str:
    return f"Choose among: {', '.join(KINDS)}."


COLUMNS = (
    "document",
    "index",
    "kind",
    "sense",
    "probability",
    "presence",
    "connective",
    "connective_spans",
    "arg1",
    "arg1_spans",
    "arg2",
    "arg2_spans",
)


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Rows as lines of CSV (RFC 4180, but with line feeds)."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def csv_row(document: str, prediction: Prediction) -> list[object]:
    """The cells of a relation; spans are written ``start-end``, several of them with commas."""
    stated = prediction.connective_span
    return [
        document,
        prediction.index,
        prediction.kind,
        prediction.sense,
        prediction.probability,
        prediction.presence,
        prediction.connective,
        "" if stated is None else _places(stated),
        prediction.arg1.text,
        _places(prediction.arg1),
        prediction.arg2.text,
        _places(prediction.arg2),
    ]


def _places(span: Span) -> str:
    return ",".join(f"{part.start}-{part.end}" for part in span.pieces)
