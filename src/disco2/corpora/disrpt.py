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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from disco2.annotation.treebanks import ConlluSentence, parse_conllu
from disco2.corpora.reading import BYTE_ORDER_MARK, files_below, first_fault, lines_of, read_text
from disco2.corpora.relations import (
    TokenSpans,
    argument_from_tokens,
    check_senses_of_kind,
    choose_inventory,
    compare_text,
    join_intervals,
    read_kind,
    read_kind_without_sense,
)
from disco2.data import Corpus, Document, ReadIssues, Relation, RelationKind, Sentence, Token
from disco2.data.senses import SenseInventory
from disco2.errors import CorpusError

REQUIRED = ("doc", "unit1_toks", "unit2_toks", "label")
INVENTORIES = ("gdtb", "pdtb2")

_PART = re.compile(r"[-_.](train|dev|test)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Row:
    cells: Mapping[str, str]
    where: str


def read_disrpt(path: Path, *, conllu: Path | None = None, encoding: str = "auto") -> Corpus:
    """Read the relations of a ``.rels`` file, or of all those in a folder.

    Tokens come from the ``.conllu`` file of the same name beside it, or in the folder ``conllu``, or from the
    file ``conllu``. If most of the labels are senses of the PDTB, they are read as such; otherwise all labels
    are kept as they are. A line that can't be used is a finding; CorpusError is raised if no line can.
    """
    issues = ReadIssues()
    files = _relation_files(path)
    tables = {file: _rows(file, encoding=encoding, issues=issues) for file in files}
    rows = [row for table in tables.values() for row in table]
    known = choose_inventory("auto", (label for row in rows for label in _labels(row)), known=INVENTORIES)
    source = DisrptDocuments(conllu, encoding=encoding, issues=issues)
    reading = _Reading(known, issues)
    relations: list[Relation] = []
    documents: dict[str, Document] = {}
    parts: dict[str, str] = {}
    for file, table in tables.items():
        available = source.beside(file, [row.cells["doc"] for row in table])
        part = _PART.search(file.stem)
        for relation in reading.relations(table, available):
            document = available[relation.document]
            if documents.setdefault(document.id, document) is not document:
                detail = f"{document.id} has other tokens in an earlier file; skipped."
                issues.add("document in two files", relation.where, detail)
                continue
            if part is not None:
                parts[document.id] = part[1].lower()
            relations.append(relation)
    if not relations:
        raise CorpusError(
            f"No relation here can be used.{first_fault(issues)}",
            where=str(path),
            hint="If the .conllu files lie elsewhere, name their folder.",
        )
    notes = [f"Sense inventory: {known.name}.", "Unit 1 was read as Arg1."]
    if reading.without_kind:
        notes.append(f"{reading.without_kind} relations don't say their kind and were read as Implicit.")
    return Corpus("disrpt", known.name, documents, tuple(relations), parts, issues, notes=tuple(notes))


def _relation_files(path: Path) -> list[Path]:
    files = [path] if path.is_file() else [file for file in files_below(path) if file.suffix == ".rels"]
    if not files:
        raise CorpusError(
            "There is no .rels file here.", where=str(path), hint="Give a .rels file or its folder."
        )
    return files


def _rows(file: Path, *, encoding: str, issues: ReadIssues) -> list[_Row]:
    lines = lines_of(read_text(file, issues=issues, encoding=encoding))
    header = [name.strip() for name in lines[0].split("\t")] if lines else []
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        raise CorpusError(
            f"The header lacks the columns {', '.join(missing)}.",
            where=f"{file}:1",
            hint="The first line of a .rels file names its columns, separated by tabs.",
        )
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        cells = line.split("\t")
        if len(cells) == len(header):
            rows.append(_Row(dict(zip(header, cells, strict=True)), where))
        else:
            columns = f"{len(cells)} columns where the header has {len(header)}"
            issues.add("wrong number of columns", where, f"{columns}; skipped.")
    return rows


def _labels(row: _Row) -> list[str]:
    """The original labels, without names of kinds; two senses are joined by a semicolon."""
    original = row.cells.get("orig_label") or row.cells["label"]
    pieces = (piece.strip() for piece in original.split(";"))
    return [piece for piece in pieces if piece not in ("", "_") and read_kind_without_sense(piece) is None]


@dataclass
class _Reading:
    """What holds for all relations, and counts over them."""

    known: SenseInventory
    issues: ReadIssues
    without_kind: int = 0
    _counts: dict[str, int] = field(default_factory=dict)
    _coverage: dict[str, TokenSpans] = field(default_factory=dict)

    def relations(self, rows: Sequence[_Row], documents: Mapping[str, Document]) -> Iterator[Relation]:
        for row in rows:
            try:
                yield self._relation(row, documents)
            except CorpusError as error:
                self.issues.add("bad relation", row.where, f"{error.what} Skipped.")

    def _relation(self, row: _Row, documents: Mapping[str, Document]) -> Relation:
        name = row.cells["doc"]
        document = documents.get(name)
        if document is None:
            raise CorpusError(f"There are no usable tokens of the document '{name}'.")
        arguments = []
        for unit in ("unit1", "unit2"):
            tokens = _tokens(row.cells[f"{unit}_toks"], unit, document, self._coverage_of(document))
            argument = argument_from_tokens(document, tokens)
            stated = row.cells.get(f"{unit}_txt", "")
            compare_text(document.words(tokens), stated, unit, where=row.where, issues=self.issues)
            arguments.append(argument)
        kind = self._kind(row)
        number = self._counts[name] = self._counts.get(name, 0) + 1
        return Relation(
            id=f"{name}:{number}",
            document=name,
            kind=kind,
            arg1=arguments[0],
            arg2=arguments[1],
            senses=self._senses(row, kind),
            where=row.where,
        )

    def _coverage_of(self, document: Document) -> TokenSpans:
        if document.id not in self._coverage:
            self._coverage[document.id] = TokenSpans.of(document)
        return self._coverage[document.id]

    def _kind(self, row: _Row) -> RelationKind:
        stated = row.cells.get("rel_type", "").strip()
        kind = read_kind(stated)
        if kind is not None:
            return kind
        named = read_kind_without_sense(row.cells.get("orig_label") or row.cells["label"])
        if named is not None:
            return named
        if stated not in ("", "_"):
            self.issues.add("unknown kind of relation", row.where, f"'{stated}' was read as Implicit.")
        self.without_kind += 1
        return RelationKind.IMPLICIT

    def _senses(self, row: _Row, kind: RelationKind) -> tuple[str, ...]:
        """The original label through the inventory, else the shared task's own label if that is known."""
        if self.known.is_free:
            label = row.cells["label"].strip() or row.cells.get("orig_label", "").strip()
            return (label,) if label not in ("", "_") else ()
        senses: list[str] = []
        for label in _labels(row):
            resolved = self.known.resolve(label)
            if resolved is not None and resolved.repaired:
                detail = f"'{label}' was read as '{resolved.sense}'."
                self.issues.add("misspelt sense", row.where, detail)
            resolved = resolved or self.known.resolve(row.cells["label"])
            if resolved is None:
                detail = f"'{label}' is no sense of {self.known.name}; left out."
                self.issues.add("unknown sense", row.where, detail)
            else:
                senses.append(resolved.sense)
        return check_senses_of_kind(kind, tuple(dict.fromkeys(senses)), where=row.where, issues=self.issues)


def _tokens(ranges: str, unit: str, document: Document, coverage: TokenSpans) -> tuple[int, ...]:
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
            raise CorpusError(
                f"{unit} names tokens {piece.strip()}; the document has {len(document.tokens)}."
            )
        found.append((int(first) - 1, int(last)))
    if not found:
        raise CorpusError(f"{unit} has no tokens.")
    return coverage.tokens(join_intervals(found))


class DisrptDocuments:
    """The documents of ``.conllu`` files, found for one ``.rels`` file after the other.

    Looks beside the relations, in a folder, or in one file that holds all tokens.
    """

    def __init__(self, conllu: Path | None, *, encoding: str, issues: ReadIssues) -> None:
        self._conllu = conllu
        self._encoding = encoding
        self._issues = issues
        self._read: dict[Path, dict[str, Document]] = {}

    def beside(self, file: Path, names: Sequence[str]) -> dict[str, Document]:
        """The documents for a ``.rels`` file that names these; a finding where there are none."""
        for candidate in self._candidates(file):
            if candidate.is_file():
                return self._documents(candidate, only_name=names[0] if len(set(names)) == 1 else file.stem)
        self._issues.add(
            "no tokens", str(file), f"There is no {file.stem}.conllu beside it; the file was skipped."
        )
        return {}

    def _candidates(self, file: Path) -> list[Path]:
        name = f"{file.stem}.conllu"
        if self._conllu is None:
            return [file.with_suffix(".conllu")]
        return [self._conllu / name, self._conllu]

    def _documents(self, conllu: Path, *, only_name: str) -> dict[str, Document]:
        if conllu not in self._read:
            text = read_text(conllu, issues=self._issues, encoding=self._encoding).removeprefix(
                BYTE_ORDER_MARK
            )
            by_document: dict[str, list[ConlluSentence]] = {}
            for sentence in parse_conllu(text, where=str(conllu)):
                by_document.setdefault(sentence.document or only_name, []).append(sentence)
            documents = {name: conllu_document(name, sentences) for name, sentences in by_document.items()}
            masked = [name for name, document in documents.items() if is_masked(document)]
            for name in masked:
                detail = f"The words of {name} are masked by underscores; it was left out."
                self._issues.add("masked text", str(conllu), detail)
                del documents[name]
            self._read[conllu] = documents
        return self._read[conllu]


def conllu_document(name: str, sentences: Sequence[ConlluSentence]) -> Document:
    """Make a document of parsed sentences, with the file's spaces and each sentence on its own line."""
    pieces: list[str] = []
    tokens: list[Token] = []
    made: list[Sentence] = []
    offset = 0
    for sentence in sentences:
        first = len(tokens)
        glued = sentence.glued or (False,) * len(sentence.words)
        for place, (word, tag) in enumerate(zip(sentence.words, sentence.tags, strict=True)):
            tokens.append(Token(word, offset, offset + len(word), tag))
            last = place + 1 == len(sentence.words)
            space = "\n" if last else "" if glued[place] else " "
            pieces.append(word + space)
            offset += len(word) + len(space)
        made.append(Sentence(first, len(tokens), dependencies=sentence.dependencies))
    return Document(name, "".join(pieces), tuple(tokens), tuple(made))


def is_masked(document: Document) -> bool:
    """Corpora under licence are distributed with an underscore for each character of their words."""
    return len(document.tokens) > 1 and all(not token.text.strip("_") for token in document.tokens)
