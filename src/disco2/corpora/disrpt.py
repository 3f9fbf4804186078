"""The DISRPT shared tasks' relations: ``.rels`` tables, and ``.conllu`` files that hold the tokens.

Columns are found by their names in the header, since every edition has others. A relation's two units stand
in text order, and unit 1 is taken for Arg1. ``dir`` does not distinguish Arg1 and Arg2: in GUM's files, most
relations marked ``1>2`` have Arg1 first, and most whose Arg2 stands first are marked ``1<2``. So in a few
relations, mainly within sentences, Arg1 and Arg2 are not those of a label like ``Arg2-as-detail``.

Up to 2023 the files don't say whether a relation is implicit, and mix all kinds: such relations are read as
Implicit. There are no constituent trees in this format.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from disco2.annotation.layers import document_as_written
from disco2.annotation.treebanks import ConlluSentence, parse_conllu
from disco2.corpora import reading
from disco2.data import Corpus, Document, ReadIssues, Relation, RelationKind
from disco2.data.senses import SenseInventory
from disco2.errors import CorpusError

REQUIRED = ("doc", "unit1_toks", "unit2_toks", "label")
INVENTORIES = ("gdtb", "pdtb2")

_PART = re.compile(r"[-_.](train|dev|test)$", re.IGNORECASE)


class Row(NamedTuple):
    """One line of a table: its cells by column, and its place."""

    cells: Mapping[str, str]
    where: str

    @property
    def original(self) -> str:
        """The label of the corpus itself, or else that of the shared task."""
        return self.cells.get("orig_label") or self.cells["label"]

    @property
    def kind(self) -> RelationKind | None:
        stated = self.cells.get("rel_type", "")
        return reading.read_kind(stated) or reading.read_kind_without_sense(self.original)


def read_disrpt(path: Path, *, dependencies: Path | None = None) -> Corpus:
    """Read the relations of a ``.rels`` file, or of all those in a folder.

    Tokens come from the ``.conllu`` file of the same name beside it, or in the folder ``dependencies``, or
    from that file. If most of the labels are senses of the PDTB, they are read as such; otherwise all labels
    are kept as they are. A line that can't be used is a finding; CorpusError is raised if no line can.
    """
    issues = ReadIssues()
    files = (
        [path] if path.is_file() else [file for file in reading.list_files(path) if file.suffix == ".rels"]
    )
    if not files:
        raise CorpusError(
            "There is no .rels file here.", where=str(path), hint="Give a .rels file or its folder."
        )
    tables: dict[Path, list[Row]] = {}
    for file in files:
        text = reading.read_text(file, issues=issues)
        rows = reading.read_table(text, path=file, required=REQUIRED, quoted=False, issues=issues)
        tables[file] = [Row(cells, f"{file}:{line}") for line, cells in rows]
    labels = (label for table in tables.values() for row in table for label in _split_labels(row))
    known = reading.choose_inventory(labels, known=INVENTORIES)
    cache: dict[Path, dict[str, Document]] = {}
    documents: dict[str, Document] = {}
    spans: dict[str, reading.TokenSpans] = {}
    relations: dict[str, Relation] = {}
    counts: Counter[str] = Counter()
    parts: dict[str, str] = {}
    for file, table in tables.items():
        name = f"{file.stem}.conllu"
        places = [dependencies / name, dependencies] if dependencies else [file.with_name(name)]
        source = next((place for place in places if place.is_file()), None)
        if source is None:
            issues.add("no tokens", str(file), f"There is no {name} beside it; skipped.")
            continue
        if source not in cache:
            names = {row.cells["doc"] for row in table}
            unnamed = names.pop() if len(names) == 1 else file.stem
            cache[source] = _read_documents(source, unnamed, issues)
        part = _PART.search(file.stem)
        for row in table:
            name = row.cells["doc"]
            document = cache[source].get(name)
            try:
                if document is None or documents.get(name, document) is not document:
                    raise CorpusError(f"'{name}' has no tokens here, or others in an earlier file.")
                if name not in documents:
                    documents[name], spans[name] = document, reading.TokenSpans(document)
                relation = _read_relation(row, document, spans[name], known, issues)
            except CorpusError as error:
                issues.add("bad relation", row.where, f"{error.what} Skipped.")
                continue
            counts[name] += 1
            relations[row.where] = replace(relation, id=f"{name}:{counts[name]}")
            if part is not None:
                parts[name] = part[1].lower()
    if not relations:
        raise CorpusError(
            f"No relation here can be used.{reading.quote_first_fault(issues)}",
            where=str(path),
            hint="If the .conllu files lie elsewhere, name their folder.",
        )
    notes = [f"Sense inventory: {known.name}.", "Unit 1 was read as Arg1."]
    read = (row for table in tables.values() for row in table if row.where in relations)
    if without_kind := sum(row.kind is None for row in read):
        notes.append(f"{without_kind} relations don't say their kind and were read as Implicit.")
    documents = {name: documents[name] for name in counts}
    found = tuple(relations.values())
    return Corpus("disrpt", known.name, documents, found, parts, issues, notes=tuple(notes))


def _split_labels(row: Row) -> list[str]:
    """The original labels, without names of kinds; two senses are joined by a semicolon."""
    pieces = (piece.strip() for piece in row.original.split(";"))
    return [
        piece for piece in pieces if piece not in ("", "_") and reading.read_kind_without_sense(piece) is None
    ]


def _read_relation(
    row: Row, document: Document, spans: reading.TokenSpans, known: SenseInventory, issues: ReadIssues
) -> Relation:
    arguments = []
    for unit in ("unit1", "unit2"):
        tokens = _parse_tokens(row.cells[f"{unit}_toks"], unit, document, spans)
        stated = row.cells.get(f"{unit}_txt", "")
        reading.compare_text(document.words(tokens), stated, unit, where=row.where, issues=issues)
        arguments.append(reading.argument_from_tokens(document, tokens))
    kind = row.kind or RelationKind.IMPLICIT
    senses = _read_senses(row, kind, known, issues)
    return Relation("", document.id, kind, arguments[0], arguments[1], senses, where=row.where)


def _read_senses(row: Row, kind: RelationKind, known: SenseInventory, issues: ReadIssues) -> tuple[str, ...]:
    """The original label in the inventory, else the shared task's label if that is known."""
    if known.is_free:
        label = row.cells["label"].strip() or row.cells.get("orig_label", "").strip()
        return (label,) if label not in ("", "_") else ()
    shared = row.cells["label"]
    has_shared = known.resolve(shared) is not None
    labels = [
        shared if has_shared and known.resolve(label) is None else label for label in _split_labels(row)
    ]
    return reading.read_senses(labels, known, kind=kind, where=row.where, issues=issues)


