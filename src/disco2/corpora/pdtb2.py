"""The Penn Discourse Treebank 2.0: relations in the native or pipe encoding, with raw text or trees.

LDC ships the corpus in the native encoding. One line a row; text in quotes is literal::

    file       = relation*
    relation   = rule, (explicit | altlex | implicit | entrel | norel), rule
    rule       = "________________________________________________________"

    explicit   = "____Explicit____", selection, features, connective, arguments
    altlex     = "____AltLex____", selection, features, senses, arguments
    implicit   = "____Implicit____", site, features, connective, [connective], arguments
    entrel     = "____EntRel____", site, bare1, bare2
    norel      = "____NoRel____", site, bare1, bare2

    arguments  = ["____Sup1____", selection], "____Arg1____", selection, features,
                 "____Arg2____", selection, features, ["____Sup2____", selection]
    bare1      = "____Arg1____", selection          (bare2 alike)
    selection  = spans, gorn, "#### Text ####", any line*, "##############"
    site       = string position, sentence number
    features   = "#### Features ####", attribution, [selection]

    spans      : 12..34;40..51                      characters, ends exclusive
    gorn       : 0,1,2;3                            see ``GornTrees``; the line may be empty
    attribution: Wr, Comm, Null, Null               source, type, polarity, determinacy
    connective : because, Contingency.Cause.Reason  and a second sense after another comma
    senses     : Contingency.Cause.Result           and a second sense after a comma

The selection inside ``features`` is the attribution's own text; it and the supplements are not used.

In the pipe encoding, PDTB's converter writes one relation a line, with 48 fields between pipes. It loses the
second sense of an AltLex and the line ends inside texts.

| fields, from 0 | meaning |
| --- | --- |
| 0 / 1 / 2 | type / section / file number |
| 3, 4, 5 | connective or AltLex: spans, Gorn addresses, text |
| 6 / 7 | string position / sentence number (Implicit, EntRel, NoRel) |
| 8 / 9 / 10 | head of an explicit connective / first / second inserted connective |
| 11, 12 / 13, 14 | senses of the head, the AltLex or the first connective / of the second |
| 15-21 | attribution of the relation |
| 22, 23, 24 / 25-31 | Arg1: spans, Gorn addresses, text / its attribution |
| 32, 33, 34 / 35-41 | Arg2 alike |
| 42-44 / 45-47 | Sup1 / Sup2 |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from disco2.annotation.layers import document_from_trees
from disco2.annotation.treebanks import BracketedSentence
from disco2.corpora.pdtb3 import Spans, parse_spans, text_that_fits
from disco2.corpora.reading import existing_folder, lines_of, read_text
from disco2.corpora.relations import TokenSpans, kind_and_senses, letters, report_doubles
from disco2.corpora.wsj import BARE, GornAddress, GornTrees, WsjLayers, files_by_document, folders_named
from disco2.data import Argument, Corpus, Document, ReadIssues, Relation, RelationKind
from disco2.data.senses import inventory
from disco2.errors import CorpusError, LayerError

INVENTORY = "pdtb2"
RELATIONS = (".pdtb", ".pipe")  # if a document has both, the native file is read
RAW = (BARE, ".txt", ".raw")
Trees = tuple[str, str, list[BracketedSentence]]  # the file, its brackets, the trees
QUOTES = {"``": '"', "''": '"', "`": "'"}  # the treebank's, and how raw text has them

TEXT, TEXT_END, FEATURES = "#### Text ####", "##############", "#### Features ####"
ANCHORED = ("Explicit", "AltLex")
UNANCHORED = ("Implicit", "EntRel", "NoRel")
PARTS = ("Arg1", "Arg2", "Sup1", "Sup2")
FIELDS = 48  # of the pipe encoding

_RULE = re.compile(r"_{20,}\s*")
_HEADING = re.compile(r"____([A-Za-z0-9]+)____\s*")
_SPANS = re.compile(r"\d+\.\.\d+")
_WAYS = {
    "native": "relation files in the native encoding",
    "piped": "relation files in the pipe encoding",
    "offsets": "documents with raw text and trees, read by character offsets (ends exclusive)",
    "gorn": "documents without raw text, read by Gorn addresses in the trees",
    "bare": "documents without trees, with tokens split by rule and without phrases",
}


@dataclass(frozen=True, slots=True)
class Selection:
    """A stretch of text, given three times: by characters (ends exclusive), by tree nodes, and in letters."""

    spans: Spans = ()
    gorn: tuple[GornAddress, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Pdtb2Relation:
    """One relation as its file has it, senses not yet checked.

    ``number`` counts the file's relations from 1, unreadable ones included; ``line`` is where it begins.
    ``connectives`` has the head of an explicit connective, the one or two inserted ones of an implicit
    relation, or the words of an AltLex. ``anchor`` is the place of an Explicit or AltLex in the text.
    """

    number: int
    line: int
    kind: str
    connectives: tuple[str, ...]
    senses: tuple[str, ...]
    anchor: Selection
    arg1: Selection
    arg2: Selection


def read_pdtb2(
    path: Path,
    *,
    trees: Path | None,
    coreference: Path | None = None,
    dependencies: Path | None = None,
    raw: Path | None = None,
    encoding: str = "auto",
) -> Corpus:
    """Read the relations below ``path`` with their documents.

    Relation files end in ``.pdtb`` or ``.pipe``; their content decides which encoding they have. Raw text is
    searched in ``raw``, or in a folder of that name below or beside ``path``. A document with raw text is
    read by character offsets, one without by the Gorn addresses of its relations, which needs the treebank's
    own trees with traces. ``trees``, ``coreference`` and ``dependencies`` are folders in which a document's
    file may be anywhere. ``encoding`` is that of relations and raw text.
    """
    existing_folder(path, holds="PDTB 2 relations (.pdtb or .pipe files)")
    files = files_by_document(path, endings=RELATIONS)
    if not files:
        raise CorpusError(
            "There is no .pdtb or .pipe file below this folder.",
            where=str(path),
            hint="Give the folder of the PDTB 2 relations, such as LDC2008T05's data.",
        )
    issues = ReadIssues()
    layers = WsjLayers(files, trees=trees, coreference=coreference, dependencies=dependencies, issues=issues)
    texts = _raw_files(path, raw)
    ways: Counter[str] = Counter()
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    for name, file in files.items():
        content = read_text(file, issues=issues, encoding=encoding)
        way, entries = parse_relations(content, where=str(file), issues=issues)
        ways[way] += 1
        text = None
        if name in texts:
            text = read_text(texts[name], issues=issues, encoding=encoding)
            spans = [span for entry in entries for part in (entry.arg1, entry.arg2) for span in part.spans]
            text = text_that_fits(text, spans, where=str(texts[name]), issues=issues)
        try:
            located = locate(name, text, layers, issues=issues)
        except LayerError as error:
            detail = f"{error.what} {name} and its {len(entries)} relations were left out."
            issues.add("document without text", error.where or str(file), detail)
            continue
        ways[located.way] += 1
        documents[name] = located.document
        relations.extend(report_doubles(_relations(located, entries, file, issues=issues), issues=issues))
    if not documents:
        looked = raw or f"a folder 'raw' below or beside {path}"
        raise CorpusError(
            f"None of {len(files)} relation files has raw text or trees with it.",
            where=str(path),
            hint=f"Raw text was searched in {looked}, trees in {trees or 'no folder: none was given'}.",
        )
    notes = tuple(f"{ways[way]} {what}." for way, what in _WAYS.items() if ways[way])
    return Corpus("pdtb2", INVENTORY, documents, tuple(relations), issues=issues, notes=notes)


def _raw_files(path: Path, raw: Path | None) -> dict[str, Path]:
    if raw is not None:
        return files_by_document(existing_folder(raw, holds="raw text"), endings=RAW)
    files: dict[str, Path] = {}
    for folder in folders_named(path, "raw") or [path.absolute().parent / "raw"]:
        files = files_by_document(folder, endings=RAW) | files
    return files


def _relations(
    located: Located, entries: Sequence[Pdtb2Relation], file: Path, *, issues: ReadIssues
) -> Iterator[Relation]:
    document = located.document.id
    for entry in entries:
        name, where = f"{document}:{entry.number}", f"{file}:{entry.line}"
        label = kind_and_senses(entry.kind, entry.senses, inventory(INVENTORY), where=where, issues=issues)
        if label is None:
            continue
        try:
            yield Relation(
                id=name,
                document=document,
                kind=label[0],
                arg1=_argument(located, entry.arg1, f"Arg1 of {name}", where, issues),
                arg2=_argument(located, entry.arg2, f"Arg2 of {name}", where, issues),
                senses=label[1],
                connective=entry.connectives[0] if entry.connectives else "",
                connective_tokens=located.find(entry.anchor).tokens,
                where=where,
            )
        except CorpusError as error:
            issues.add("bad relation", where, f"{error.what} The relation was skipped.")


def _argument(located: Located, selection: Selection, name: str, where: str, issues: ReadIssues) -> Argument:
    """The argument that a selection names; CorpusError if it can't be used."""
    argument = located.find(selection)
    if not argument.tokens:
        raise CorpusError(f"{name} has no token.")
    found, annotated = letters(argument.text), letters(selection.text)
    by_gorn = located.way == "gorn"
    if selection.text and found != annotated:
        what = f"{name} is '{argument.text[:60]}' by place and '{selection.text[:60]}' in letters"
        # In trees without traces an address leads anywhere, so the text must confirm what it finds.
        if by_gorn and found not in annotated and annotated not in found:
            raise CorpusError(f"{what}.")
        issues.add("argument differs from its text", where, f"{what}; its place was trusted.")
    return Argument(argument.tokens, selection.text) if by_gorn and selection.text else argument


