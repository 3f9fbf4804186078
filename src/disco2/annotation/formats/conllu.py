"""CoNLL-U -> words, tags and dependencies, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import eq

from disco2.annotation.heads import token_in_circle
from disco2.data import Dependencies
from disco2.errors import LayerError

COLUMNS = 10
_NO_FORM = "_"  # CoNLL-U's own sign for a cell that has nothing to say
_NEW_DOCUMENT = ("newdoc id", "newdoc_id", "newdoc")  # the second in some of DISRPT's corpora
_VALUES = {str(number): number for number in range(1000)}  # nearly all numbers of tokens: quicker than int()


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

    Multiword ranges (``1-2``) and empty nodes (``1.1``) are passed over; the words inside a range are glued,
    but for a range that runs backwards or into one before it. A word without a form is ``_``, since others
    count on its place.
    """
    sentences: list[ConlluSentence] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    ranges: list[tuple[int, int, bool]] = []
    document = ""
    comments: dict[str, str] = {}

    # A blank line at the end closes the last sentence, whether the file has one or not.
    for number, line in enumerate((*text.removeprefix("\ufeff").split("\n"), ""), start=1):
        row = line.split("\t")
        if len(row) == COLUMNS and row[0].isdecimal():
            rows.append(row)
            lines.append(number)
        elif not line or line.isspace():
            if rows:
                sentences.append(_sentence(rows, lines, ranges, document, comments, where=where))
                rows, lines, comments = [], [], {}
            ranges = []
        elif line[0] == "#":
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
            if key.strip() in _NEW_DOCUMENT:
                document = value.strip()
        elif len(row) != COLUMNS:
            raise LayerError(
                f"{len(row)} columns where CoNLL-U has {COLUMNS}, separated by tabs.",
                where=f"{where}:{number}",
            )
        elif "-" in row[0]:
            first, last, ends_glued = _range(row, where=f"{where}:{number}")
            if (ranges[-1][1] if ranges else 0) < first <= last:  # many over one another would take for ever
                ranges.append((first, last, ends_glued))
        elif "." not in row[0]:
            raise LayerError(f"'{_short(row[0])}' is not a token number.", where=f"{where}:{number}")
    return sentences


def _range(row: Sequence[str], *, where: str) -> tuple[int, int, bool]:
    """First and last number of a range, and whether no space follows it."""
    first, _, last = row[0].partition("-")
    if not (_is_number(first) and _is_number(last)):
        raise LayerError(f"'{_short(row[0])}' is not a range of token numbers.", where=where)
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
    numbers, words, _, upos, xpos, _, heads, labels, _, misc = zip(*rows, strict=True)
    if not all(words) or any(map(str.isspace, words)):
        words = tuple([word if word.strip() else _NO_FORM for word in words])
    glued = ["SpaceAfter=No" in cell for cell in misc]
    for first, last, ends_glued in ranges:
        for token in range(first, min(last, len(rows)) + 1):
            glued[token - 1] = token < last or ends_glued
    tags = xpos
    if "_" in xpos:
        tags = tuple([upos[token] if tag == "_" else tag for token, tag in enumerate(xpos)])
    return ConlluSentence(
        words=words,
        tags=tags,
        dependencies=_dependencies(numbers, heads, labels, lines, where=where),
        line=lines[0],
        document=document,
        text=comments.get("text", ""),
        glued=tuple(glued),
        opens_paragraph="newpar" in comments or "newpar id" in comments,
    )


def _dependencies(
    numbers: tuple[str, ...],
    heads: tuple[str, ...],
    labels: tuple[str, ...],
    lines: Sequence[int],
    *,
    where: str,
) -> Dependencies | None:
    found = _plain_heads(numbers, heads) or _checked_heads(numbers, heads, lines, where=where)
    if found is None:
        return None
    if token_in_circle(found) is not None:
        raise LayerError("The heads of this sentence run in a circle.", where=f"{where}:{lines[0]}")
    return Dependencies(tuple(found), labels)


def _plain_heads(numbers: Sequence[str], heads: Sequence[str]) -> list[int] | None:
    """The heads of a sentence in which nothing is odd, counted from 0; None for any other sentence."""
    counted = range(1, len(numbers) + 1)
    values = [_VALUES.get(head, -1) for head in heads]
    if [_VALUES.get(number) for number in numbers] != [*counted]:
        return None
    if min(values) < 0 or max(values) > len(values) or any(map(eq, values, counted)):
        return None
    return [value - 1 for value in values]


def _checked_heads(
    numbers: Sequence[str], heads: Sequence[str], lines: Sequence[int], *, where: str
) -> list[int] | None:
    """The heads, counted from 0; None where there are none at all, LayerError where one can't be a head."""
    found = []
    for index, (number, head, line) in enumerate(zip(numbers, heads, lines, strict=True), start=1):
        if number != str(index):
            raise LayerError(
                f"Token number {_short(number)} where {index} was expected.", where=f"{where}:{line}"
            )
        if head == "_":
            continue
        value = int(head) if _is_number(head) else -1
        if not 0 <= value <= len(numbers) or value == index:
            raise LayerError(
                f"'{_short(head)}' is not the number of another token of this sentence, nor 0.",
                where=f"{where}:{line}",
            )
        found.append(value - 1)
    if found and len(found) < len(heads):
        raise LayerError(
            "Some tokens of this sentence have a head and some have none.", where=f"{where}:{lines[0]}"
        )
    return found or None


def _short(text: str) -> str:
    """As much of a cell as a message may show."""
    return text if len(text) <= 40 else f"{text[:40]}..."


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 10
