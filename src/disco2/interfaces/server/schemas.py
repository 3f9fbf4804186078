"""What clients send and get, as pydantic models: validation and the description of the API come from here.

Unknown fields are refused, and no value is converted. The results of ``POST /v1/relations`` are described by
the JSON Schema of ``disco2 predict --json``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from disco2.inference.plain_text import has_word
from disco2.inference.prediction import RelationChoice

Json = dict[str, Any]
T = TypeVar("T")


def _check_unicode(value: T) -> T:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise PydanticCustomError("surrogate", "The text contains an unpaired surrogate") from None
    return value


def _check_words(text: str) -> str:
    if not has_word(text):
        raise PydanticCustomError("no_word", "The text has no word")
    return text


# The format has no common pattern: a letter or digit of any script. Programs ignore unknown formats.
Words = Annotated[
    str,
    AfterValidator(_check_unicode),
    AfterValidator(_check_words),
    Field(json_schema_extra={"minLength": 1, "format": "words"}),
]
Kind = Literal["Explicit", "Implicit", "EntRel", "Hypophora", "NoRel"]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _OfText(_Request):
    text: Annotated[Words, Field(description="The text. It must have a letter or a digit.")]
    paragraphs: Annotated[
        Literal["blank", "line", "none"],
        Field(description="Paragraphs end at a blank line, at every line end, or never."),
    ] = "blank"
    kinds: Annotated[
        list[Kind] | None, Field(min_length=1, description="Kinds of relations; default: all except NoRel.")
    ] = None
    between_only: Annotated[
        bool, Field(description="Only relations between neighbouring sentences, no connectives and clauses.")
    ] = False
    norel: Annotated[bool, Field(description="Also neighbouring sentences without a relation.")] = False

    @property
    def choice(self) -> RelationChoice:
        return RelationChoice.of(self.kinds, between_only=self.between_only, norel=self.norel)


class TextRequest(_OfText):
    """A text whose relations are asked for."""

    explain: Annotated[bool, Field(description="Split the score of each relation into its terms.")] = False


class Pair(_Request):
    """Two arguments: one or more sentences, or a clause, each."""

    arg1: Words
    arg2: Words
    id: Annotated[
        str | int | None,
        AfterValidator(_check_unicode),
        Field(description="Returned with the answer."),
    ] = None


class PairsRequest(_Request):
    """Pairs of arguments whose senses are asked for."""

    pairs: Annotated[list[Pair], Field(min_length=1, description="The answers have the same order.")]
    explain: Annotated[bool, Field(description="Split the score of each pair into its terms.")] = False


class ViewRequest(_OfText):
    """A text, and which of its relations to draw."""

    relation: Annotated[int, Field(ge=0, description="Index among the relations of the text, from 0.")]


def _request_kind(body: Any) -> str | None:
    if not isinstance(body, dict) or ("text" in body) == ("pairs" in body):
        return None
    return "TextRequest" if "text" in body else "PairsRequest"


RelationsRequest = Annotated[
    Annotated[TextRequest, Tag("TextRequest")] | Annotated[PairsRequest, Tag("PairsRequest")],
    Discriminator(
        _request_kind,
        custom_error_type="text_or_pairs",
        custom_error_message="Give exactly one of the fields text and pairs",
    ),
]


def field_names(place: list[Any]) -> list[str]:
    """The fields at a place in a request, such as ``["PairsRequest", "pairs", 0]``."""
    model: type[BaseModel] = ViewRequest
    if place:
        model = Pair if len(place) > 1 else {"TextRequest": TextRequest}.get(place[0], PairsRequest)
    return list(model.model_fields)


class ErrorBody(BaseModel):
    status: Annotated[int, Field(ge=400, le=599)]
    what: str
    where: Annotated[str, Field(description="A place in the request; may be empty.")]
    hint: Annotated[str, Field(description="What to do; may be empty.")]


class ErrorResponse(BaseModel):
    error: ErrorBody


class HealthResponse(BaseModel):
    status: Literal["ok"] = "ok"


class LimitsResponse(BaseModel):
    """What one request may ask for."""

    model_config = ConfigDict(from_attributes=True)

    body_bytes: int
    sentences: int
    pairs: int
    seconds: float


class ModelResponse(BaseModel):
    """The model that answers, and the limits of a request."""

    version: Annotated[int, Field(alias="schema")]
    disco2: str
    model: Json
    parser: Annotated[str, Field(description="Digest of the parser of connectives and clauses.")]
    annotators: str
    limits: LimitsResponse


class ViewedArgument(BaseModel):
    """A tree: leaves are numbered first, then inner nodes, children before parents."""

    text: str
    start: int
    end: int
    words: list[str]
    left: list[int]
    right: list[int]
    labels: list[str]
    up: Annotated[list[list[float]], Field(description="Upward vectors; empty if the model has none.")]


class ViewedMention(BaseModel):
    node: int
    text: str


class ViewedChain(BaseModel):
    """An entity of both arguments, with the downward vectors on the way to its mentions."""

    chain: str
    first: list[ViewedMention]
    second: list[ViewedMention]
    down: list[dict[str, list[float]]]


class ViewedSense(BaseModel):
    """bias + arguments + pairs + other_pairs + features + rounding = score."""

    sense: str
    probability: float
    score: float
    bias: float
    arguments: float
    pairs: list[Json]
    other_pairs: list[Json]
    features: list[Json]
    rounding: float
    words: list[Json]


class View(BaseModel):
    """A relation as in the results of ``POST /v1/relations``, with everything that a drawing needs."""

    relation: Json
    arguments: Annotated[list[ViewedArgument], Field(min_length=2, max_length=2)]
    chains: list[ViewedChain]
    member: int
    members: int
    dimensions: int
    senses: list[ViewedSense]


class ViewResponse(BaseModel):
    version: Annotated[int, Field(alias="schema")]
    view: View
    svg: Annotated[str, Field(description="Both argument trees.")]
