"""What clients send, as the API describes it. Unknown names are refused, and no value is converted."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from disco2.inference.prediction import RelationChoice
from disco2.inference.results import Json


def _whole(text: str) -> str:
    """JSON can write half of a character; nothing else can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PydanticCustomError("string_unicode", "half of a character") from None
    return text


WholeText = Annotated[str, AfterValidator(_whole)]
Paragraphs = Annotated[
    Literal["blank", "line", "none"],
    Field(description="Where paragraphs end: at a blank line, at every line end, or nowhere."),
]
# A letter or a digit of any script, for which regular expressions have no pattern in common. Programs
# ignore a format that they don't know.
WORDS = {"format": "words"}
Text = Annotated[
    WholeText,
    Field(
        min_length=1,
        description="The running text. It must have a letter or a digit.",
        json_schema_extra=WORDS,
    ),
]
Explain = Annotated[bool, Field(description="Split the score of each relation into its terms.")]
Argument = Annotated[
    WholeText,
    Field(
        min_length=1,
        description="One or more sentences, or a clause. It must have a letter or a digit.",
        json_schema_extra=WORDS,
    ),
]


Kind = Literal["Explicit", "Implicit", "EntRel", "Hypophora", "NoRel"]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _OfText(_Body):
    """A running text, and which of its relations are asked for."""

    text: Text
    paragraphs: Paragraphs = "blank"
    kinds: Annotated[
        list[Kind] | None,
        Field(min_length=1, description="The kinds of relations to give; without it, all but NoRel."),
    ] = None
    between_only: Annotated[
        bool, Field(description="Judge neighbouring sentences alone; look for no connectives and clauses.")
    ] = False
    norel: Annotated[bool, Field(description="Give neighbouring sentences without a relation too.")] = False

    @property
    def choice(self) -> RelationChoice:
        return RelationChoice.of(self.kinds, between_only=self.between_only, norel=self.norel)


class TextBody(_OfText):
    """A running text, all of whose relations are asked for, or some kinds of them."""

    explain: Explain = False


class PairBody(_Body):
    """Two arguments to be judged."""

    arg1: Argument
    arg2: Argument
    id: Annotated[WholeText | int | None, Field(description="Comes back with the answer.")] = None


class PairsBody(_Body):
    """Pairs of arguments, each judged on its own."""

    pairs: Annotated[
        list[PairBody], Field(min_length=1, description="The pairs; the answers keep their order.")
    ]
    explain: Explain = False


class ViewBody(_OfText):
    """A running text, and which of its relations to look at."""

    relation: Annotated[
        int, Field(ge=0, description="Its index among the relations that are asked for, from 0.")
    ]


def body_schemas(*, most_pairs: int) -> Json:
    """The JSON Schemas of all bodies, by name, as they stand in an OpenAPI description."""
    found: Json = {}
    for model in (TextBody, PairsBody, ViewBody):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        found |= schema.pop("$defs", {})
        found[model.__name__] = schema
    found["PairsBody"]["properties"]["pairs"]["maxItems"] = most_pairs
    return found
