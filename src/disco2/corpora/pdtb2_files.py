"""The relation files of PDTB 2, in the native encoding (``.pdtb``) or in the pipe encoding.

LDC ships the corpus in the native encoding. One line a row; text in quotes stands as it is::

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

The selection inside ``features`` is the attribution's own text; it and the supplements are read over.

In the pipe encoding, PDTB's converter writes one relation a line, with 48 fields between pipes. The converter
loses the second sense of an AltLex and the line ends inside texts: the native files know more.

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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from disco2.corpora.pdtb3 import Spans, parse_spans
from disco2.corpora.reading import lines_of
from disco2.data import Dirt, RelationKind
from disco2.errors import CorpusError

GornAddress = tuple[int, ...]  # see ``pdtb2.GornTrees``

TEXT, TEXT_END, FEATURES = "#### Text ####", "##############", "#### Features ####"

ANCHORED = ("Explicit", "AltLex")
UNANCHORED = ("Implicit", "EntRel", "NoRel")
PARTS = ("Arg1", "Arg2", "Sup1", "Sup2")
FIELDS = 48  # of the pipe encoding

_RULE = re.compile(r"_{20,}\s*")
_HEADING = re.compile(r"____([A-Za-z0-9]+)____\s*")
_SPANS = re.compile(r"\d+\.\.\d+")


@dataclass(frozen=True, slots=True)
class Selection:
    """A stretch of text, said three times: by characters (ends exclusive), by tree nodes, and in letters."""

    spans: Spans = ()
    gorn: tuple[GornAddress, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Pdtb2Relation:
    """One relation as it stands in its file, senses not yet checked.

    ``number`` counts the file's relations from 1, unreadable ones included; ``line`` is where it opens.
    ``connectives`` holds the head of an explicit connective, the one or two inserted ones of an implicit
    relation, or the words of an AltLex. ``anchor`` is where an Explicit or AltLex stands in the text.
    """

    number: int
    line: int
    kind: str
    connectives: tuple[str, ...]
    senses: tuple[str, ...]
    anchor: Selection
    arg1: Selection
    arg2: Selection


def selection(spans: str, gorn: str, text: str) -> Selection:
    """Parse a selection of three fields or lines; raise CorpusError, without a place, for bad spans."""
    return Selection(parse_spans(spans.strip()), parse_gorn_list(gorn), " ".join(text.split()))


def parse_gorn_list(field: str) -> tuple[GornAddress, ...]:
    """Parse ``"0,1;2"`` to ``((0, 1), (2,))``; empty pieces, of which PDTB 2 has a few, are left out."""
    addresses = []
    for piece in field.split(";"):
        steps = [step.strip() for step in piece.split(",")]
        if all(step.isdecimal() and step.isascii() and len(step) < 10 for step in steps):
            addresses.append(tuple(int(step) for step in steps))
    return tuple(addresses)


def looks_native(text: str) -> bool:
    """Whether the first line that says anything is a rule or a heading of this encoding."""
    first = next((line for line in lines_of(text) if line.strip()), "")
    return bool(_RULE.fullmatch(first) or _HEADING.fullmatch(first))


def parse_native(text: str, *, where: str, dirt: Dirt) -> Iterator[Pdtb2Relation]:
    """Parse the relations of a ``.pdtb`` file; those that break the grammar are reported and skipped."""
    for number, (line, rows) in enumerate(_blocks(lines_of(text)), start=1):
        try:
            yield _Block(rows).relation(number, line)
        except CorpusError as error:
            dirt.add(
                "bad relation block",
                where=f"{where}:{line}",
                detail=f"relation {number}: {error.what} It was skipped.",
            )


def _blocks(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Each relation's first line number and its lines from the heading on, rules left out."""
    opened, rows = 0, list[str]()
    inside_text = False
    for number, line in enumerate(lines, start=1):
        heading = _HEADING.fullmatch(line)
        opens = heading is not None and heading.group(1) not in PARTS
        if opens or (not inside_text and _RULE.fullmatch(line)):
            if rows:
                yield opened, rows
            opened, rows, inside_text = number, [], False
            if opens:
                rows.append(line)
            continue
        if line.rstrip() == TEXT:
            inside_text = True
        elif line.rstrip() == TEXT_END:
            inside_text = False
        if rows or line.strip():
            opened = opened if rows else number
            rows.append(line)
    if rows:
        yield opened, rows


class _Block:
    """One relation's lines and how far they have been read."""

    def __init__(self, rows: list[str]) -> None:
        self._rows = rows
        self._next = 0

    def relation(self, number: int, line: int) -> Pdtb2Relation:
        kind = self._heading()
        anchor = Selection()
        if kind in ANCHORED:
            anchor = self._selection()
        elif kind in UNANCHORED:
            self._site()
        else:
            raise CorpusError(f"'{kind or self._rows[0].strip()}' is no type of relation.")
        self._skip_features()
        labels = self._labels_before_arguments()
        if kind == "AltLex":
            connectives = [anchor.text]
            senses = [sense for label in labels for sense in label]
        else:
            connectives = [label[0] for label in labels]
            senses = [sense for label in labels for sense in label[1:]]
        arguments = self._arguments()
        return Pdtb2Relation(
            number=number,
            line=line,
            kind=kind,
            connectives=tuple(connective for connective in connectives if connective),
            senses=tuple(sense for sense in senses if sense),
            anchor=anchor,
            arg1=arguments["Arg1"],
            arg2=arguments["Arg2"],
        )

    def _peek(self) -> str:
        return self._rows[self._next].strip() if self._next < len(self._rows) else ""

    def _take(self, what: str) -> str:
        if self._next >= len(self._rows):
            raise CorpusError(f"It ends where {what} should follow.")
        row = self._rows[self._next]
        self._next += 1
        return row.strip()

    def _heading(self) -> str:
        match = _HEADING.fullmatch(self._peek())
        if match is None:
            return ""
        self._next += 1
        return match.group(1)

    def _site(self) -> None:
        for what in ("a string position", "a sentence number"):
            row = self._take(what)
            if not row.isdecimal():
                raise CorpusError(f"'{row}' stands where {what} should.")

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
        if self._peek() != FEATURES:
            return
        self._next += 1
        self._take("an attribution")
        if _SPANS.match(self._peek()):
            self._selection()

    def _labels_before_arguments(self) -> list[list[str]]:
        """The rows before the first argument or supplement, split at their commas."""
        labels = []
        while self._next < len(self._rows) and not _HEADING.fullmatch(self._peek()):
            row = self._take("a connective")
            if row:
                labels.append([piece.strip() for piece in row.split(",")])
        return labels

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


def looks_piped(text: str) -> bool:
    """Whether the first line that says anything is meant as a relation, broken or not."""
    first = next((line for line in lines_of(text) if line.strip()), "")
    kind, pipe, _ = first.partition("|")
    return bool(pipe) and (kind.strip() in set(RelationKind) or first.count("|") >= FIELDS // 4)


def parse_pipe(text: str, *, where: str, dirt: Dirt) -> Iterator[Pdtb2Relation]:
    """Parse the relations of a pipe file; lines that are none are reported and skipped."""
    number = 0
    for line, row in enumerate(lines_of(text), start=1):
        if not row.strip():
            continue
        number += 1
        try:
            yield _relation(row.split("|"), number, line)
        except CorpusError as error:
            dirt.add(
                "bad relation line",
                where=f"{where}:{line}",
                detail=f"relation {number}: {error.what} It was skipped.",
            )


def _relation(fields: Sequence[str], number: int, line: int) -> Pdtb2Relation:
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