def _parse_tokens(ranges: str, unit: str, document: Document, tokens: reading.TokenSpans) -> tuple[int, ...]:
    """``3-5,9`` -> 2, 3, 4, 8."""
    found: list[tuple[int, int]] = []
    for piece in ranges.split(","):
        first, _, last = piece.strip().partition("-")
        last = last or first
        if first in ("", "_"):
            continue
        if not (first.isdecimal() and last.isdecimal() and len(first) < 8 and len(last) < 8):
            raise CorpusError(f"{unit}_toks holds '{piece[:40]}', which is not a range of tokens.")
        if not 1 <= int(first) <= int(last) <= len(document.tokens):
            raise CorpusError(f"{unit} names tokens {piece}; the document has {len(document.tokens)}.")
        found.append((int(first) - 1, int(last)))
    if not found:
        raise CorpusError(f"{unit} has no tokens.")
    return tokens.tokens(reading.join_intervals(found))


def _read_documents(file: Path, unnamed: str, issues: ReadIssues) -> dict[str, Document]:
    """The documents of a ``.conllu`` file; sentences without a document belong to ``unnamed``.

    Corpora under licence are distributed with an underscore for each character of their words.
    """
    text = reading.read_text(file, issues=issues).removeprefix(reading.BYTE_ORDER_MARK)
    parses: dict[str, list[ConlluSentence]] = {}
    for sentence in parse_conllu(text, where=str(file)):
        parses.setdefault(sentence.document or unnamed, []).append(sentence)
    documents = {}
    for name, some in parses.items():
        document = document_as_written(name, some)
        if len(document.tokens) > 1 and not any(token.text.strip("_") for token in document.tokens):
            issues.add("masked text", str(file), f"The words of {name} are masked by underscores; left out.")
            continue
        pairs = zip(document.sentences, some, strict=True)
        sentences = tuple(replace(sentence, dependencies=parse.dependencies) for sentence, parse in pairs)
        documents[name] = replace(document, sentences=sentences)
    return documents
