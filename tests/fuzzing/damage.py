"""Hypothesis strategies: files that were good, and what disks, editors and attackers make of them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

from hypothesis import strategies as st

_NUMBER = re.compile(rb"\d+")
_STRING = r'"(?:[^"\\]|\\.)*"'
_SCALAR = re.compile(rf"{_STRING}|[-\w.]+")
_CONTAINER = re.compile(rf'\[(?:[^"\[\]{{}}]|{_STRING})*\]|\{{(?:[^"\[\]{{}}]|{_STRING})*\}}')
# Written in place of a node of a JSON text; as text, since no value of Python's would become these.
NODES = (
    *("null", "true", "0", "-1", "1.5", "NaN", "Infinity", "1e999", "{}", "[]", '""', '"0"', "[[[]]]"),
    *('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '" "', '"\U0001f600"', '"\\ufeff"', "[null,true,3,{}]"),
    *("1" + "0" * 12, "9" * 4300, "9" * 4301, '{"a": {"a": 1, "a": 2}}', "[" * 970 + "]" * 970),
    *("[" * 100_000 + "]" * 100_000, '{"a":' * 980 + "0" + "}" * 980, '"' + "x" * 5000 + '"'),
)


@st.composite
def damaged(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    """The content after one to four accidents."""
    for _ in range(draw(st.integers(1, 4))):
        content = _accident(draw, content, tokens)
    return content


def _accident(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    at = draw(st.integers(0, max(0, len(content) - 1)))
    end = at + draw(st.integers(1, 200))
    token = draw(st.sampled_from(tokens))
    times = draw(st.sampled_from((1, 1, 1, 2, 20)))
    before, piece, after = content[:at], content[at:end], content[end:]
    numbers = list(_NUMBER.finditer(content))
    match draw(st.integers(0, 8)):
        case 0:  # flip a byte
            return before + bytes([draw(st.integers(0, 255))]) + content[at + 1 :]
        case 1:  # insert
            return before + token * times + content[at:]
        case 2:  # write over
            return before + token + content[at + len(token) :]
        case 3:  # cut out
            return before + after
        case 4:  # cut off
            return before
        case 5:  # repeat
            return before + piece * (1 + times) + after
        case 6:  # swap lines, or repeat one
            lines = content.split(b"\n")
            one, other = (draw(st.integers(0, len(lines) - 1)) for _ in "ab")
            lines[one], lines[other] = lines[other], lines[one] + (b"\n" + lines[one]) * (times - 1)
            return b"\n".join(lines)
        case 7 if numbers:
            number = numbers[draw(st.integers(0, len(numbers) - 1))]
            return content[: number.start()] + token + content[number.end() :]
        case _:
            ways = (
                codecs.BOM_UTF8 + content,
                codecs.BOM_UTF16_LE + content.decode("latin-1").encode("utf-16-le"),
                codecs.BOM_UTF16_BE + content,
                content.replace(b"\n", b"\r\n"),
                content.replace(b"\n", b"\r"),
                content.replace(b" ", "\u00a0".encode()),
                content.decode("latin-1").encode("utf-8"),
            )
            return draw(st.sampled_from(ways))


@st.composite
def with_other_node(draw: st.DrawFn, content: bytes) -> bytes:
    """JSON with one scalar, key, or list or object of scalars replaced by another node."""
    text = content.decode("utf-8")
    found = draw(st.sampled_from([*_SCALAR.finditer(text), *_CONTAINER.finditer(text)]))
    return (text[: found.start()] + draw(st.sampled_from(NODES)) + text[found.end() :]).encode("utf-8")
