"""Readers of coreference files: CoNLL columns and OntoNotes, to words and the spans of each chain."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from disco2.data import ReadIssues
from disco2.errors import LayerError

_BEGIN = re.compile(r"#\s*begin document\s*(.*)")
_PART = re.compile(r"^\((.*)\);\s*part\s+(\d{1,20})\s*$")
_BRACKET = re.compile(r"\(([^()|]+)(\))?|([^()|]+)\)|[()]")
_GUM_CHAIN = re.compile(r"[^\W\d_]+-(\d+)(?:-.*)?")  # person-6-Name: type, chain, link to an encyclopedia


@dataclass(frozen=True, slots=True)
class CoreferenceDocument:
    """The words of one document and its mentions: (start, end exclusive, chain), in text order.

    Of mentions with the same first word, the longest comes first.
    """

    name: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int, str], ...]


@dataclass(slots=True)
class _Growing:
    """A document that is being read; ``open_spans``: chain -> first word and line of each open mention."""

    name: str
    part: str = ""
    words: list[str] = field(default_factory=list)
    spans: dict[tuple[int, int, str], None] = field(default_factory=dict)
    open_spans: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def chain(self, name: str) -> str:
        """Chains of a document's parts are kept apart: ``000.12``, ``001.12``."""
        return f"{self.part}.{name}" if self.part else name


class _Report(NamedTuple):
    """Adds findings about a file."""

    where: str
    issues: ReadIssues

    def add(self, kind: str, line: int, detail: str) -> None:
        self.issues.add(kind, f"{self.where}:{line}", detail)

    def close(self, document: _Growing) -> None:
        """Report the mentions of a part that are still open."""
        for chain, places in document.open_spans.items():
            detail = f"A mention of chain {chain} opens here and is never closed; it was left out."
            for _, line in places:
                self.add("coreference bracket never closed", line, detail)
        document.open_spans.clear()


def parse_coreference(text: str, *, where: str, issues: ReadIssues) -> list[CoreferenceDocument]:
    """All documents of a file of OntoNotes, or with the columns of CoNLL-2011/2012, OntoGUM or GUM.

    The parts of one document are joined in order. A bracket without its partner is reported and skipped.
    """
    text = text.removeprefix("\ufeff")
    report = _Report(where, issues)
    read = _read_ontonotes if text.lstrip().startswith("<") else _read_columns
    return [
        CoreferenceDocument(
            one.name, tuple(one.words), tuple(sorted(one.spans, key=lambda span: (span[0], -span[1])))
        )
        for one in read(text, report)
    ]


def _read_columns(text: str, report: _Report) -> list[_Growing]:
    documents: list[_Growing] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or line.isspace():
            continue
        line = line.rstrip("\r")
        columns = line.split("\t")
        is_comment = line[0] == "#" and len(columns) == 1
        begin = _BEGIN.match(line) if is_comment else None
        if begin or not (documents or is_comment):
            header = begin[1].strip() if begin else ""
            part = _PART.match(header)
            name = part[1] if part else header.strip("()")
            for document in documents[-1:]:
                report.close(document)
            if part and documents and documents[-1].name == name:
                documents[-1].part = part[2]
            else:
                documents.append(_Growing(name, part[2] if part else ""))
        if is_comment:
            continue
        if len(columns) == 1:
            columns = line.split()
        if len(columns) < 3 or len(columns) == 4:
            raise LayerError(
                f"{len(columns)} columns where a coreference file has three, or eleven and more.",
                where=f"{report.where}:{number}",
            )
        documents[-1].words.append(columns[1] if len(columns) == 3 else columns[3])
        if columns[-1] not in ("_", "-", ""):
            _read_cell(documents[-1], columns[-1], number, report)
    for document in documents[-1:]:
        report.close(document)
    return documents