@dataclass(frozen=True, slots=True)
class Located:
    """A document, a function that finds selections in it, and how it was located (a key of ``_WAYS``)."""

    document: Document
    find: Callable[[Selection], Argument]  # without tokens if there are none
    way: str


def locate(name: str, text: str | None, layers: WsjLayers, *, issues: ReadIssues) -> Located:
    """Locate by offsets in the raw text or, without it, by Gorn addresses in the treebank's trees.

    Raises LayerError if there is nothing to make the document from.
    """
    if text is not None:
        document, has_trees = layers.document(name, text)
        spans = TokenSpans.of(document)

        def find_span(selection: Selection) -> Argument:
            argument, _ = spans.argument(selection.spans)
            return Argument(argument.tokens, " ".join(argument.text.split()))

        return Located(document, find_span, "offsets" if has_trees else "bare")
    trees = layers.trees(name)
    if trees is None:
        raise LayerError(f"{name} has no raw text and no trees.")
    document, find = locate_by_gorn(name, trees, issues=issues)
    return Located(layers.attach(document), find, "gorn")


def locate_by_gorn(
    name: str, trees: Trees, *, issues: ReadIssues
) -> tuple[Document, Callable[[Selection], Argument]]:
    """A document whose text is the trees' words with spaces between, and how to find addresses in it.

    Raises LayerError if the two ways of reading the brackets disagree about the words.
    """
    where, brackets, sentences = trees
    nodes = GornTrees(brackets, where=where)
    text = "\n".join(" ".join(QUOTES.get(word, word) for word in tree.words) for tree in sentences)
    document = document_from_trees(name, text, sentences, where=where, issues=issues)
    if nodes.tokens != len(document.tokens):
        raise LayerError(
            f"{nodes.tokens} words under the trees' nodes and {len(document.tokens)} in their sentences.",
            where=where,
        )
    spans = TokenSpans.of(document)

    def find(selection: Selection) -> Argument:
        tokens = spans.tokens(nodes.runs_under_all(selection.gorn))
        return Argument(tokens, " ".join(document.words(tokens)))

    return document, find


