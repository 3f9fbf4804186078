"""The code blocks of a page, and the comments before them, of which docs/development.md has the list."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
DIRECTIVES = ("file", "output", "needs", "not run", "served")

_FENCE = re.compile(r"^( *)```(\w*)\s*$")
_COMMENT = re.compile(r"^ *<!-- ([a-z ]+?)(?:: (.*))? -->$")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Block:
    """A fenced block; ``directive`` and ``value`` are those of the comment before it, empty without one."""

    language: str
    code: str
    line: int
    directive: str = ""
    value: str = ""


def blocks(page: Path) -> Iterator[Block]:
    opened: tuple[str, str, int] | None = None
    code: list[str] = []
    directive, value = "", ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = _FENCE.match(line)
        if opened is None and fence:
            opened, code = (fence[1], fence[2], number), []
        elif opened is not None and fence and not fence[2]:
            indent, language, first = opened
            text = "\n".join(one.removeprefix(indent) for one in code) + "\n"
            yield Block(language, text, first, directive, value)
            opened, directive, value = None, "", ""
        elif opened is not None:
            code.append(line)
        elif comment := _COMMENT.match(line):
            directive, value = comment[1], comment[2] or ""
            assert directive in DIRECTIVES, f"{page}:{number}: unknown comment {line}"
        elif line.strip():
            assert not directive, f"{page}:{number}: the comment before has no block"


def command_lines(code: str) -> list[list[str]]:
    """The words of each command; a line that ends in a backslash goes on."""
    joined = re.sub(r"\\\n\s*", " ", code)
    return [shlex.split(line, comments=True) for line in joined.splitlines() if line.startswith("disco2 ")]


def same_output(expected: str, found: str, *, units: int = 3) -> bool:
    """Whether a program printed what the page says; numbers may differ by ``units`` of their last digit."""
    more = expected.rstrip().endswith("...")
    wanted, given = (_words(text) for text in (expected.rstrip().removesuffix("..."), found))
    if more:
        given = given[: len(wanted)]
    return len(wanted) == len(given) and all(
        _close(one, other, units) for one, other in zip(wanted, given, strict=True)
    )


def _words(text: str) -> list[str]:
    return [word for word in re.split(rf"\s+|({_NUMBER.pattern})", text) if word]


def _close(one: str, other: str, units: int) -> bool:
    if one == other:
        return True
    if not (_NUMBER.fullmatch(one) and _NUMBER.fullmatch(other)):
        return False
    places = len(one.partition(".")[2])
    return places > 0 and abs(float(one) - float(other)) <= units * 10**-places
