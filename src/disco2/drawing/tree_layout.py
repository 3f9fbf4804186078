"""Where the nodes of one tree lie.

The words stand in a row in text order, their baseline at y = 0, and y grows downwards. An inner node is
centred over its two children, and lies the higher the more compositions are below it. Every walk is a loop
over the nodes, in which children come before their parents.
"""

from __future__ import annotations

from dataclasses import dataclass

from disco2.drawing.markup import shown
from disco2.drawing.text_width import text_width
from disco2.inference.view import ViewedArgument

WORD_SIZE, TAG_SIZE = 16, 10
LONGEST_WORD, LONGEST_LABEL = 24, 8  # characters; an address of a web page would tear the tree apart

CELLS, CELL_WIDTH, CELL_HEIGHT = 8, 6, 9
HALF_NODE = CELLS * CELL_WIDTH / 2 + 3  # half the width of an inner node
ABOVE_LABEL, ABOVE_STRIP, BELOW_STRIP = 19, 7.5, 7.5  # from the middle of a node's strip to its borders
ABOVE_WORD = 17

SPACE = 12  # between two words
NARROWEST = 34  # a word's place; two of these are wider than an inner node, so that neighbours never touch
FIRST_LEVEL = 62  # from the words to the first compositions
TALLEST_STEP, SHORTEST_STEP = 46, 33  # from level to level


@dataclass(frozen=True, slots=True)
class TreeLayout:
    """Places of the 2n-1 nodes: of an inner node the middle of its strip, of a leaf that of its word."""

    words: tuple[str, ...]  # as they are shown
    labels: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    heights: tuple[int, ...]  # 0 for leaves, 1 + that of the higher child for others
    parents: tuple[int, ...]  # -1 for the root
    siblings: tuple[int, ...]  # the other child of the parent; -1 for the root
    starts: tuple[int, ...]  # first leaf below a node
    ends: tuple[int, ...]  # last leaf below, plus one
    word_widths: tuple[float, ...]
    width: float
    step: float

    @property
    def leaves(self) -> int:
        return len(self.words)

    @property
    def root(self) -> int:
        return len(self.x) - 1

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


def lay_out(argument: ViewedArgument) -> TreeLayout:
    """Words side by side, as wide as they are; the taller the tree, the closer its levels."""
    leaves = len(argument.words)
    words = tuple(shown(word, most=LONGEST_WORD) for word in argument.words)
    labels = tuple(shown(label, most=LONGEST_LABEL) for label in argument.labels)
    widths = tuple(text_width(word, size=WORD_SIZE) for word in words)
    x: list[float] = []
    width = 0.0
    for word_width, tag in zip(widths, labels[:leaves], strict=True):
        place = max(NARROWEST, SPACE + max(word_width, text_width(tag, size=TAG_SIZE)))
        x.append(width + place / 2)
        width += place
    heights, parents, siblings = [0] * leaves, [-1] * (2 * leaves - 1), [-1] * (2 * leaves - 1)
    starts, ends = [*range(leaves)], [*range(1, leaves + 1)]
    for node, (left, right) in enumerate(zip(argument.left, argument.right, strict=True), start=leaves):
        parents[left] = parents[right] = node
        siblings[left], siblings[right] = right, left
        heights.append(1 + max(heights[left], heights[right]))
        starts.append(starts[left])
        ends.append(ends[right])
        x.append((x[left] + x[right]) / 2)
    step = min(TALLEST_STEP, max(SHORTEST_STEP, TALLEST_STEP - (heights[-1] - 8)))
    y = [-(FIRST_LEVEL + (height - 1) * step) if height else 0.0 for height in heights]
    return TreeLayout(
        words=words,
        labels=labels,
        x=tuple(x),
        y=tuple(y),
        heights=tuple(heights),
        parents=tuple(parents),
        siblings=tuple(siblings),
        starts=tuple(starts),
        ends=tuple(ends),
        word_widths=widths,
        width=width,
        step=step,
    )
