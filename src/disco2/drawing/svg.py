"""What drawings are made of: elements of an SVG as text, widths of text, style sheets and scripts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Elements of an SVG as text; whatever is put into them is escaped.


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


# How wide a text will be in Helvetica, Arial or a typeface that was made to their measure.


# Of the characters from space to tilde, in thousandths of the type size.
_ASCII = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556),
    *(333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)
_WIDE, _OTHER = 1000, 640
_BOLD = 1.08
_MARGIN = 1.03  # typefaces differ a little


def text_width(text: str, *, size: float, bold: bool = False) -> float:
    """An estimate that is rather too large than too small."""
    thousandths = sum(map(_character_width, text))
    return thousandths / 1000 * size * _MARGIN * (_BOLD if bold else 1)


def _character_width(character: str) -> int:
    code = ord(character)
    if 32 <= code < 127:
        return _ASCII[code - 32]
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):  # drawn onto other characters, or not at all
        return 0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return _WIDE
    base = unicodedata.normalize("NFD", character)[0]  # é is as wide as e
    return _ASCII[ord(base) - 32] if 32 <= ord(base) < 127 else _WIDE if code >= 0x2E80 else _OTHER


# The style sheets and scripts of the drawing, by name, in the order in which a page must load them.


WEB = Path(__file__).with_name("web")

STYLES = ("trees.css", "relations.css")
SCRIPTS = (
    "elements.js",
    "offsets.js",
    "senses.js",
    "arcs.js",
    "running_text.js",
    "legend.js",
    "arguments.js",
    "probabilities.js",
    "score_parts.js",
    "tree_shape.js",
    "node_inspector.js",
    "tree_view.js",
    "tree_controls.js",
    "exports.js",
    "detail.js",
    "comparison.js",
    "relations.js",  # the last: it starts itself where a page carries its data
)
ASSETS = STYLES + SCRIPTS


@cache
def asset_text(name: str) -> str:
    """The text of one of ``ASSETS``."""
    if name not in ASSETS:
        raise KeyError(name)
    return (WEB / name).read_text(encoding="utf-8")


_NAMED_COLOUR = re.compile(r"(?<=[\s{;])([a-z][a-z-]*): var\((--d2-[\w-]+)\);")
_LIGHT_COLOUR = re.compile(r"(--d2-[\w-]+): light-dark\((#[0-9a-f]{6}), ")


@cache
def standalone_style() -> str:
    """Before each colour that has a name there is its plain value, for viewers that know no such names."""
    css = asset_text("trees.css")
    light = dict(_LIGHT_COLOUR.findall(css))
    light |= dict.fromkeys(("--d2-chain", "--d2-chosen"), light["--d2-chain-0"])  # letters tell chains apart
    return _NAMED_COLOUR.sub(
        lambda found: f"{found[1]}: {light[found[2]]}; {found[0]}" if found[2] in light else found[0], css
    )


# Which step of which pass a drawing shows from the beginning.


DIRECTIONS = ("none", "up", "down")


@dataclass(frozen=True, slots=True)
class PassState:
    """Without a direction everything is shown plainly.

    The upward pass has reached all nodes up to a height, or all of them; the downward pass goes to the
    mentions of one chain, by its place in ``RelationView.chains``.
    """

    direction: str = "none"
    reached: int | None = None
    chain: int | None = None

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ValueError(f"direction: one of {', '.join(DIRECTIONS)}")
        if self.direction == "down" and self.chain is None:
            raise ValueError("the downward pass goes to a chain")

    def attributes(self) -> dict[str, str]:
        """For the element svg, as a page would set them."""
        found = {} if self.direction == "none" else {"data_pass": self.direction}
        return found if self.chain is None else found | {"data_chain": f"c{self.chain}"}

    def classes(self, height: int) -> list[str]:
        """Of a node, or of an edge to a node, of this height."""
        if self.direction != "up":
            return []
        return ["d2-reached"] if self.reached is None or height <= self.reached else []

    def chosen(self, chains: Sequence[int], name: str) -> list[str]:
        """This class for what belongs to these chains, if the chosen one is among them."""
        return [name] if self.chain in chains else []
