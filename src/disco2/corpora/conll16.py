"""The CoNLL-2015 and CoNLL-2016 shared tasks' JSON: relations, and a file of parses that holds the tokens.

A folder holds ``relations.json`` (``pdtb-data.json`` in 2015) and ``parses.json`` (``pdtb-parses.json``),
and often the texts in ``raw``; or it holds one such folder for each part, named like ``...-train``. The
senses are a selection of PDTB 2's. EntRel, which the shared task counts among them, is a kind here, and a
label only for a task that says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from disco2.annotation.layers import document_as_written
from disco2.annotation.treebanks import ConlluSentence, parse_brackets, unescape
from disco2.corpora import reading
from disco2.corpora.wsj import WsjLayers
from disco2.data import (
    Constituents,
    Corpus,
    Dependencies,
    Document,
    ReadIssues,
    Relation,
    RelationKind,
    Sentence,
    Token,
)
from disco2.data.records import find_runs, token_in_cycle
from disco2.errors import CorpusError, LayerError
from disco2.files import is_file_name

RELATION_FILES = ("relations.json", "pdtb-data.json", "relations-no-senses.json")
PARSE_FILES = ("parses.json", "pdtb-parses.json")
INVENTORIES = ("pdtb2", "pdtb3", "gdtb")
QUOTES = ("``", "''")

_PART = re.compile(r"(?:^|[-_.])(train|dev|test|trial|blind)(?:[-_.]test)?$", re.IGNORECASE)


def read_conll16(
    path: Path,
    *,
    trees: Path | None = None,
    coreference: Path | None = None,
    dependencies: Path | None = None,
) -> Corpus:
    """Read the relations of a shared task folder, or of its parts, with tokens, trees and dependencies.

    The shared tasks' senses are PDTB 2's; other corpora in this form may have those of PDTB 3 or GDTB. The
    texts are in ``raw`` or rebuilt from the tokens. The parses are automatic: ``trees`` and ``dependencies``
    are folders with others that replace them. ``coreference``, which the shared tasks don't have, is a folder
    with that of OntoNotes.

    A relation that can't be used is a finding, as are a sentence's broken tree or dependencies. Raises
    CorpusError if a file is missing, the parses are not JSON, or no relation can be used.
    """
    issues = ReadIssues()
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    parts: dict[str, str] = {}
    for folder, relation_file, parse_file in _part_folders(path):
        fresh = _read_parses(parse_file, folder / "raw", issues)
        for name in [name for name in fresh if name in documents]:
            issues.add("document in two parts", str(folder), f"{name} was left out of this one.")
            del fresh[name]
        documents |= fresh
        part = _PART.search(folder.name)
        if part is not None:
            parts |= dict.fromkeys(fresh, part[1].lower())
        found = _read_relations(relation_file, fresh, issues)
        relations.extend(reading.drop_doubles(found, issues=issues))
    if not relations:
        fault = reading.quote_first_fault(issues)
        raise CorpusError(f"No relation of this corpus can be used.{fault}", where=str(path))
    layers = WsjLayers(trees=trees, coreference=coreference, dependencies=dependencies, issues=issues)
    documents = {name: layers.attach(one, trees=True) for name, one in documents.items()}
    known = reading.choose_inventory((label for one in relations for label in one.senses), known=INVENTORIES)
    resolved = []
    for one in relations:
        senses = reading.read_senses(one.senses, known, kind=one.kind, where=one.where, issues=issues)
        resolved.append(replace(one, senses=senses))
    notes = (f"Sense inventory: {known.name}.",)
    return Corpus("conll16", known.name, documents, tuple(resolved), parts, issues, notes=notes)


def _part_folders(path: Path) -> list[tuple[Path, Path, Path]]:
    """The folders of the parts, or the one folder, each with its files of relations and of parses."""

    def files(folder: Path) -> list[Path]:
        kinds = ([folder / name for name in names] for names in (RELATION_FILES, PARSE_FILES))
        return [file for some in kinds if (file := next(filter(Path.is_file, some), None))]

    folder = path.parent if path.is_file() else path
    inside = sorted(child for child in folder.iterdir() if child.is_dir()) if folder.is_dir() else []
    found = [(one, files(one)) for one in (folder, *inside)]
    complete = [(one, both[0], both[1]) for one, both in found if len(both) == 2]
    if not complete:
        raise CorpusError("There is no folder with relations.json and parses.json here.", where=str(path))
    return complete[:1] if complete[0][0] == folder else complete


def _read_relations(file: Path, documents: dict[str, Document], issues: ReadIssues) -> Iterator[Relation]:
    """Relations with their senses as the file spells them."""
    spans = {name: reading.TokenSpans(document) for name, document in documents.items()}
    text = reading.read_text(file, issues=issues)
    for number, record in reading.read_json_lines(text, path=file, issues=issues):
        where = f"{file}:{number}"
        try:
            name = record.get("DocID")
            if not isinstance(name, str) or name not in documents:
                raise CorpusError(f"There are no parses of the document {reading.shorten(name)}.")
            given = record.get("ID")
            relation_id = str(given) if isinstance(given, int | str) and given != "" else f"{name}:{number}"
            yield _relation(record, relation_id, documents[name], spans[name], where, issues)
        except CorpusError as error:
            issues.add("bad relation", where, f"{error.what} Skipped.")


def _relation(
    record: dict[str, Any],
    name: str,
    document: Document,
    spans: reading.TokenSpans,
    where: str,
    issues: ReadIssues,
) -> Relation:
    """One relation. Raises CorpusError if it can't be used."""
    keys = ("Arg1", "Arg2", "Connective") if record.get("Connective") else ("Arg1", "Arg2")
    tokens = {key: _tokens(record.get(key), key, document, spans) for key in keys}
    stated = {key: text for key in keys if isinstance(text := record[key].get("RawText"), str)}
    for key, text in stated.items():
        reading.compare_text(document.words(tokens[key]), text, key, where=where, issues=issues)
    if not tokens["Arg1"] or not tokens["Arg2"]:
        raise CorpusError("An argument has no tokens.")
    senses, connective = record.get("Sense"), tokens.get("Connective", ())
    return Relation(
        id=name,
        document=document.id,
        kind=_kind(record.get("Type"), explicit=bool(connective)),
        arg1=reading.argument_from_tokens(document, tokens["Arg1"]),
        arg2=reading.argument_from_tokens(document, tokens["Arg2"]),
        senses=tuple(one for one in senses if isinstance(one, str)) if isinstance(senses, list) else (),
        connective=stated.get("Connective", ""),
        connective_tokens=connective,
        where=where,
    )


