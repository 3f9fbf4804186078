"""The layout of the drawing of two trees, and the SVG elements it is made of.

The words stand in a row in text order, with their baseline at y = 0; y grows downwards. An inner node is
centred over its two children, and is placed higher the more compositions are below it. Children are numbered
before their parents, so every walk is a loop over the nodes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from disco2.inference.view import ViewedArgument, ViewedChain, ViewedMention

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # in XML 1.0, even escaped
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def shown(text: str, *, most: int | None = None) -> str:
    """One line of at most ``most`` characters, without those that XML forbids."""
    line = " ".join(_FORBIDDEN.sub(" ", text).split())
    return line if most is None or len(line) <= most else line[: most - 1] + "…"


def escaped(text: str) -> str:
    """Text for an element or an attribute."""
    return _FORBIDDEN.sub("", text).translate(_ESCAPES)


def number(value: float) -> str:
    """At most one decimal."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def numbers(*values: float) -> str:
    return " ".join(map(number, values))


def element(name: str, content: str = "", /, **attributes: str | float | Iterable[str] | None) -> str:
    """``<name ...>content</name>``; the content is markup.

    ``class_`` and ``data_way`` are written ``class`` and ``data-way``; None and empty lists are left out.
    """
    opening = name
    for key, value in attributes.items():
        if isinstance(value, int | float):
            written = number(value)
        else:
            written = escaped(value if isinstance(value, str) else " ".join(value or ()))
        if written:
            opening += f' {key.rstrip("_").replace("_", "-")}="{written}"'
    return f"<{opening}>{content}</{name}>" if content else f"<{opening}/>"


def text_element(content: str, /, **attributes: str | float | Iterable[str] | None) -> str:
    """``<text>`` with plain text in it."""
    return element("text", escaped(content), **attributes)


# Widths in Helvetica and Arial of the characters from space to tilde, in thousandths of the font size.
_ASCII = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *(556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556),
    *(1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778),
    *(667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556),
    *(333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556),
    *(556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584),
)
_WIDE, _OTHER = 1000, 640
_MARGIN = 1.03  # typefaces differ a little


def text_width(text: str, *, size: float) -> float:
    """Estimate the width of a text, rather too large than too small."""
    return sum(map(_character_width, text)) / 1000 * size * _MARGIN


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


WEB = Path(__file__).with_name("web")
# In the order in which a page must load them: the last script starts if the page contains data.
STYLES = ("trees.css", "relations.css")
SCRIPTS = tuple(
    """elements.js senses.js arcs.js running_text.js arguments.js score_parts.js trees.js tree_controls.js
    exports.js marks.js detail.js relations.js""".split()  # noqa: SIM905
)
ASSETS = STYLES + SCRIPTS


@cache
def asset_text(name: str) -> str:
    """The text of one of ``ASSETS``."""
    return (WEB / name).read_text(encoding="utf-8")


WORD_SIZE, TAG_SIZE = 16, 10
LONGEST_WORD, LONGEST_LABEL = 24, 8  # characters; longer ones, such as URLs, are cut

CELLS, CELL_WIDTH, CELL_HEIGHT = 8, 6, 9
HALF_NODE = CELLS * CELL_WIDTH / 2 + 3  # half the width of an inner node
ABOVE_LABEL, ABOVE_STRIP, BELOW_STRIP = 19, 7.5, 7.5  # from the middle of a node's strip to its borders
ABOVE_WORD = 17

SPACE = 12  # between two words
NARROWEST = 34  # a word's place; two of these are wider than an inner node, so that neighbours never touch
FIRST_LEVEL = 62  # from the words to the first compositions
TALLEST_STEP, SHORTEST_STEP = 46, 33  # from level to level


