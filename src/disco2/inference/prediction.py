"""What the pipeline answers: relations, the kinds a user can ask for, and their forms as JSON and tables.

``predictions.schema.json`` describes the JSON, docs/json.md explains it.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disco2.data import Document, Instance
from disco2.errors import InputError
from disco2.inference.plain_text import text_warnings
from disco2.parser.connectives import gloss
from disco2.version import VERSION

if TYPE_CHECKING:
    from pandas import DataFrame

    from disco2.inference.explanation import Explanation
    from disco2.inference.pipeline import Pipeline

SCHEMA = 5  # raised when a reader of the old form would stumble

Json = dict[str, Any]


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


@dataclass(frozen=True, repr=False)
class Prediction(Record):
    """A relation: the most probable outcome, with the probabilities of all outcomes that were allowed.

    ``kind`` is Explicit where a ``connective`` states the relation, Implicit where nothing does, Hypophora
    where a question is followed by its answer, EntRel or NoRel where the ``sense`` is just that. ``presence``
    is the probability that there is a relation at all; ``probability`` is that of its sense.

    ``direction`` is level 3 of the sense, such as Reason or Result, where it is known. ``unsure`` says that
    the probability is below the minimum that was asked for.

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
    direction: str = ""
    unsure: bool = False
    scores: Mapping[str, float] = field(default_factory=dict, compare=False)  # of all outcomes
    origins: tuple[int, int] = field(default=(0, 0), compare=False)  # see ``Candidate``
    source: Instance | None = field(default=None, compare=False)  # what ``explain`` looks at

    @property
    def gloss(self) -> str:
        """The connective, or where there is none one that could be inserted, such as "because".

        Empty where the sense has none, or where it depends on an unknown direction.
        """
        return self.connective or gloss(self.sense, self.direction)

    def top(self, k: int = 3) -> tuple[tuple[str, float], ...]:
        """The ``k`` most probable outcomes with their probabilities."""
        return tuple(self.probabilities.items())[: max(k, 0)]

    def level(self, number: int) -> Prediction:
        """The same relation with senses of level 1 (class) or 2 (type).

        Probabilities are summed by class, so that the best class need not be that of the best sense.
        """
        if number not in (1, 2):
            raise InputError(f"There is no level {number}.", hint="Choose 1 or 2; level 3 is `direction`.")
        summed: dict[str, float] = {}
        for sense, probability in self.probabilities.items():
            name = ".".join(sense.split(".")[:number])
            summed[name] = summed.get(name, 0.0) + probability
        ranked = dict(sorted(summed.items(), key=lambda one: -one[1]))
        best = next(iter(ranked), self.sense)
        direction = self.direction if best == self.sense else ""
        return replace(
            self,
            sense=best,
            probability=ranked.get(best, self.probability),
            probabilities=ranked,
            direction=direction,
        )

    def __repr__(self) -> str:
        said = f"{self.sense} {100 * self.probability:.1f}%, {describe_kind(self)}"
        return f"<{said}: {_short(self.arg1.text)!r}, {_short(self.arg2.text)!r}>"

    def to_json(self) -> Json:
        stated = () if self.connective_span is None else self.connective_span.pieces
        return {name: _plain(getattr(self, name)) for name in _SIMPLE_FIELDS} | {
            "connective_parts": [span.to_json() for span in stated],
            "arg1": _argument(self.arg1),
            "arg2": _argument(self.arg2),
            "entities": [entity.to_json() for entity in self.entities],
        }


_SIMPLE_FIELDS = """index kind sense direction gloss probability unsure probabilities presence
connective""".split()  # noqa: SIM905  in the order of the JSON


def describe_kind(prediction: Prediction) -> str:
    """Kind, direction and connective in short: ``Implicit, Reason: [because]``, ``Explicit: 'However'``."""
    connective = " ".join(prediction.connective.split())
    word = f": '{connective}'" if connective else f": [{prediction.gloss}]" if prediction.gloss else ""
    return ", ".join(filter(None, (prediction.kind, prediction.direction))) + word


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _argument(span: Span) -> Json:
    return span.to_json() | {"parts": [part.to_json() for part in span.pieces]}


