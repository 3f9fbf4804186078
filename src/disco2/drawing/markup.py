"""Elements of an SVG as text; whatever is put into them is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # in XML 1.0, even escaped
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def shown(text: str, *, most: int | None = None) -> str:
    """One line without the characters that XML forbids, at most so many characters long."""
    line = " ".join(_FORBIDDEN.sub(" ", text).split())
    return line if most is None or len(line) <= most else line[: most - 1] + "…"


def escaped(text: str) -> str:
    """Text for an element or an attribute."""
    return _FORBIDDEN.sub("", text).translate(_ESCAPES)


def number(value: float) -> str:
    """One digit behind the point, and none where it would be 0."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def numbers(*values: float) -> str:
    return " ".join(map(number, values))


def element(name: str, content: str = "", /, **attributes: str | float | Iterable[str] | None) -> str:
    """``<name ...>content</name>``; the content is markup.

    ``class_`` and ``data_way`` stand for ``class`` and ``data-way``; None and empty lists are left out.
    """
    parts = [name]
    for key, value in attributes.items():
        if value is None:
            continue
        if isinstance(value, int | float):
            written = number(value)
        else:
            written = escaped(value if isinstance(value, str) else " ".join(value))
            if not written:
                continue
        parts.append(f'{key.rstrip("_").replace("_", "-")}="{written}"')
    opening = " ".join(parts)
    return f"<{opening}>{content}</{name}>" if content else f"<{opening}/>"


def text_element(content: str, /, **attributes: str | float | Iterable[str] | None) -> str:
    """``<text>`` with plain text in it."""
    return element("text", escaped(content), **attributes)