def _kind(label: object, *, explicit: bool) -> RelationKind:
    """The kind; the input of the sense classification task has none, and a connective decides."""
    label = label or (RelationKind.EXPLICIT if explicit else RelationKind.IMPLICIT)
    kind = reading.read_kind(label) if isinstance(label, str) else None
    if kind is None:
        raise CorpusError(f"Unknown type {reading.shorten(label)}.")
    return kind


def _tokens(span: object, key: str, document: Document, spans: reading.TokenSpans) -> tuple[int, ...]:
    """Token numbers in the document: the third of five numbers in gold lists, the only one in others."""
    items = span.get("TokenList") if isinstance(span, dict) else None
    if not isinstance(items, list):
        raise CorpusError(f"{key} has no TokenList.")
    tokens = [item[2] if isinstance(item, list) and len(item) == 5 else item for item in items]
    for token in tokens:
        if type(token) is not int or not 0 <= token < len(document.tokens):  # true is an int
            raise CorpusError(
                f"{key} names token {reading.shorten(token)}; the document has {len(document.tokens)}."
            )
    return spans.tokens(find_runs(sorted(set(tokens))))


def _read_parses(file: Path, raw: Path, issues: ReadIssues) -> dict[str, Document]:
    """The documents of a file of parses; one that can't be used is a finding."""
    text = reading.read_text(file, issues=issues)
    try:
        parses = reading.parse_json(text.removeprefix(reading.BYTE_ORDER_MARK))
    except reading.BrokenJsonError as error:
        where = f"{file}:{error.line}"
        raise CorpusError(f"The parses are not JSON: {error.reason}.", where=where) from None
    if not isinstance(parses, dict):
        raise CorpusError("The parses are not an object with one entry for each document.", where=str(file))
    documents = {}
    for name, entry in parses.items():
        where = f"{file}: {name:.80}"
        try:
            documents[name] = _document(name, entry, where, raw, issues)
        except CorpusError as error:
            issues.add("bad document", error.where or where, f"{error.what} Left out.")
    return documents


def _document(name: str, entry: object, where: str, raw: Path, issues: ReadIssues) -> Document:
    """One document; in a text that is rebuilt, a space is wherever the offsets of the words have a gap."""
    sentences = entry.get("sentences") if isinstance(entry, dict) else None
    if not isinstance(sentences, list):
        raise CorpusError("The document has no list of sentences.", where=where)
    words: list[Token] = []  # with their forms and offsets as the parses have them
    made: list[Sentence] = []
    for number, sentence in enumerate(sentences):
        place = f"{where}, sentence {number}"
        if not isinstance(sentence, dict) or not isinstance(sentence.get("words"), list):
            raise CorpusError("The sentence has no list of words.", where=place)
        first = len(words)
        words += [_word(item, place) for item in sentence["words"]]
        if count := len(words) - first:
            tree = _constituents(sentence.get("parsetree"), count, place, issues)
            arcs = _dependencies(sentence.get("dependencies"), count, place, issues)
            made.append(Sentence(first, len(words), tree, arcs))
    text = _raw_text(raw, name, words, issues)
    if text is not None:
        tokens = (Token(unescape(text[one.start : one.end]), one.start, one.end, one.tag) for one in words)
        return Document(name, text, tuple(tokens), tuple(made))
    forms = tuple('"' if one.text in QUOTES else unescape(one.text) for one in words)
    glued = (*(one.end == other.start for one, other in pairwise(words)), False)[: len(words)]
    whole = ConlluSentence(forms, tuple(one.tag for one in words), None, 1, glued=glued)
    return replace(document_as_written(name, [whole]), sentences=tuple(made))


