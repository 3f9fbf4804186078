"""A PDTB 2 relation as it stands in its file, whichever encoding the file has."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.corpora.pdtb2.gorn import GornAddress, parse_gorn_list
from disco2.corpora.pdtb3.pipe import Spans, parse_spans


@dataclass(frozen=True, slots=True)
class Selection:
    """A stretch of text, said three times: by characters (ends exclusive), by tree nodes, and in letters."""

    spans: Spans = ()
    gorn: tuple[GornAddress, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Pdtb2Relation:
    """One relation, senses not yet checked.

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
    """The selection written in three fields or lines; raises CorpusError, without a place, for bad spans."""
    return Selection(parse_spans(spans.strip()), parse_gorn_list(gorn), " ".join(text.split()))