def _read_cell(document: _Growing, cell: str, number: int, report: _Report) -> None:
    token = len(document.words) - 1
    opening: Counter[str] = Counter()
    closing: list[str] = []
    for bracket in _BRACKET.finditer(cell):
        opened, at_once, closed = bracket.groups()
        name = opened or closed
        if name is None:
            detail = f"A bracket in '{cell[:40]}' has no chain; it was skipped."
            report.add("odd coreference bracket", number, detail)
            continue
        gum = _GUM_CHAIN.fullmatch(name)
        chain = document.chain(gum[1] if gum else name)
        if at_once:
            document.spans[token, token + 1, chain] = None
        elif opened is not None:
            opening[chain] += 1
        else:
            closing.append(chain)

    # A mention of one token is written (7), so a closing bracket belongs to an earlier cell if it can.
    for chain in closing:
        if places := document.open_spans.get(chain):
            document.spans[places.pop()[0], token + 1, chain] = None
        elif opening[chain]:
            opening[chain] -= 1
            document.spans[token, token + 1, chain] = None
        else:
            detail = f"A mention of chain {chain} closes here and was never opened; it was left out."
            report.add("coreference bracket never opened", number, detail)
    for chain in opening.elements():
        document.open_spans.setdefault(chain, []).append((token, number))


# OntoNotes files (.coref). A line is a sentence, with spaces between tokens, and contains the traces of the
# treebank:
#
#     <DOC DOCNO="nw/wsj/00/wsj_0099@0099@wsj@nw@en@on">
#     <TEXT PARTNO="000">
#     <COREF ID="3" TYPE="IDENT">The ferry</COREF> was late *T*-1 .

_IDENTITY = "IDENT"

# Possessive quantifiers and the word boundary keep these linear: they can't look far ahead and then fail.
_TAG_OR_WORD = re.compile(r"<(/?)([A-Za-z]++)([^<>]*+)>|([^\s<>]+)")
_ATTRIBUTE = re.compile(r"\b(\w++)=\"([^\"]*)\"")
# *T*-1, *PRO*, *-2, *, *U*, *?*, 0. The number zero is removed with them: few mentions begin with it.
_TRACE = re.compile(r"0|\*(?:[A-Za-z?]+\*)?(?:-\d+)?")
_LONGEST_PART = 20  # characters; it is part of every chain's name
_ESCAPES = {"-AMP-": "&", "-LAB-": "<", "-RAB-": ">", "&amp;": "&", "&lt;": "<", "&gt;": ">"}
_ESCAPE = re.compile("|".join(_ESCAPES))


def _read_ontonotes(text: str, report: _Report) -> list[_Growing]:
    """Without traces, and only with chains of identity, as in CoNLL's files.

    A mention of part of a token covers the whole token.
    """
    documents = [_Growing("")]
    order: list[str] = []  # the chains of open mentions; they are closed in reverse
    pieces = (
        (number, piece)
        for number, line in enumerate(text.split("\n"), start=1)
        for piece in _TAG_OR_WORD.finditer(line)
    )
    for number, piece in pieces:
        closing, tag, attributes, word = piece.groups()
        document = documents[-1]
        if word is not None:
            if not _TRACE.fullmatch(word):
                document.words.append(_ESCAPE.sub(lambda found: _ESCAPES[found[0]], word))
            continue
        found = dict(_ATTRIBUTE.findall(attributes))
        match tag.upper(), closing:
            case "DOC", "":  # nw/wsj/00/wsj_0099@0099@wsj@nw@en@on
                report.close(document)
                order.clear()
                documents.append(_Growing(found.get("DOCNO", "").partition("@")[0]))
            case "TEXT", _:
                report.close(document)
                order.clear()
                document.part = found.get("PARTNO", document.part)[:_LONGEST_PART]
            case "COREF", "":
                # The two sides of an apposition are not identical: they have no chain.
                identical = found.get("TYPE", _IDENTITY) == _IDENTITY and found.get("ID")
                chain = document.chain(found["ID"]) if identical else "APPOS"
                document.open_spans.setdefault(chain, []).append((len(document.words), number))
                order.append(chain)
            case "COREF", _ if order:
                chain = order.pop()
                first, _ = document.open_spans[chain].pop()
                if chain != "APPOS" and first < len(document.words):
                    document.spans[first, len(document.words), chain] = None
            case "COREF", _:
                report.add("coreference bracket never opened", number, "A mention closes here; left out.")
    report.close(documents[-1])
    return documents if documents[0].words else documents[1:]
