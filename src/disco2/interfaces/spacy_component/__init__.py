"""The spaCy component: ``nlp.add_pipe("disco2")`` sets ``doc._.discourse_relations``.

    import spacy

    nlp = spacy.load("en_core_web_sm")  # or spacy.blank("en")
    nlp.add_pipe("disco2")
    doc = nlp("Bob gave Tina the burger. She was hungry.")
    for relation in doc._.discourse_relations:
        print(relation.sense, relation.probability, relation.arg1, relation.arg2, relation.entities)

The document itself stores plain lists and numbers, so relations survive ``to_bytes``, ``DocBin`` and other
processes. spaCy imports this module whenever a pipeline is created, so heavy imports are inside functions.
"""

# No postponed annotations here: spaCy validates the settings against the annotations of the factory.
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from spacy.language import Language
from spacy.tokens import Doc, Span

if TYPE_CHECKING:
    from disco2.inference.prediction import SharedEntity
    from disco2.inference.prediction import Span as PlainSpan
    from disco2.interfaces.spacy_component.pipe import Disco2Pipe

Json = dict[str, Any]

FACTORY = "disco2"
EXTENSION = "discourse_relations"
# spaCy's own form of a key for data about a whole document; ``Span.as_doc`` leaves such data out.
KEY: Any = ("._.", EXTENSION, None, None)
DEFAULTS: Json = {
    "model": None,  # name of a bundled model or folder of a trained one; default: the bundled model "en"
    "paragraphs": "blank",  # paragraphs end at a blank line, at every "line" end, or never ("none")
    "coref_prefix": "coref_clusters",  # span groups named coref_clusters_1 and so on are chains
    "constituents": "auto",  # benepar's if there are any; or "built-in", or "benepar" only
    "kinds": "",  # kinds of relations, such as "Explicit,Implicit"; default: all except NoRel
    "between_only": False,  # only relations between neighbouring sentences
}


@dataclass(frozen=True, slots=True)
class DiscourseEntity:
    """A chain of coreferent mentions that occurs in both arguments."""

    chain: str
    arg1: tuple[Span, ...]
    arg2: tuple[Span, ...]

    def __str__(self) -> str:
        return str(_shared_entity(self))

    def to_json(self) -> Json:
        return _shared_entity(self).to_json()


