"""OntoNotes's own coreference files (``.coref``) -> words and the spans that speak of each entity.

    <DOC DOCNO="nw/wsj/00/wsj_0099@0099@wsj@nw@en@on">
    <TEXT PARTNO="000">
    <COREF ID="3" TYPE="IDENT">The ferry</COREF> was late *T*-1 .

A line is a sentence, its tokens have spaces between them, and the treebank's traces are among them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from disco2.annotation.conll_coreference import CoreferenceDocument
from disco2.records import Dirt

IDENTITY = "IDENT"

# Neither may look far ahead and then fail at every letter: hence the possessive quantifiers and the boundary.
_PIECE = re.compile(r"<(/?)([A-Za-z]++)([^<>]*+)>|([^\s<>]+)")
_ATTRIBUTE = re.compile(r"\b(\w++)=\"([^\"]*)\"")
# *T*-1, *PRO*, *-2, *, *U*, *?*, 0. A nought that is a number goes with them: few mentions begin with one.
_TRACE = re.compile(r"0|\*(?:[A-Za-z?]+\*)?(?:-\d+)?")
_LONGEST_PART = 20  # characters; every chain bears it
_ESCAPES = {"-AMP-": "&", "-LAB-": "<", "-RAB-": ">", "&amp;": "&", "&lt;": "<", "&gt;": ">"}
_ESCAPE = re.compile("|".join(_ESCAPES))


@dataclass(slots=True)
class _Growing:
    name: str
    part: str = ""
    words: list[str] = field(default_factory=list)
    spans: dict[tuple[int, int, str], None] = field(default_factory=dict)
    open_mentions: list[tuple[int, str, int]] = field(default_factory=list)  # first word, chain, offset


def looks_like_ontonotes(text: str) -> bool:
    """Whether a coreference file is of this kind, not in CoNLL's columns."""
    return text.removeprefix("\ufeff").lstrip().startswith("<")


def parse_ontonotes(text: str, *, where: str, dirt: Dirt) -> list[CoreferenceDocument]:
    """All documents of the file, without traces, with chains of identity alone, as CoNLL's files have them.

    The parts of a document are joined, and their chains kept apart (``000.12``, ``001.12``). A mention of
    part of a token has the whole token. A tag without its partner is reported and passed over.
    """
    text = text.removeprefix("\ufeff")
    documents: list[_Growing] = []
    line_ends = [place.start() for place in re.finditer("\n", text)]

    def report(kind: str, offset: int, detail: str) -> None:
        dirt.add(kind, where=f"{where}:{bisect_left(line_ends, offset) + 1}", detail=detail)

    def close_all() -> None:
        for _, chain, offset in documents[-1].open_mentions if documents else ():
            detail = f"A mention of chain {chain or 'APPOS'} opens here and is never closed; it was left out."
            report("coreference bracket never closed", offset, detail)
        if documents:
            documents[-1].open_mentions.clear()

    for piece in _PIECE.finditer(text):
        closing, tag, attributes, word = piece.groups()
        tag = (tag or "").upper()
        if tag == "DOC" and not closing:
            close_all()
            documents.append(_Growing(_name(attributes)))
            continue
        if not documents:
            documents.append(_Growing(""))
        document = documents[-1]
        if word is not None:
            if not _TRACE.fullmatch(word):
                document.words.append(_ESCAPE.sub(lambda found: _ESCAPES[found[0]], word))
        elif tag == "TEXT":
            close_all()
            part = dict(_ATTRIBUTE.findall(attributes)).get("PARTNO", document.part)
            document.part = part[:_LONGEST_PART]
        elif tag == "COREF" and not closing:
            chain = _chain(attributes, document.part)
            document.open_mentions.append((len(document.words), chain, piece.start()))
        elif tag == "COREF" and document.open_mentions:
            first, chain, _ = document.open_mentions.pop()
            if chain and first < len(document.words):
                document.spans[first, len(document.words), chain] = None
        elif tag == "COREF":
            report("coreference bracket never opened", piece.start(), "A mention closes here; left out.")
    close_all()
    return [CoreferenceDocument.of(one.name, one.words, one.spans) for one in documents]


def _name(attributes: str) -> str:
    """``nw/wsj/00/wsj_0099@0099@wsj@nw@en@on`` -> ``nw/wsj/00/wsj_0099``."""
    found = dict(_ATTRIBUTE.findall(attributes))
    return str(found.get("DOCNO") or found.get("DOCID") or "").partition("@")[0]


def _chain(attributes: str, part: str) -> str:
    """The chain of a mention; empty for the two sides of an apposition, which are no chain of identity."""
    found = dict(_ATTRIBUTE.findall(attributes))
    if found.get("TYPE", IDENTITY) != IDENTITY or not found.get("ID"):
        return ""
    return f"{part}.{found['ID']}" if part else str(found["ID"])
