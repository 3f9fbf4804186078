"""A document with its layers as JSON, so that a text is annotated only once; see docs/json.md."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from disco2.annotation.heads import token_in_cycle
from disco2.data import Constituents, Dependencies, Document, Mention, Sentence, Token
from disco2.errors import LayerError
from disco2.version import VERSION

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = 1
_HINT = "Write it again with: disco2 annotate"

_T = TypeVar("_T")


@cache
def _adapter(record: type[_T]) -> TypeAdapter[_T]:
    from pydantic import TypeAdapter

    return TypeAdapter(record)


def document_to_json(document: Document, *, annotators: str = "") -> dict[str, Any]:
    """The document as lists, strings and numbers; ``annotators`` names the annotators of its layers."""
    layers = _adapter(Document).dump_python(document, mode="json")
    return {"format": FORMAT, "disco2": VERSION, "annotators": annotators, **layers}


@dataclass(frozen=True)
class _Stored:
    """The fields of the JSON; pydantic checks their types."""

    format: int
    id: str
    text: str
    tokens: tuple[Token, ...]
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...] | None
    annotators: str = ""


def parse_annotated(text: str | bytes, *, where: str) -> tuple[Document, str]:
    """The document in a JSON text and the names of its annotators, which may be empty.

    Raises LayerError with the place of the first value that is not valid.
    """
    from pydantic import ValidationError

    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text))
        stored = _adapter(_Stored).validate_json(text, strict=True)
    except UnicodeDecodeError as error:
        raise LayerError(f"This is not JSON: {error}.", where=where, hint=_HINT) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
        raise _invalid(where, place.removeprefix("."), f"{first['msg']}.") from None
    if not 1 <= stored.format <= FORMAT:
        raise LayerError(
            f"The document has format {stored.format}; this program reads formats up to {FORMAT}.",
            where=where,
            hint="Update the program with: pip install --upgrade disco2",
        )
    _check_tokens(stored, where)
    _check_sentences(stored, where)
    for number, one in enumerate(stored.mentions or ()):
        if not 0 <= one.start <= one.head < one.end <= len(stored.tokens):
            raise _invalid(where, f"mentions[{number}]", "Its tokens or its head are out of range.")
    document = Document(stored.id, stored.text, stored.tokens, stored.sentences, stored.mentions)
    return document, stored.annotators


def _invalid(where: str, place: str, what: str) -> LayerError:
    return LayerError(what, where=f"{where}: {place}" if place else where, hint=_HINT)


def _check_tokens(stored: _Stored, where: str) -> None:
    behind = 0
    for number, token in enumerate(stored.tokens):
        place = f"tokens[{number}]"
        # A token may overlap the last character of the previous one: a treebank adds a full stop after an
        # abbreviation at the end of a sentence.
        overlaps = token.start < behind and not (token.start == behind - 1 and token.end == behind)
        if overlaps or not 0 <= token.start <= token.end <= len(stored.text):
            raise _invalid(where, place, "It is outside the text, or overlaps the previous token.")
        if stored.text[token.start : token.end].isspace():
            raise _invalid(where, place, f"It covers only space, characters {token.start} to {token.end}.")
        behind = token.end


def _check_sentences(stored: _Stored, where: str) -> None:
    behind = 0
    for number, sentence in enumerate(stored.sentences):
        place = f"sentences[{number}]"
        if not behind == sentence.start < sentence.end <= len(stored.tokens):
            raise _invalid(where, place, f"It must begin at token {behind} and have at least one token.")
        behind = sentence.end
        tree, parse = sentence.constituents, sentence.dependencies
        if tree is not None and (fault := _fault_of_phrases(tree, len(sentence))):
            raise _invalid(where, f"{place}.constituents", fault)
        if parse is not None and (fault := _fault_of_heads(parse, len(sentence))):
            raise _invalid(where, f"{place}.dependencies", fault)
    if behind != len(stored.tokens):
        raise _invalid(where, "", f"The sentences cover {behind} of {len(stored.tokens)} tokens.")


def _fault_of_phrases(tree: Constituents, tokens: int) -> str:
    """What is wrong with a tree; empty if nothing is."""
    nodes = len(tree.labels)
    if not nodes == len(tree.starts) == len(tree.ends) == len(tree.parents) or not nodes:
        return "Its lists are empty or not equally long."
    if len(tree.tags) != tokens:
        return f"'tags' has {len(tree.tags)} entries for {tokens} tokens."
    if (tree.starts[0], tree.ends[0], tree.parents[0]) != (0, tokens, -1):
        return "Its first phrase does not cover the sentence."
    covered = list(tree.starts)  # the end of each phrase's last child
    for node in range(1, nodes):
        parent, start, end = tree.parents[node], tree.starts[node], tree.ends[node]
        in_order = 0 <= parent < node and tree.starts[node - 1] <= start
        if not in_order or not covered[parent] <= start < end <= tree.ends[parent]:
            return f"Phrase {node} is not inside its parent, or overlaps an earlier sibling."
        covered[parent] = end
    return ""


def _fault_of_heads(parse: Dependencies, tokens: int) -> str:
    """What is wrong with dependencies; empty if nothing is."""
    if not tokens == len(parse.heads) == len(parse.labels):
        return f"{len(parse.heads)} heads and {len(parse.labels)} labels for {tokens} tokens."
    if not all(-1 <= head < tokens for head in parse.heads):
        return "A head is not a token of the sentence."
    if (astray := token_in_cycle(parse.heads)) is not None:
        return f"The heads of token {astray} lead into a cycle."
    return ""
