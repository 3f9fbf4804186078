"""Pairs of arguments, one a line: JSON lines, or a table with a header (comma, semicolon or tab).

Columns: ``arg1`` and ``arg2``, and optionally ``label`` (in JSON also a list of labels), ``id``, ``split``
(train, dev, test), ``source`` (folds keep pairs of one source together), ``kind`` (default: Implicit) and, in
JSON, ``votes``, an object of labels with numbers. Other columns are ignored. Every pair becomes a document
with a paragraph for each argument.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from disco2.annotation.text import pair_spans, pair_text, tokenise
from disco2.corpora import reading
from disco2.data import (
    WITHOUT_SENSE,
    Argument,
    Corpus,
    Document,
    ReadIssues,
    Relation,
    RelationKind,
    Sentence,
    Token,
)
from disco2.data.senses import SenseInventory, inventory
from disco2.errors import CorpusError
from disco2.files import write_text

NAME = "pairs"
REQUIRED = ("arg1", "arg2")
JSON_ENDINGS = (".jsonl", ".ndjson", ".json")
TABLE_ENDINGS = (".csv", ".tsv", ".tab")
MOST_VOTES = 1e9  # for one label
SPLIT_NAMES = {
    "valid": "dev",
    "validation": "dev",
    "development": "dev",
    "training": "train",
    "testing": "test",
}

Record = Mapping[str, object]


def read_pairs(path: Path, *, inventory_name: str = "free") -> Corpus:
    """Read the pairs of a JSON lines or table file; without an inventory, labels are kept as they are.

    A line that can't be used is a finding. Raises CorpusError if no line can, or if a table has no
    columns ``arg1`` and ``arg2``.
    """
    issues = ReadIssues()
    known = inventory(inventory_name)
    text = reading.read_text(path, issues=issues)
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    parts: dict[str, str] = {}
    groups: dict[str, str] = {}
    for line, record in _read_records(text, path=path, issues=issues):
        where = f"{path}:{line}"
        name = _text(record, "id") or f"{path.stem}:{line}"
        if name in documents:
            issues.add("repeated id", where, f"The id '{name}' was used before; the line number was added.")
        while name in documents:
            name = f"{name}:{line}"
        pair = _pair(name, record, known, where=where, issues=issues)
        if pair is None:
            continue
        documents[name], relation = pair
        relations.append(relation)
        if source := _text(record, "source"):
            groups[name] = source
        if split := _text(record, "split").lower():
            parts[name] = SPLIT_NAMES.get(split, split)
            if parts[name] not in SPLIT_NAMES.values():
                issues.add("unknown split", where, f"'{split}' is not train, dev or test.")
    if not relations:
        raise CorpusError(
            "No line of this file is a usable pair." + reading.quote_first_fault(issues),
            where=str(path),
            hint='A line of JSON looks like {"arg1": "...", "arg2": "...", "label": "..."}.',
        )
    notes = tuple(_notes(relations, parts))
    return Corpus(NAME, known.name, documents, tuple(relations), parts, issues, notes=notes, groups=groups)


def write_pairs(corpus: Corpus, path: Path) -> None:
    """Write one line of JSON a relation: ``arg1, arg2, label, id, split, source, kind``, and any ``votes``.

    Two senses are a list. ``source`` is the document, or the source that it is an excerpt of.
    """
    pairs = (
        {
            "arg1": one.arg1.text,
            "arg2": one.arg2.text,
            "label": list(one.senses) if len(one.senses) > 1 else next(iter(one.senses), None),
            "id": one.id,
            "split": corpus.parts.get(one.document),
            "source": corpus.groups.get(one.document, one.document),
            "kind": str(one.kind),
            **({"votes": dict(one.votes)} if one.votes else {}),
        }
        for one in corpus.relations
    )
    write_text(path, (f"{json.dumps(pair, ensure_ascii=False)}\n" for pair in pairs))


def pair_document(name: str, arg1: str, arg2: str) -> tuple[Document, Argument, Argument]:
    """A document of two arguments, split into words and sentences by rule."""
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    arguments: list[Argument] = []
    for argument, (offset, _) in zip((arg1, arg2), pair_spans(arg1, arg2), strict=True):
        first = len(tokens)
        for words in tokenise(argument):
            if words:
                sentences.append(Sentence(len(tokens), len(tokens) + len(words)))
                tokens.extend(
                    replace(word, start=word.start + offset, end=word.end + offset) for word in words
                )
        arguments.append(Argument(tuple(range(first, len(tokens))), argument))
    document = Document(name, pair_text(arg1, arg2), tuple(tokens), tuple(sentences))
    return document, arguments[0], arguments[1]


def _read_records(text: str, *, path: Path, issues: ReadIssues) -> Iterator[tuple[int, Record]]:
    """Yield the first line of every record, and its cells by columns in lower case."""
    ending, start = path.suffix.lower(), text.removeprefix(reading.BYTE_ORDER_MARK).lstrip()[:1]
    if ending in TABLE_ENDINGS or (ending not in JSON_ENDINGS and start != "{"):
        for line, row in reading.read_table(text, path=path, required=REQUIRED, issues=issues):
            yield line, {name: cell for name, cell in row.items() if name != "votes"}  # JSON alone has them
        return
    for line, record in reading.read_json_lines(text, path=path, issues=issues):
        yield line, {key.strip().lower(): value for key, value in record.items()}


def _pair(
    name: str, record: Record, known: SenseInventory, *, where: str, issues: ReadIssues
) -> tuple[Document, Relation] | None:
    document, arg1, arg2 = pair_document(name, _text(record, "arg1"), _text(record, "arg2"))
    if not arg1.tokens or not arg2.tokens:
        issues.add("empty argument", where, f"{'arg2' if arg1.tokens else 'arg1'} has no word; skipped.")
        return None
    kind = reading.read_kind(_text(record, "kind") or RelationKind.IMPLICIT)
    if kind is None:
        issues.add("unknown kind of relation", where, f"'{_text(record, 'kind')}'; skipped.")
        return None
    labels = _labels(record, where=where, issues=issues)
    senses = reading.read_senses(labels, known, where=where, issues=issues)
    connective = _text(record, "connective")
    votes = _votes(record.get("votes"), known, where=where, issues=issues)
    return document, Relation(name, name, kind, arg1, arg2, senses, connective, where=where, votes=votes)


def _votes(
    given: object, known: SenseInventory, *, where: str, issues: ReadIssues
) -> tuple[tuple[str, float], ...]:
    """A distribution over senses from an object such as {"Contingency.Cause": 7, "EntRel": 3}."""
    if given is None:
        return ()
    found: dict[str, float] = {}
    usable = isinstance(given, dict)
    for label, vote in given.items() if isinstance(given, dict) else ():
        if not isinstance(vote, int | float) or isinstance(vote, bool) or not 0 <= vote < MOST_VOTES:
            usable = False
        elif vote:
            for sense in reading.read_senses([label], known, where=where, issues=issues):
                found[sense] = found.get(sense, 0.0) + vote
    if not usable or not found:
        what = f"{reading.shorten(given)} has something else than labels with numbers from 0 to a billion."
        issues.add("unusable votes", where, what)
    return reading.normalise_votes(found)


def _labels(record: Record, *, where: str, issues: ReadIssues) -> list[str]:
    given = record.get("label")
    items = given if isinstance(given, list) else [given]
    labels = [str(item).lower() if isinstance(item, bool) else _plain(item) for item in items]
    if any(isinstance(item, list | dict) for item in items):
        issues.add("unusable label", where, f"{reading.shorten(given)} can't be a label; left out.")
    return labels


def _text(record: Record, column: str) -> str:
    """A cell as text: numbers are written out, anything that is not a plain value counts as empty."""
    return _plain(record.get(column))


def _plain(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    is_empty = isinstance(value, float) and not math.isfinite(value)  # NaN is a cell left empty
    return "" if is_empty else str(value).strip()


def _notes(relations: Sequence[Relation], parts: Mapping[str, str]) -> Iterator[str]:
    labels = {sense for relation in relations for sense in relation.senses}
    for label in sorted(labels & WITHOUT_SENSE):
        yield f"A model never answers the label {label} for two given arguments: use another name for it."
    pairs = [(parts.get(one.document, "train"), (one.arg1.text, one.arg2.text)) for one in relations]
    trained_on = {pair for part, pair in pairs if part == "train"}
    twice = Counter(part for part, pair in pairs if part != "train" and pair in trained_on)
    for part, count in sorted(twice.items()):
        yield f"{count} pairs of {part} are in train as well, word for word: figures on {part} are too good."