class TreeLayout:
    """Places of the 2n-1 nodes: of an inner node the middle of its strip, of a leaf that of its word.

    Words are side by side, as wide as they are; the taller the tree, the closer its levels. ``chains`` are
    those of the view, and ``side`` is 0 for the first argument and 1 for the second.
    """

    def __init__(self, argument: ViewedArgument, chains: Sequence[ViewedChain] = (), side: int = 0) -> None:
        self.leaves = leaves = len(argument.words)
        self.root = 2 * leaves - 2
        self.words = [shown(word, most=LONGEST_WORD) for word in argument.words]
        self.labels = [shown(label, most=LONGEST_LABEL) for label in argument.labels]
        self.word_widths = [text_width(word, size=WORD_SIZE) for word in self.words]
        self.width = 0.0
        self.x: list[float] = []
        for word_width, tag in zip(self.word_widths, self.labels[:leaves], strict=True):
            room = max(NARROWEST, SPACE + max(word_width, text_width(tag, size=TAG_SIZE)))
            self.x.append(self.width + room / 2)
            self.width += room
        self.heights = [0] * leaves  # 0 for leaves, 1 + that of the higher child for others
        self.parents = [-1] * (self.root + 1)  # -1 for the root
        self.siblings = [-1] * (self.root + 1)  # the other child of the parent; -1 for the root
        self.starts = [*range(leaves)]  # first leaf below a node
        self.ends = [*range(1, leaves + 1)]  # last leaf below, plus one
        for node, (left, right) in enumerate(zip(argument.left, argument.right, strict=True), start=leaves):
            self.parents[left] = self.parents[right] = node
            self.siblings[left], self.siblings[right] = right, left
            self.heights.append(1 + max(self.heights[left], self.heights[right]))
            self.starts.append(self.starts[left])
            self.ends.append(self.ends[right])
            self.x.append((self.x[left] + self.x[right]) / 2)
        self.step = min(TALLEST_STEP, max(SHORTEST_STEP, TALLEST_STEP - (self.heights[-1] - 8)))
        self.y = [-(FIRST_LEVEL + (height - 1) * self.step) if height else 0.0 for height in self.heights]
        # The chains of a node, as indices of ``RelationView.chains``.
        self.mentions: dict[int, list[int]] = {}
        self.ways: dict[int, list[int]] = {}  # from the root to a mention, both ends included
        self.reads: dict[int, list[int]] = {}  # whose upward vector the downward pass reads
        for place, chain in enumerate(chains):
            for mention in mentions_of(chain, side):
                self.mentions.setdefault(mention.node, []).append(place)
            for node in chain.down[side]:
                self.ways.setdefault(node, []).append(place)
                if self.siblings[node] >= 0:
                    self.reads.setdefault(self.siblings[node], []).append(place)

    def top(self, node: int) -> float:
        """The y where an edge to the parent begins."""
        if node < self.leaves:
            return self.y[node] - ABOVE_WORD
        return self.y[node] - (ABOVE_LABEL if self.labels[node] else ABOVE_STRIP)

    def half_width(self, node: int) -> float:
        return self.word_widths[node] / 2 + 4 if node < self.leaves else HALF_NODE

    def extent(self, node: int) -> tuple[float, float]:
        """From the left of a node's first word to the right of its last one."""
        first, last = self.starts[node], self.ends[node] - 1
        return self.x[first] - self.word_widths[first] / 2, self.x[last] + self.word_widths[last] / 2


COLOURS = 8  # d2-chain-0 to d2-chain-7 in trees.css
MOST_LINKS = 25  # drawn of one chain


def mentions_of(chain: ViewedChain, side: int) -> tuple[ViewedMention, ...]:
    return chain.second if side else chain.first


def chain_names(places: Sequence[int]) -> list[str]:
    """``c0``, ``c2``: how attributes name chains."""
    return [f"c{place}" for place in places]


def chain_class(place: int) -> str:
    return f"d2-chain-{place % COLOURS}"