class Relations(list[Prediction]):
    """The relations of a document, in text order: a list that knows its document."""

    def __init__(self, found: Iterable[Prediction], document: Document, heading: Json | None = None) -> None:
        super().__init__(found)
        self.document = document
        self._heading = heading or {}  # who made it, for ``to_dict``

    def __repr__(self) -> str:
        relations, sentences = len(self), len(self.document.sentences)
        return f"{relations} relation{'s' * (relations != 1)} in {sentences} sentence{'s' * (sentences != 1)}"

    def _repr_html_(self) -> str:
        """A table, which notebooks show."""
        head = "".join(f"<th>{name}</th>" for name in ("", "sense", "%", "", "arg1", "arg2"))
        rows = []
        for one in self:
            percent = f"{100 * one.probability:.0f}" + " (unsure)" * one.unsure
            cells = (one.index + 1, one.sense, percent, describe_kind(one), one.arg1.text, one.arg2.text)
            rows.append("".join(f"<td>{escape(str(cell))}</td>" for cell in cells))
        body = "".join(f"<tr>{row}</tr>" for row in (head, *rows))
        return f"<p>{escape(repr(self))}</p><table>{body}</table>"

    def to_dict(self, explanations: Sequence[Explanation] | None = None) -> Json:
        """The same as JSON: what ``disco2 predict --json`` prints."""
        return self._heading | _text_body(self.document, self, explanations)

    def to_dataframe(self) -> DataFrame:
        """A row for each relation; needs pandas."""
        try:
            import pandas
        except ImportError:
            raise InputError("pandas is not installed.", hint="Install it with: pip install pandas") from None
        return pandas.DataFrame([csv_row(one.document, one) for one in self], columns=list(COLUMNS))


# The kinds that can be found, as PDTB-style corpora spell them.
KINDS = ("Explicit", "Implicit", "EntRel", "Hypophora", "NoRel")


@dataclass(frozen=True, slots=True)
class RelationChoice:
    """All kinds but NoRel by default; ``between_only``: neighbouring sentences, nothing else.

    Relations whose probability is below ``min_probability`` are marked as unsure.
    """

    kinds: tuple[str, ...] = KINDS[:-1]
    between_only: bool = False
    min_probability: float = 0.0

    def __post_init__(self) -> None:
        check_min_probability(self.min_probability)

    @classmethod
    def of(
        cls,
        kinds: Iterable[str] | str | None = None,
        *,
        between_only: bool = False,
        norel: bool = False,
        min_probability: float = 0.0,
    ) -> RelationChoice:
        """The choice of a user, who names kinds in any case, as a list or separated by commas."""
        given = kinds.split(",") if isinstance(kinds, str) else KINDS[:-1] if kinds is None else kinds
        names = {str(name).strip().casefold() for name in given} - {""}
        unknown = names - {kind.casefold() for kind in KINDS}
        if unknown or not names:
            what = (
                f"Unknown kind of relation '{min(unknown)}'." if unknown else "No kind of relation is named."
            )
            raise InputError(what, hint=f"Choose among: {', '.join(KINDS)}.")
        if norel:
            names.add("norel")
        chosen = tuple(kind for kind in KINDS if kind.casefold() in names)
        return cls(chosen, bool(between_only), min_probability)


def check_min_probability(value: object) -> None:
    """Raise InputError for anything but a number from 0 to 1."""
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(f"The minimum probability is {value}.", hint="Give a number from 0 to 1.")


def text_result(
    pipeline: Pipeline,
    document: Document,
    predictions: Sequence[Prediction],
    explanations: Sequence[Explanation] | None = None,
    *,
    annotators: str | None = None,
) -> Json:
    """The relations of a running text, with the text and its sentences.

    ``annotators`` made the document where it was not the pipeline's own.
    """
    return heading(pipeline, annotators=annotators) | _text_body(document, predictions, explanations)