def parse_relations(text: str, *, where: str, issues: ReadIssues) -> tuple[str, list[Pdtb2Relation]]:
    """The encoding of a file ("native", "piped", "" if it is empty) and its relations.

    Relations that break the grammar are findings. Raises CorpusError for a file of another kind.
    """
    lines = lines_of(text)
    number, first = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), (0, ""))
    kind, pipe, _ = first.partition("|")
    if not first:
        issues.add("empty file", where, "There are no relations in it.")
        return "", []
    if _RULE.fullmatch(first) or _HEADING.fullmatch(first):
        if not _RULE.fullmatch(next(filter(str.strip, reversed(lines)))):
            issues.add(
                "file cut off", f"{where}:{len(lines)}", "The last line is not the rule of a relation's end."
            )
        blocks = ((line, _Block(rows).relation) for line, rows in _blocks(lines))
        return "native", list(_readable(blocks, "bad relation block", where=where, issues=issues))
    if pipe and (kind.strip() in set(RelationKind) or first.count("|") >= FIELDS // 4):
        rows = ((line, _Row(row).relation) for line, row in enumerate(lines, start=1) if row.strip())
        return "piped", list(_readable(rows, "bad relation line", where=where, issues=issues))
    raise CorpusError(
        "This is neither PDTB 2's native encoding nor its pipe encoding.",
        where=f"{where}:{number}",
        hint="Remove files with other content from the folder.",
    )


def _readable(
    entries: Iterable[tuple[int, Callable[[int, int], Pdtb2Relation]]],
    fault: str,
    *,
    where: str,
    issues: ReadIssues,
) -> Iterator[Pdtb2Relation]:
    for number, (line, read) in enumerate(entries, start=1):
        try:
            yield read(number, line)
        except CorpusError as error:
            issues.add(fault, f"{where}:{line}", f"relation {number}: {error.what} It was skipped.")


def selection(spans: str, gorn: str, text: str) -> Selection:
    """Parse a selection of three fields or lines; raise CorpusError, without a place, for bad spans."""
    return Selection(parse_spans(spans.strip()), parse_gorn_list(gorn), " ".join(text.split()))


def parse_gorn_list(text: str) -> tuple[GornAddress, ...]:
    """Parse ``"0,1;2"`` to ``((0, 1), (2,))``; empty pieces, of which PDTB 2 has a few, are left out."""
    addresses = []
    for piece in text.split(";"):
        steps = [step.strip() for step in piece.split(",")]
        if all(step.isdecimal() and step.isascii() and len(step) < 10 for step in steps):
            addresses.append(tuple(int(step) for step in steps))
    return tuple(addresses)


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Each relation's first line number and its lines from the heading on, rules left out."""
    opened, rows = 0, list[str]()
    inside_text = False
    for number, line in enumerate(lines, start=1):
        heading = _HEADING.fullmatch(line)
        opens = heading is not None and heading.group(1) not in PARTS
        if opens or (not inside_text and _RULE.fullmatch(line)):
            if rows:
                yield opened, rows
            opened, rows, inside_text = number, [line] if opens else [], False
            continue
        if line.rstrip() in (TEXT, TEXT_END):
            inside_text = line.rstrip() == TEXT
        if rows or line.strip():
            opened = opened if rows else number
            rows.append(line)
    if rows:
        yield opened, rows


class _Block:
    """Reads one relation's lines of the native encoding, one after the other."""

    def __init__(self, rows: list[str]) -> None:
        self._rows = rows
        self._next = 0

    def relation(self, number: int, line: int) -> Pdtb2Relation:
        kind = self._heading()
        anchor = Selection()
        if kind in ANCHORED:
            anchor = self._selection()
        elif kind in UNANCHORED:
            for what in ("a string position", "a sentence number"):
                row = self._take(what)
                if not row.isdecimal():
                    raise CorpusError(f"'{row}' stands where {what} should.")
        else:
            raise CorpusError(f"'{kind or self._rows[0].strip()}' is no type of relation.")
        self._skip_features()
        labels = []
        while self._next < len(self._rows) and not _HEADING.fullmatch(self._peek()):
            if row := self._take("a connective"):
                labels.append([piece.strip() for piece in row.split(",")])
        if kind == "AltLex":
            labels = [[anchor.text, *(sense for label in labels for sense in label)]]
        arguments = self._arguments()
        return Pdtb2Relation(
            number=number,
            line=line,
            kind=kind,
            connectives=tuple(label[0] for label in labels if label[0]),
            senses=tuple(sense for label in labels for sense in label[1:] if sense),
            anchor=anchor,
            arg1=arguments["Arg1"],
            arg2=arguments["Arg2"],
        )

    def _peek(self) -> str:
        return self._rows[self._next].strip() if self._next < len(self._rows) else ""

    def _take(self, what: str) -> str:
        if self._next >= len(self._rows):
            raise CorpusError(f"It ends where {what} should follow.")
        self._next += 1
        return self._rows[self._next - 1].strip()

    def _heading(self) -> str:
        match = _HEADING.fullmatch(self._peek())
        self._next += match is not None
        return match.group(1) if match else ""

    def _selection(self) -> Selection:
        spans = self._take("a list of spans")
        gorn = "" if self._peek() == TEXT else self._take("a list of Gorn addresses")
        opening = self._take(f"'{TEXT}'")
        if opening != TEXT:
            raise CorpusError(f"'{opening}' stands where '{TEXT}' should.")
        text = []
        while (row := self._take(f"'{TEXT_END}'")) != TEXT_END:
            text.append(row)
        return selection(spans, gorn, " ".join(text))

    def _skip_features(self) -> None:
        if self._peek() == FEATURES:
            self._next += 1
            self._take("an attribution")
            if _SPANS.match(self._peek()):
                self._selection()

    def _arguments(self) -> dict[str, Selection]:
        found: dict[str, Selection] = {}
        while self._next < len(self._rows):
            if not self._peek():
                self._next += 1
                continue
            part = self._heading()
            if part not in PARTS:
                raise CorpusError(f"'{self._peek()}' stands where an argument or supplement should.")
            found[part] = self._selection()
            self._skip_features()
        for part in ("Arg1", "Arg2"):
            if part not in found:
                raise CorpusError(f"It has no {part}.")
        return found


class _Row:
    """One relation's line of the pipe encoding."""

    def __init__(self, row: str) -> None:
        self._fields = row.split("|")

    def relation(self, number: int, line: int) -> Pdtb2Relation:
        fields = self._fields
        if len(fields) != FIELDS:
            raise CorpusError(f"{len(fields)} fields between pipes where PDTB 2 has {FIELDS}.")
        kind = fields[0].strip()
        anchor = selection(*fields[3:6])
        connectives = [anchor.text] if kind == RelationKind.ALTLEX else fields[8:11]
        return Pdtb2Relation(
            number=number,
            line=line,
            kind=kind,
            connectives=tuple(connective.strip() for connective in connectives if connective.strip()),
            senses=tuple(sense.strip() for sense in fields[11:15] if sense.strip()),
            anchor=anchor,
            arg1=selection(*fields[22:25]),
            arg2=selection(*fields[32:35]),
        )
