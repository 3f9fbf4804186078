"""What stands in ``doc._.discourse_relations``: relations between spans of a spaCy document.

On the document itself lie plain lists and numbers, so that they go wherever the document goes: to bytes, into
a ``DocBin``, to another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from disco2.inference.prediction import Prediction, SharedEntity
from disco2.inference.prediction import Span as PlainSpan
from disco2.interfaces.spacy_component import EXTENSION

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

# spaCy's own form of a key for what belongs to a whole document; it leaves such things out of ``as_doc``.
KEY: Any = ("._.", EXTENSION, None, None)

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DiscourseEntity:
    """A chain of coreferent mentions that both arguments speak of."""

    chain: str
    arg1: tuple[Span, ...]
    arg2: tuple[Span, ...]

    def __str__(self) -> str:
        return str(_shared(self))

    def to_json(self) -> Json:
        return _shared(self).to_json()


@dataclass(frozen=True, slots=True)
class DiscourseRelation:
    """A relation: a ``disco2.Prediction`` with spans of the document.

    ``kind`` is Explicit, Implicit, EntRel, Hypophora or NoRel; ``probabilities`` are of all outcomes that
    were allowed, the most probable first; ``connective`` is what states the relation where the kind is
    Explicit, and empty otherwise. ``arg1`` and ``arg2`` go from the first word to the last; where other words
    stand in between, ``arg1_parts`` and ``arg2_parts`` have the pieces.
    """

    sense: str
    kind: str
    probability: float
    arg1: Span
    arg2: Span
    entities: tuple[DiscourseEntity, ...]
    connective: str
    index: int
    probabilities: Mapping[str, float] = field(repr=False)
    presence: float = field(default=1.0, repr=False)
    connective_parts: tuple[Span, ...] = field(default=(), repr=False)
    arg1_parts: tuple[Span, ...] = field(default=(), repr=False)
    arg2_parts: tuple[Span, ...] = field(default=(), repr=False)

    def to_json(self) -> Json:
        """As in the output of ``disco2 predict --json``; offsets count characters of ``doc.text``."""
        return Prediction(
            index=self.index,
            kind=self.kind,
            sense=self.sense,
            probability=self.probability,
            probabilities=self.probabilities,
            presence=self.presence,
            connective=self.connective,
            connective_span=_joined(self.connective_parts) if self.connective_parts else None,
            arg1=_joined(self.arg1_parts),
            arg2=_joined(self.arg2_parts),
            entities=tuple(map(_shared, self.entities)),
        ).to_json()


def store(doc: Doc, result: Json, settings: Mapping[str, str]) -> None:
    """Put what ``disco2 predict --json`` prints on the document; the text itself is there already."""
    kept = {name: value for name, value in result.items() if name not in ("text", "document", "relations")}
    relations = [_without_text(relation) for relation in result["relations"]]
    doc.user_data[KEY] = kept | {"settings": dict(settings), "relations": relations}


def stored(doc: Doc) -> Json | None:
    """What ``store`` put there; None where nothing did."""
    found = doc.user_data.get(KEY)
    return found if isinstance(found, dict) else None


def relations_of(doc: Doc) -> list[DiscourseRelation]:
    """The relations on a document; none where the component has not seen it."""
    found = stored(doc)
    return [_relation(doc, relation) for relation in found["relations"]] if found is not None else []


def result_of(doc: Doc) -> Json:
    """All of what ``disco2 predict --json`` would print about a document that the component has seen."""
    found = dict(stored(doc) or {})
    found.pop("settings")
    relations = [relation.to_json() for relation in relations_of(doc)]
    return found | {"document": "doc", "text": doc.text, "relations": relations}


def _relation(doc: Doc, kept: Json) -> DiscourseRelation:
    return DiscourseRelation(
        sense=kept["sense"],
        kind=kept["kind"],
        probability=kept["probability"],
        arg1=_span(doc, (kept["arg1"][0][0], kept["arg1"][-1][1])),
        arg2=_span(doc, (kept["arg2"][0][0], kept["arg2"][-1][1])),
        entities=tuple(
            DiscourseEntity(
                entity["chain"],
                tuple(_span(doc, place) for place in entity["arg1"]),
                tuple(_span(doc, place) for place in entity["arg2"]),
            )
            for entity in kept["entities"]
        ),
        connective=kept["connective"],
        index=kept["index"],
        probabilities=dict(kept["probabilities"]),
        presence=kept["presence"],
        connective_parts=tuple(_span(doc, place) for place in kept["connective_parts"]),
        arg1_parts=tuple(_span(doc, place) for place in kept["arg1"]),
        arg2_parts=tuple(_span(doc, place) for place in kept["arg2"]),
    )


def _span(doc: Doc, place: tuple[int, int]) -> Span:
    # Places are of whole tokens; they are expanded where tokens were merged since.
    return cast("Span", doc.char_span(*place, alignment_mode="expand"))


def _without_text(value: Any) -> Any:
    """A relation with [start, end] for its spans, and a list of these for each argument."""
    if isinstance(value, dict):
        if "parts" in value:
            return _without_text(value["parts"])
        if value.keys() == {"text", "start", "end"}:
            return [value["start"], value["end"]]
        return {name: _without_text(inner) for name, inner in value.items()}
    return [_without_text(inner) for inner in value] if isinstance(value, list) else value


def _shared(entity: DiscourseEntity) -> SharedEntity:
    """With texts and offsets in place of spaCy's spans."""
    return SharedEntity(entity.chain, tuple(map(_plain, entity.arg1)), tuple(map(_plain, entity.arg2)))


def _plain(span: Span) -> PlainSpan:
    return PlainSpan(span.text, span.start_char, span.end_char)


def _joined(parts: tuple[Span, ...]) -> PlainSpan:
    """Pieces as one span, with their texts joined as ``Prediction`` has them."""
    plain = tuple(map(_plain, parts))
    if len(plain) == 1:
        return plain[0]
    return PlainSpan(" ".join(part.text for part in plain), plain[0].start, plain[-1].end, plain)