def chain_letter(place: int) -> str:
    """A to Z, then AA, AB and so on."""
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def linked_mentions(chain: ViewedChain) -> list[tuple[int, int]]:
    """Pairs of nodes to be linked: all, or those of the first mentions on either side."""
    rows = min(len(chain.first), max(5, MOST_LINKS // len(chain.second)))
    columns = min(len(chain.second), MOST_LINKS // min(rows, MOST_LINKS))
    rows = min(rows, MOST_LINKS // columns)
    return [(one.node, other.node) for one in chain.first[:rows] for other in chain.second[:columns]]


FIRST_ROW, ROW = 33, 19  # below the baseline of the words, and from row to row
BADGE = 7.5
GAP = 4


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a mention's line is; its badge is in the middle, links begin below that."""

    left: float
    right: float
    y: float

    @property
    def x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def bottom(self) -> float:
        return self.y + BADGE


Marks = Mapping[tuple[int, int], Mark]  # by chain and node


def place_marks(layout: TreeLayout) -> Marks:
    """A line under the words of each mention, short ones on top; no two lines touch."""
    wanted: list[tuple[float, float, int, int]] = []
    for node, chains in layout.mentions.items():
        left, right = layout.extent(node)
        middle, half = (left + right) / 2, max((right - left) / 2, BADGE)
        wanted.extend((2 * half, middle - half, chain, node) for chain in chains)
    rows: list[list[tuple[float, float]]] = []
    found = {}
    for width, left, chain, node in sorted(wanted):
        right = left + width
        row = 0
        while row < len(rows) and any(left < b + GAP and a < right + GAP for a, b in rows[row]):
            row += 1
        rows[row:] = rows[row:] or [[]]
        rows[row].append((left, right))
        found[chain, node] = Mark(left, right, FIRST_ROW + row * ROW)
    return found


WIDEST = 1100  # two trees side by side are at most so wide: what a projector shows legibly
MARGIN = 20
CAPTION = 24
BETWEEN = 48  # trees side by side
ROOT_ARC = 40  # above the roots
LANES = 8  # of links below trees side by side
LANE = 8  # between the links of two chains that run around a tree
BELOW_WORDS = 24  # where nothing is marked


def link_depth(width: float, chain: int) -> float:
    """How far below the marks a link between trees side by side is drawn towards."""
    return 34 + min(60, 0.06 * width) + LANE * (chain % LANES)


class Arrangement:
    """The places of both trees' left ends, baselines and captions, and of what runs around them.

    ``bottoms`` are below the marks of the mentions; ``height`` is without the line that explains the colours.
    """

    def __init__(
        self, layouts: Sequence[TreeLayout], marks: Sequence[Marks], *, chains: int, stacked: bool
    ) -> None:
        first, second = layouts
        above, second_above = (-layout.top(layout.root) for layout in layouts)
        below, second_below = (
            max((mark.bottom for mark in some.values()), default=BELOW_WORDS) for some in marks
        )
        side_by_side = first.width + BETWEEN + second.width
        caption = MARGIN + 10
        self.stacked = stacked or side_by_side > WIDEST
        self.lefts: tuple[float, float]
        if self.stacked:
            left = MARGIN + LANE * (chains + 2)
            baseline = MARGIN + CAPTION + above
            bottom = baseline + below
            second_caption = bottom + LANE * chains + 3 * LANE + 10
            second_baseline = second_caption + LANE + second_above
            second_bottom = second_baseline + second_below
            self.lefts = left, left
            self.width = 2 * left + max(first.width, second.width)
            self.height = second_bottom + LANE * (chains + 1) + MARGIN
        else:
            baseline = second_baseline = MARGIN + CAPTION + ROOT_ARC + max(above, second_above)
            bottom = second_bottom = baseline + max(below, second_below)
            second_caption = caption
            # The lowest point of such a curve is three quarters of the way to what it is drawn towards.
            links = 0.75 * link_depth(side_by_side, min(chains, LANES) - 1) if chains else 0
            self.lefts = MARGIN, MARGIN + first.width + BETWEEN
            self.width = 2 * MARGIN + side_by_side
            self.height = bottom + links + MARGIN
        self.baselines = baseline, second_baseline
        self.captions = caption, second_caption
        self.bottoms = bottom, second_bottom

    @property
    def gutters(self) -> tuple[float, float]:
        """Where links run down, on the left and on the right of stacked trees."""
        return self.lefts[0] - LANE, self.width - (self.lefts[0] - LANE)
