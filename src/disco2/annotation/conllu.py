"""CoNLL-U -> words, tags and dependencies, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from disco2.annotation.circles import token_in_circle
from disco2.errors import LayerError
from disco2.records import Dependencies

COLUMNS = 10


@dataclass(frozen=True, slots=True)
class ConlluSentence:
    """The syntactic words of one sentence, with their tags (XPOS, or UPOS where that is ``_``)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    dependencies: Dependencies | None  # None where the file has no heads at all
    line: int  # of its first token, counted from 1
    document: str = ""  # the last ``# newdoc id`` before it
    text: str = ""
    glued: tuple[bool, ...] = ()  # true where no space follows the word
    opens_paragraph: bool = False


def parse_conllu(text: str, *, where: str) -> list[ConlluSentence]:
    """All sentences of a CoNLL-U file; ``where`` names the file in errors.

    Multiword ranges (``1-2``) and empty nodes (``1.1``) are passed over; the words inside a range are glued.
    """
    sentences: list[ConlluSentence] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    ranges: list[tuple[int, int, bool]] = []
    document = ""
    comments: dict[str, str] = {}

    # A blank line at the end closes the last sentence, whether the file has one or not.
    for number, line in enumerate((*text.removeprefix("\ufeff").split("\n"), ""), start=1):
        line = line.rstrip("\r")
        if not line.strip():
            if rows:
                sentences.append(_sentence(rows, lines, ranges, document, comments, where=where))
                rows, lines, ranges, comments = [], [], [], {}
        elif line[0] == "#":
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
            if key.strip() in ("newdoc id", "newdoc"):
                document = value.strip()
        else:
            row = line.split("\t")
            if len(row) != COLUMNS:
                raise LayerError(
                    f"{len(row)} columns where CoNLL-U has {COLUMNS}, separated by tabs.",
                    where=f"{where}:{number}",
                )
            if row[0].isdecimal():
                rows.append(row)
                lines.append(number)
            elif "-" in row[0]:
                ranges.append(_range(row, where=f"{where}:{number}"))
            elif "." not in row[0]:
                raise LayerError(f"'{row[0]}' is not a token number.", where=f"{where}:{number}")
    return sentences


def _range(row: Sequence[str], *, where: str) -> tuple[int, int, bool]:
    first, _, last = row[0].partition("-")
    if not (_is_number(first) and _is_number(last)):
        raise LayerError(f"'{row[0]}' is not a range of token numbers.", where=where)
    return int(first), int(last), "SpaceAfter=No" in row[9]


def _sentence(
    rows: Sequence[Sequence[str]],
    lines: Sequence[int],
    ranges: Sequence[tuple[int, int, bool]],
    document: str,
    comments: dict[str, str],
    *,
    where: str,
) -> ConlluSentence:
    glued = ["SpaceAfter=No" in row[9] for row in rows]
    for first, last, ends_glued in ranges:
        for token in range(max(first, 1), min(last, len(rows)) + 1):
            glued[token - 1] = token < last or ends_glued
    return ConlluSentence(
        words=tuple([row[1] for row in rows]),
        tags=tuple([row[4] if row[4] != "_" else row[3] for row in rows]),
        dependencies=_dependencies(rows, lines, where=where),
        line=lines[0],
        document=document,
        text=comments.get("text", ""),
        glued=tuple(glued),
        opens_paragraph="newpar" in comments or "newpar id" in comments,
    )


def _dependencies(rows: Sequence[Sequence[str]], lines: Sequence[int], *, where: str) -> Dependencies | None:
    heads = []
    unknown = 0
    for index, row in enumerate(rows):
        if row[0] != str(index + 1):
            raise LayerError(
                f"Token number {row[0]} where {index + 1} was expected.", where=f"{where}:{lines[index]}"
            )
        if row[6] == "_":
            unknown += 1
            continue
        head = int(row[6]) if _is_number(row[6]) else -1
        if not 0 <= head <= len(rows) or head == index + 1:
            raise LayerError(
                f"'{row[6]}' is not the number of another token of this sentence, nor 0.",
                where=f"{where}:{lines[index]}",
            )
        heads.append(head - 1)
    if unknown == len(rows):
        return None
    if unknown:
        raise LayerError(
            "Some tokens of this sentence have a head and some have none.", where=f"{where}:{lines[0]}"
        )
    if token_in_circle(heads) is not None:
        raise LayerError("The heads of this sentence run in a circle.", where=f"{where}:{lines[0]}")
    return Dependencies(tuple(heads), tuple([row[7] for row in rows]))


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 10