def _text_body(
    document: Document, predictions: Sequence[Prediction], explanations: Sequence[Explanation] | None
) -> Json:
    tokens = document.tokens
    return {
        "warnings": text_warnings(document.text),
        "document": document.id,
        "text": document.text,
        "sentences": [
            {"start": tokens[sentence.start].start, "end": tokens[sentence.end - 1].end}
            for sentence in document.sentences
        ],
        "relations": relation_forms(predictions, explanations),
    }


def relation_forms(
    predictions: Sequence[Prediction], explanations: Sequence[Explanation] | None = None
) -> list[Json]:
    """The relations of a running text alone."""
    return [
        _explained(prediction.to_json(), explanations[place] if explanations else None)
        for place, prediction in enumerate(predictions)
    ]


def pairs_result(pipeline: Pipeline, answers: Sequence[Json]) -> Json:
    """The answers to given pairs, each a ``pair_result`` or a ``pair_error``, as one object."""
    return heading(pipeline) | {"answers": list(answers)}


def heading(pipeline: Pipeline, *, annotators: str | None = None) -> Json:
    """What every result opens with: who has made it."""
    prior = pipeline.calibration.prior
    return {
        "schema": SCHEMA,
        "disco2": VERSION,
        "model": {
            "name": pipeline.info.name,
            "licence": pipeline.info.licence,
            "digest": pipeline.info.digest,
            "labels": list(pipeline.model.labels),
            "temperature": pipeline.calibration.temperature,
            "running_text_temperature": pipeline.calibration.of_running_text,
            **({} if prior is None else {"prior": prior.given}),
        },
        "parser": pipeline.parser.digest,
        "annotators": pipeline.annotators.name if annotators is None else annotators,
    }


def pair_result(
    line: int, name: str | int | None, prediction: Prediction, explanation: Explanation | None = None
) -> Json:
    """The answer to one line of a file of pairs; the texts are in the input and are not repeated."""
    answer = prediction.to_json()
    for left_out in ("index", "presence", "connective_parts", "arg1", "arg2"):
        del answer[left_out]
    return _explained(_opening(line, name) | answer, explanation)


def pair_error(line: int, name: str | int | None, error: str) -> Json:
    """The record of a line that is no pair."""
    return _opening(line, name) | {"error": error}


def _opening(line: int, name: str | int | None) -> Json:
    return {"schema": SCHEMA, "line": line} | ({} if name is None else {"id": name})


def _explained(record: Json, explanation: Explanation | None) -> Json:
    return record if explanation is None else record | {"explanation": explanation.to_json()}


def read_schema() -> Json:
    """The JSON Schema (draft 2020-12) of all of these."""
    found: Json = json.loads(Path(__file__).with_name("predictions.schema.json").read_text(encoding="utf-8"))
    return found


COLUMNS = tuple(
    """document index kind sense probability presence connective connective_spans arg1 arg1_spans
    arg2 arg2_spans direction gloss unsure""".split()  # noqa: SIM905
)


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Rows as lines of CSV (RFC 4180, but with line feeds)."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def csv_row(document: str, prediction: Prediction) -> list[object]:
    """The cells of a relation; spans are written ``start-end``, several of them with commas."""
    cells: dict[str, object] = {
        "document": document,
        "arg1": prediction.arg1.text,
        "arg2": prediction.arg2.text,
    }
    spans = {"arg1": prediction.arg1, "arg2": prediction.arg2, "connective": prediction.connective_span}
    for name, span in spans.items():
        pieces = () if span is None else span.pieces
        cells[f"{name}_spans"] = ",".join(f"{piece.start}-{piece.end}" for piece in pieces)
    return [cells[name] if name in cells else getattr(prediction, name) for name in COLUMNS]
