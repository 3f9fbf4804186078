"""Hypothesis strategies: files that were good, and what disks, editors and enemies make of them."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

NUMBERS = (
    *(b"0", b"1", b"-1", b"-0", b"2.5", b"1e3", b"1e999", b"-1e999", b"NaN", b"Infinity", b"007", b"1_000"),
    *(
        b"65536",
        b"2147483648",
        b"9223372036854775808",
        b"99999999",
        b"999999999",
        b"1" + b"0" * 12,
        b"9" * 5000,
    ),
    *("\u0663".encode(), "\u00b2".encode(), b"0x10", b"1e", b"--1", b"+3"),
)
_NUMBER = re.compile(rb"\d+")
# Written in place of a node of a JSON text; text, since no value of Python's would become these.
NODES = (
    *(
        "null",
        "true",
        "false",
        "0",
        "-1",
        "1.5",
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "{}",
        "[]",
        '""',
        '"0"',
    ),
    *(
        '"\\ud800"',
        '"\\udc00\\ud800"',
        '"\\u0000"',
        '" "',
        '"\U0001f600"',
        '"\\ufeff"',
        "1" + "0" * 12,
        "9" * 4300,
    ),
    *("9" * 4301, "[[[]]]", '{"a": {"a": 1, "a": 2}}', "[" * 970 + "]" * 970, "[" * 100_000 + "]" * 100_000),
    *('{"a":' * 980 + "0" + "}" * 980, "[null, true, 3, {}]", '"' + "x" * 5000 + '"'),
)


@st.composite
def damaged(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    """The content after one to four accidents."""
    for _ in range(draw(st.integers(1, 4))):
        content = draw(st.sampled_from(_ACCIDENTS))(draw, content, tokens)
    return content


def _place(draw: st.DrawFn, content: bytes) -> int:
    return draw(st.integers(0, max(0, len(content) - 1)))


def _flip(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    at = _place(draw, content)
    return content[:at] + bytes([draw(st.integers(0, 255))]) + content[at + 1 :]


def _put_in(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    at = _place(draw, content)
    piece = draw(st.sampled_from((*tokens, b"\0"))) * draw(st.sampled_from((1, 1, 1, 2, 50)))
    return content[:at] + piece + content[at:]


def _write_over(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    at = _place(draw, content)
    piece = draw(st.sampled_from((*tokens, b" ")))
    return content[:at] + piece + content[at + len(piece) :]


def _cut_out(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    at = _place(draw, content)
    return content[:at] + content[at + draw(st.integers(1, 200)) :]


def _cut_off(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    return content[: _place(draw, content)]


def _double(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    at = _place(draw, content)
    piece = content[at : at + draw(st.integers(1, 300))]
    return content[:at] + piece * draw(st.sampled_from((2, 3, 20))) + content[at + len(piece) :]


def _shuffle_lines(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    lines = content.split(b"\n")
    one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _repeat_line(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    lines = content.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    return b"\n".join([*lines[:at], *lines[at : at + 1] * draw(st.integers(0, 4)), *lines[at + 1 :]])


def _other_number(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    found = list(_NUMBER.finditer(content))
    if not found:
        return content
    number = found[draw(st.integers(0, len(found) - 1))]
    return content[: number.start()] + draw(st.sampled_from(NUMBERS)) + content[number.end() :]


def _recoded(draw: st.DrawFn, content: bytes, tokens: Sequence[bytes]) -> bytes:
    ways: tuple[Callable[[bytes], bytes], ...] = (
        lambda data: codecs.BOM_UTF8 + data,
        lambda data: codecs.BOM_UTF16_LE + data.decode("latin-1").encode("utf-16-le"),
        lambda data: codecs.BOM_UTF16_BE + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"\n", b"\r"),
        lambda data: data.replace(b" ", "\u00a0".encode()),
        lambda data: data.decode("latin-1").encode("utf-8"),
    )
    return draw(st.sampled_from(ways))(content)


_ACCIDENTS = (
    *(_flip, _put_in, _put_in, _write_over, _cut_out, _cut_off, _double, _shuffle_lines, _repeat_line),
    *(_other_number, _other_number, _recoded),
)


@st.composite
def with_other_node(draw: st.DrawFn, content: bytes) -> bytes:
    """JSON lines with one node, of any depth, replaced, left out or named twice."""
    lines = content.decode("utf-8").splitlines()
    at = draw(st.integers(0, len(lines) - 1))
    value = json.loads(lines[at])
    holder, key = draw(st.sampled_from(_nodes(value)))
    way = draw(st.integers(0, 5))
    node = draw(st.sampled_from(NODES))
    mark = "\ue000"
    if holder is None:
        lines[at] = node
    elif way == 0 and isinstance(holder, dict):
        holder[mark] = holder[key]
        lines[at] = json.dumps(value).replace(json.dumps(mark), json.dumps(key))
    elif way == 1:
        del holder[key]
        lines[at] = json.dumps(value)
    else:
        holder[key] = mark
        lines[at] = json.dumps(value).replace(json.dumps(mark), node)
    return "\n".join(lines).encode("utf-8")


def _nodes(value: Any) -> list[tuple[Any, Any]]:
    """Every node of a JSON value as the object or list that holds it and its key there; None for the top."""
    found: list[tuple[Any, Any]] = [(None, None)]
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        keys = (
            list(holder)
            if isinstance(holder, dict)
            else range(len(holder))
            if isinstance(holder, list)
            else ()
        )
        found.extend((holder, key) for key in keys)
        waiting.extend(holder[key] for key in keys)
    return found
