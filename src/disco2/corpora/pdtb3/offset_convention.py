"""Whether the ends of a corpus's character spans are inclusive or exclusive, told by the text itself.

LDC's PDTB 3 is read with inclusive ends by most public code, GDTB has exclusive ones, and nothing in the
files says so. A span should end with a word's last character: read the wrong way, it cuts a word short or
takes in the space behind it. At some ends both readings make sense, as before a full stop. Those are many
where ends are exclusive, since arguments seldom take in the full stop, and few where they are inclusive,
since there the other reading cuts off a letter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from disco2.corpora.pdtb3.pipe import Spans
from disco2.records import Dirt

Convention = Literal["inclusive", "exclusive"]

CLEAR = 0.95  # the share of telling spans that must agree before the evidence counts as clear
RARE = 0.1  # below this share of all spans, those for inclusive ends are slips of exclusive ones


@dataclass(slots=True)
class OffsetEvidence:
    """How many spans make sense under one reading only."""

    inclusive: int = 0
    exclusive: int = 0
    silent: int = 0

    def add(self, text: str, spans: Iterable[tuple[int, int]]) -> None:
        for start, end in spans:
            inclusive, exclusive = _ends_well(text, start, end + 1), _ends_well(text, start, end)
            if inclusive == exclusive:
                self.silent += 1
            elif inclusive:
                self.inclusive += 1
            else:
                self.exclusive += 1

    @property
    def convention(self) -> Convention:
        total = self.inclusive + self.exclusive + self.silent
        if self.inclusive > self.exclusive and self.inclusive >= RARE * total:
            return "inclusive"
        return "exclusive"

    def describe(self) -> str:
        """How clear the evidence is, in words."""
        telling = self.inclusive + self.exclusive
        if not telling:
            return f"no span says which, of {self.silent}; check some arguments, or set the offsets yourself"
        share = max(self.inclusive, self.exclusive) / telling
        verdict = "clear" if share >= CLEAR else "mixed; check some arguments, or set the offsets yourself"
        return (
            f"{self.inclusive} spans make sense only with inclusive ends, {self.exclusive} only with"
            f" exclusive ones, {self.silent} with both or neither: the evidence is {verdict}"
        )


def as_exclusive(spans: Spans, convention: Convention) -> Spans:
    """The spans with exclusive ends."""
    return spans if convention == "exclusive" else tuple((start, end + 1) for start, end in spans)


def text_that_fits(text: str, spans: Iterable[tuple[int, int]], *, where: str, dirt: Dirt) -> str:
    r"""The text, or the text with ``\n`` for ``\r\n`` where the spans were counted that way.

    Offsets count both characters of a Windows line end if the annotators' file had them. If only this copy
    has them, spans begin in the middle of words.
    """
    if "\r\n" not in text:
        return text
    starts = [start for start, _ in spans]
    plain = text.replace("\r\n", "\n")
    if _good_starts(plain, starts) <= _good_starts(text, starts):
        return text
    dirt.add(
        "line ends not in the offsets",
        where=where,
        detail="The file has Windows line ends and its spans don't count them; it was read with plain ones.",
    )
    return plain


def _good_starts(text: str, starts: Iterable[int]) -> int:
    return sum(
        start < len(text) and not text[start].isspace() and not _inside_word(text, start) for start in starts
    )


def _ends_well(text: str, start: int, end: int) -> bool:
    return start < end <= len(text) and not text[end - 1].isspace() and not _inside_word(text, end)


def _inside_word(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and text[offset - 1].isalnum() and text[offset].isalnum()
