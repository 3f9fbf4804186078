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
import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

from spacy.language import Language
from spacy.tokens import Doc, Span

if TYPE_CHECKING:
    from disco2.interfaces.spacy_component.pipe import Disco2Pipe

Json = dict[str, Any]

FACTORY = "disco2"
EXTENSION = "discourse_relations"
# spaCy's own form of a key for data about a whole document; ``Span.as_doc`` leaves such data out.
KEY: Any = ("._.", EXTENSION, None, None)
DEFAULTS: Json = {
    "model": None,  # name of a bundled model or folder of a trained one; default: the bundled model "en"
    "paragraphs": "blank",  # paragraphs end at a blank line, at every "line" end, or never ("none")
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
        return " ~ ".join(", ".join(span.text for span in side) for side in (self.arg1, self.arg2))


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
    presence: float = field(repr=False)
    connective_parts: tuple[Span, ...] = field(repr=False)
    arg1_parts: tuple[Span, ...] = field(repr=False)
    arg2_parts: tuple[Span, ...] = field(repr=False)
    _stored: Json = field(repr=False)

    def to_json(self) -> Json:
        """The relation as in ``disco2 predict --json``; offsets count characters of ``doc.text``."""
        return deepcopy(self._stored)


def store(doc: Doc, result: Json) -> None:
    """Store what ``disco2 predict --json`` prints on the document, without the text."""
    doc.user_data[KEY] = {name: value for name, value in result.items() if name not in ("text", "document")}


def stored(doc: Doc) -> Json | None:
    """The content that ``store`` wrote, if any."""
    found = doc.user_data.get(KEY)
    # As JSON, because DocBin makes tuples of lists.
    again: Json | None = json.loads(json.dumps(found)) if isinstance(found, dict) else None
    return again


def relations_of(doc: Doc) -> list[DiscourseRelation]:
    """The relations of a document; empty if the component has not processed it."""
    return [_relation(doc, relation) for relation in (stored(doc) or {}).get("relations", ())]


def _relation(doc: Doc, kept: Json) -> DiscourseRelation:
    def span(place: Json) -> Span:
        # Offsets are those of whole tokens; expanded in case tokens were merged later.
        return cast("Span", doc.char_span(place["start"], place["end"], alignment_mode="expand"))

    def spans(places: Iterable[Json]) -> tuple[Span, ...]:
        return tuple(map(span, places))

    plain = ("sense", "kind", "probability", "connective", "index", "presence")
    return DiscourseRelation(
        **{name: kept[name] for name in plain},
        probabilities=dict(kept["probabilities"]),  # a copy: users may change it
        arg1=span(kept["arg1"]),
        arg2=span(kept["arg2"]),
        entities=tuple(
            DiscourseEntity(entity["chain"], spans(entity["arg1"]), spans(entity["arg2"]))
            for entity in kept["entities"]
        ),
        connective_parts=spans(kept["connective_parts"]),
        arg1_parts=spans(kept["arg1"]["parts"]),
        arg2_parts=spans(kept["arg2"]["parts"]),
        _stored=kept,
    )


if not Doc.has_extension(EXTENSION):
    Doc.set_extension(EXTENSION, getter=relations_of)


@Language.factory(
    FACTORY, default_config=DEFAULTS, assigns=[f"doc._.{EXTENSION}"], requires=[], retokenizes=False
)
def make_disco2(
    nlp: Language,
    name: str,
    model: str | None,
    paragraphs: Literal["blank", "line", "none"],
    kinds: str,
    between_only: bool,
) -> "Disco2Pipe":
    """Create the component; SettingsError for unknown kinds, and spaCy's own error for other settings.

    The model is loaded with the first document, so that ``from_disk`` can replace it before.
    """
    from disco2.inference.prediction import RelationChoice
    from disco2.interfaces.spacy_component.pipe import Disco2Pipe, check_language

    check_language(nlp, model=model)
    choice = RelationChoice.of(kinds or None, between_only=between_only)
    made_by = f"spaCy {nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}"
    return Disco2Pipe(name, choice, paragraphs=paragraphs, model=model, pipeline=made_by)
