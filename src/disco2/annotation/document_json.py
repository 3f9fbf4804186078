"""A document with its layers as JSON, so that a text is annotated only once; see docs/json.md."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Any

from disco2.annotation.heads import token_in_cycle
from disco2.data import Constituents, Dependencies, Document, Mention, Sentence, Token
from disco2.errors import LayerError
from disco2.version import VERSION

FORMAT = 1
_HINT = "Write it anew with: disco2 annotate"

Json = dict[str, Any]


def document_to_json(document: Document, *, annotators: str = "") -> Json:
    """The document as lists, strings and numbers; ``annotators`` names the annotators of its layers."""
    return {
        "format": FORMAT,
        "disco2": VERSION,
        "annotators": annotators,
        "id": document.id,
        "text": document.text,
        "tokens": [
            {"text": token.text, "start": token.start, "end": token.end, "tag": token.tag}
            for token in document.tokens
        ],
        "sentences": [_sentence_to_json(sentence) for sentence in document.sentences],
        "mentions": None if document.mentions is None else [asdict(mention) for mention in document.mentions],
    }


def _sentence_to_json(sentence: Sentence) -> Json:
    tree, parse = sentence.constituents, sentence.dependencies
    return {
        "start": sentence.start,
        "end": sentence.end,
        "constituents": None if tree is None else _lists(tree),
        "dependencies": None if parse is None else _lists(parse),
    }


def _lists(arrays: Constituents | Dependencies) -> Json:
    return {field.name: list(getattr(arrays, field.name)) for field in fields(arrays)}


def parse_annotated(text: str | bytes, *, where: str) -> tuple[Document, str]:
    """The document in a JSON text and the names of its annotators, which may be empty.

    Raises LayerError with the place of the first value that is not valid.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LayerError(f"This is not JSON: {error}.", where=where, hint=_HINT) from None
    document = document_from_json(data, where=where)
    whole = _Reader(data, where)
    return document, whole.text("annotators") if whole.has("annotators") else ""


def document_from_json(data: object, *, where: str) -> Document:
    """The document that ``document_to_json`` wrote; every value is checked."""
    whole = _Reader(data, where)
    version = whole.number("format", least=1)
    if version > FORMAT:
        raise LayerError(
            f"The document has format {version}; this program reads formats up to {FORMAT}.",
            where=where,
            hint="Update the program with: pip install --upgrade disco2",
        )
    text = whole.text("text")
    tokens = _tokens(whole, text)
    sentences = _sentences(whole, len(tokens))
    mentions = None if whole.is_null("mentions") else _mentions(whole, len(tokens))
    return Document(whole.text("id"), text, tokens, sentences, mentions)