def _raw_text(raw: Path, name: str, words: list[Token], issues: ReadIssues) -> str | None:
    """The document's text, if there is a file with it and the words are where the parses say."""
    if not is_file_name(name) or not (raw / name).is_file():
        return None
    text, reached = reading.read_text(raw / name, issues=issues), 0
    for word in words:
        # A full stop that a treebank adds after an abbreviation is on the last character of another word.
        follows = word.start >= reached or (word.start, word.end) == (reached - 1, reached)
        found = text[word.start : word.end] if follows and word.start < word.end <= len(text) else ""
        reached, form = word.end, unescape(word.text)
        if not found.strip() or (len(form) == len(found) and found not in (word.text, form)):
            detail = f"{reading.shorten(word.text)} is not at {reading.shorten(word.start)}; it was rebuilt."
            issues.add("text does not fit its tokens", str(raw / name), detail)
            return None
    return text


def _constituents(tree: object, length: int, where: str, issues: ReadIssues) -> Constituents | None:
    """The phrases of one sentence; without a tree over its words, such as ``(())``, there is a finding."""
    if not isinstance(tree, str) or not tree.strip():
        return None
    if not tree.strip("() \t\r\n"):
        issues.add("no parse", where, f"The tree is '{tree.strip()[:20]}'; the sentence has no phrases.")
        return None
    try:
        trees = parse_brackets(tree, where=where)
        if len(trees) == 1 and len(trees[0].words) == length:
            return trees[0].constituents
        fault = f"It has {len(trees)} roots, or not {length} words."
    except LayerError as error:
        fault = error.what
    issues.add("bad tree", where, f"{fault} The sentence has no phrases.")
    return None


def _dependencies(arcs: object, length: int, where: str, issues: ReadIssues) -> Dependencies | None:
    """Heads from arcs ``[label, "governor-3", "dependent-1"]``, counted from 1; governor 0 is the root.

    The parses leave punctuation out: such words are hung below the root as ``punct``.
    """
    if not isinstance(arcs, list) or not arcs:
        return None
    heads: dict[int, int] = {}
    labels: dict[int, str] = {}
    for arc in arcs:
        is_arc = isinstance(arc, list) and len(arc) == 3 and all(isinstance(item, str) for item in arc)
        governor, dependent = (_number(arc[1]), _number(arc[2])) if is_arc else (-1, -1)
        if not (0 <= governor <= length and 1 <= dependent <= length):
            detail = f"{reading.shorten(arc)} is not a label and two words of the sentence; left out."
            issues.add("bad dependency", where, detail)
        elif governor != dependent and dependent - 1 not in heads:
            heads[dependent - 1], labels[dependent - 1] = governor - 1, arc[0]
    root = min((token for token, head in heads.items() if head == -1), default=0)
    others = (token for token in range(length) if token != root and heads.get(token, -1) == -1)
    heads = {**heads, **dict.fromkeys(others, root), root: -1}
    found = tuple(heads[token] for token in range(length))
    if token_in_cycle(found) is not None:
        issues.add("bad dependencies", where, "They run in a circle; the sentence has none now.")
        return None
    labels.setdefault(root, "root")
    return Dependencies(found, tuple(labels.get(token, "punct") for token in range(length)))


def _word(item: object, where: str) -> Token:
    if isinstance(item, list) and [type(one) for one in item] == [str, dict] and item[0].strip():
        form, properties = item
        start, end = properties.get("CharacterOffsetBegin"), properties.get("CharacterOffsetEnd")
        if type(start) is int and type(end) is int:  # true is an int
            tag = properties.get("PartOfSpeech")
            return Token(form, start, end, tag if isinstance(tag, str) else "")
    raise CorpusError(f"{reading.shorten(item)} is no word with character offsets.", where=where)


def _number(word: str) -> int:
    """The number after the last hyphen, -1 if there is none: words may have hyphens, too."""
    digits = word.rpartition("-")[2]
    return int(digits) if digits.isdecimal() and len(digits) < 7 else -1


def write_identity(name: str) -> int | str:
    """Write an ID as a number if it is one: the shared task's evaluation expects the same type."""
    return int(name) if name.isascii() and name.isdecimal() and str(int(name)) == name else name