@dataclass(frozen=True, slots=True)
class DiscourseRelation:
    """A relation like ``disco2.Prediction``, with spans of the spaCy document.

    ``kind`` is Explicit, Implicit, EntRel, Hypophora or NoRel. ``probabilities`` has all possible outcomes,
    the most probable first. ``connective`` is the text of the connective of an explicit relation, otherwise
    empty. ``arg1`` and ``arg2`` reach from the first word to the last; ``arg1_parts`` and ``arg2_parts`` have
    the pieces of a discontinuous argument.
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
        """The relation as in ``disco2 predict --json``; offsets count characters of ``doc.text``."""
        from disco2.inference.prediction import Prediction

        return Prediction(
            index=self.index,
            kind=self.kind,
            sense=self.sense,
            probability=self.probability,
            probabilities=self.probabilities,
            presence=self.presence,
            connective=self.connective,
            connective_span=_join_parts(self.connective_parts) if self.connective_parts else None,
            arg1=_join_parts(self.arg1_parts),
            arg2=_join_parts(self.arg2_parts),
            entities=tuple(map(_shared_entity, self.entities)),
        ).to_json()


def store(doc: Doc, result: Json, settings: Mapping[str, Any]) -> None:
    """Store what ``disco2 predict --json`` prints on the document, without the text."""
    kept = {name: value for name, value in result.items() if name not in ("text", "document", "relations")}
    relations = [_without_text(relation) for relation in result["relations"]]
    doc.user_data[KEY] = kept | {"settings": dict(settings), "relations": relations}


def stored(doc: Doc) -> Json | None:
    """The content that ``store`` wrote, if any."""
    found = doc.user_data.get(KEY)
    return found if isinstance(found, dict) else None


def relations_of(doc: Doc) -> list[DiscourseRelation]:
    """The relations of a document; empty if the component has not processed it."""
    found = stored(doc)
    return [_relation(doc, relation) for relation in found["relations"]] if found is not None else []


def result_of(doc: Doc) -> Json:
    """What ``disco2 predict --json`` would print about a document that the component has processed."""
    found = {name: value for name, value in (stored(doc) or {}).items() if name != "settings"}
    relations = [relation.to_json() for relation in relations_of(doc)]
    return found | {"document": "doc", "text": doc.text, "relations": relations}


def _relation(doc: Doc, kept: Json) -> DiscourseRelation:
    def spans(places: Any) -> tuple[Span, ...]:
        # Offsets are those of whole tokens; expanded in case tokens were merged later.
        return tuple(cast("Span", doc.char_span(a, b, alignment_mode="expand")) for a, b in places)

    def whole(places: Any) -> Span:
        return spans([(places[0][0], places[-1][1])])[0]

    return DiscourseRelation(
        sense=kept["sense"],
        kind=kept["kind"],
        probability=kept["probability"],
        arg1=whole(kept["arg1"]),
        arg2=whole(kept["arg2"]),
        entities=tuple(
            DiscourseEntity(entity["chain"], spans(entity["arg1"]), spans(entity["arg2"]))
            for entity in kept["entities"]
        ),
        connective=kept["connective"],
        index=kept["index"],
        probabilities=dict(kept["probabilities"]),
        presence=kept["presence"],
        connective_parts=spans(kept["connective_parts"]),
        arg1_parts=spans(kept["arg1"]),
        arg2_parts=spans(kept["arg2"]),
    )


def _without_text(value: Any) -> Any:
    """Replace each span by [start, end], and each argument by a list of these."""
    if isinstance(value, dict):
        if "parts" in value:
            return _without_text(value["parts"])
        if value.keys() == {"text", "start", "end"}:
            return [value["start"], value["end"]]
        return {name: _without_text(inner) for name, inner in value.items()}
    return [_without_text(inner) for inner in value] if isinstance(value, list) else value


def _shared_entity(entity: DiscourseEntity) -> "SharedEntity":
    from disco2.inference.prediction import SharedEntity

    return SharedEntity(entity.chain, _plain_spans(entity.arg1), _plain_spans(entity.arg2))


def _plain_spans(spans: tuple[Span, ...]) -> "tuple[PlainSpan, ...]":
    from disco2.inference.prediction import Span as PlainSpan

    return tuple(PlainSpan(span.text, span.start_char, span.end_char) for span in spans)


def _join_parts(parts: tuple[Span, ...]) -> "PlainSpan":
    """The parts as one span whose text is joined as in ``Prediction``."""
    plain = _plain_spans(parts)
    if len(plain) == 1:
        return plain[0]
    return type(plain[0])(" ".join(part.text for part in plain), plain[0].start, plain[-1].end, plain)


if not Doc.has_extension(EXTENSION):
    Doc.set_extension(EXTENSION, getter=relations_of)


@Language.factory(
    FACTORY, default_config=DEFAULTS, assigns=[f"doc._.{EXTENSION}"], requires=[], retokenizes=False
)
def make_disco2(
    nlp: Language,
    name: str,
    model: str | None,
    paragraphs: str,
    coref_prefix: str,
    constituents: str,
    kinds: str,
    between_only: bool,
) -> "Disco2Pipe":
    """Create the component; raise SettingsError for invalid settings.

    The model is loaded with the first document, so that ``from_disk`` can replace it before.
    """
    from disco2.interfaces.spacy_component.pipe import Disco2Pipe, Disco2Settings, check_language

    check_language(nlp, model=model)
    settings = Disco2Settings(
        paragraphs=paragraphs,
        coref_prefix=coref_prefix,
        constituents=constituents,
        kinds=kinds,
        between_only=between_only,
    )
    meta = nlp.meta
    return Disco2Pipe(
        name, settings, model=model, pipeline=f"spaCy {meta['lang']}_{meta['name']} {meta['version']}"
    )