class _Reader:
    """One object of the JSON, with its place for messages."""

    def __init__(self, data: object, where: str) -> None:
        if not isinstance(data, dict):
            raise LayerError("This must be an object in braces.", where=where, hint=_HINT)
        self._data = data
        self.where = where

    def wrong(self, what: str) -> LayerError:
        return LayerError(what, where=self.where, hint=_HINT)

    def has(self, name: str) -> bool:
        return name in self._data

    def is_null(self, name: str) -> bool:
        if name not in self._data:
            raise self.wrong(f"'{name}' is missing.")
        return self._data[name] is None

    def number(self, name: str, *, least: int, most: int | None = None) -> int:
        found: Any = self._data.get(name)
        if not _is_number(found) or found < least or (most is not None and found > most):
            limits = f"of at least {least}" if most is None else f"from {least} to {most}"
            raise self.wrong(f"'{name}' is not a whole number {limits}.")
        return int(found)

    def text(self, name: str) -> str:
        found = self._data.get(name)
        if not isinstance(found, str):
            raise self.wrong(f"'{name}' is not a text.")
        try:
            found.encode("utf-8")
        except UnicodeEncodeError:
            raise self.wrong(f"'{name}' contains an unpaired surrogate.") from None
        return found

    def readers(self, name: str) -> list[_Reader]:
        found = self._data.get(name)
        if not isinstance(found, list):
            raise self.wrong(f"'{name}' is not a list.")
        return [_Reader(item, f"{self.where}: {name}[{place}]") for place, item in enumerate(found)]

    def reader(self, name: str) -> _Reader:
        return _Reader(self._data.get(name), f"{self.where}: {name}")

    def numbers(self, name: str, *, least: int, most: int) -> tuple[int, ...]:
        found = self._data.get(name)
        if not isinstance(found, list) or not all(
            _is_number(item) and least <= item <= most for item in found
        ):
            raise self.wrong(f"'{name}' is not a list of whole numbers from {least} to {most}.")
        return tuple(found)

    def texts(self, name: str, *, count: int | None = None) -> tuple[str, ...]:
        found = self._data.get(name)
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise self.wrong(f"'{name}' is not a list of texts.")
        if count is not None and len(found) != count:
            raise self.wrong(f"'{name}' has {len(found)} entries for {count} tokens.")
        return tuple(found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _tokens(whole: _Reader, text: str) -> tuple[Token, ...]:
    tokens = []
    behind, length = 0, len(text)
    for item in whole.readers("tokens"):
        # A token may overlap the last character of the previous one: a treebank adds a full stop after an
        # abbreviation at the end of a sentence.
        start = item.number("start", least=max(behind - 1, 0), most=length)
        end = item.number("end", least=start, most=length)
        if start < behind and end != behind:
            raise item.wrong(f"It begins before character {behind}, where the token before it ends.")
        behind = end
        if text[start:behind].isspace():
            raise item.wrong(f"It covers only space, characters {start} to {behind} of the text.")
        tokens.append(Token(item.text("text"), start, behind, item.text("tag")))
    return tuple(tokens)


def _sentences(whole: _Reader, tokens: int) -> tuple[Sentence, ...]:
    sentences = []
    behind = 0
    for item in whole.readers("sentences"):
        start = item.number("start", least=behind, most=behind)
        behind = item.number("end", least=start + 1, most=tokens)
        sentences.append(
            Sentence(
                start,
                behind,
                None if item.is_null("constituents") else _constituents(item, behind - start),
                None if item.is_null("dependencies") else _dependencies(item, behind - start),
            )
        )
    if behind != tokens:
        raise whole.wrong(f"The sentences cover {behind} of {tokens} tokens.")
    return tuple(sentences)


def _constituents(sentence: _Reader, tokens: int) -> Constituents:
    item = sentence.reader("constituents")
    labels = item.texts("labels")
    nodes = len(labels)
    starts = item.numbers("starts", least=0, most=tokens - 1)
    ends = item.numbers("ends", least=1, most=tokens)
    parents = item.numbers("parents", least=-1, most=max(nodes - 2, -1))
    if not nodes == len(starts) == len(ends) == len(parents) or not nodes:
        raise item.wrong("Its lists are empty or not equally long.")
    if (starts[0], ends[0], parents[0]) != (0, tokens, -1):
        raise item.wrong("Its first phrase does not cover the sentence.")
    covered = list(starts)  # the end of each phrase's last child
    for node in range(1, nodes):
        parent, start, end = parents[node], starts[node], ends[node]
        in_order = 0 <= parent < node and starts[node - 1] <= start
        if not in_order or not covered[parent] <= start < end <= ends[parent]:
            raise item.wrong(f"Phrase {node} is not inside its parent, or overlaps an earlier sibling.")
        covered[parent] = end
    return Constituents(labels, starts, ends, parents, item.texts("tags", count=tokens))


def _dependencies(sentence: _Reader, tokens: int) -> Dependencies:
    item = sentence.reader("dependencies")
    heads = item.numbers("heads", least=-1, most=tokens - 1)
    if len(heads) != tokens:
        raise item.wrong(f"'heads' has {len(heads)} entries for {tokens} tokens.")
    if (astray := token_in_cycle(heads)) is not None:
        raise item.wrong(f"The heads of token {astray} form a cycle.")
    return Dependencies(heads, item.texts("labels", count=tokens))


def _mentions(whole: _Reader, tokens: int) -> tuple[Mention, ...]:
    mentions = []
    for item in whole.readers("mentions"):
        start = item.number("start", least=0, most=tokens - 1)
        end = item.number("end", least=start + 1, most=tokens)
        head = item.number("head", least=start, most=end - 1)
        mentions.append(Mention(start, end, head, item.text("chain")))
    return tuple(mentions)
