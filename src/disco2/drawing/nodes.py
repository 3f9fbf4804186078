"""The nodes of a tree: words with their tags, phrases with labels and the beginnings of their vectors."""

from __future__ import annotations

from collections.abc import Sequence

from disco2.drawing.entity_roles import EntityRoles, chain_class, chain_names
from disco2.drawing.markup import element, escaped, numbers, shown, text_element
from disco2.drawing.pass_state import PassState
from disco2.drawing.tree_layout import (
    ABOVE_LABEL,
    ABOVE_STRIP,
    ABOVE_WORD,
    BELOW_STRIP,
    CELL_HEIGHT,
    CELL_WIDTH,
    CELLS,
    HALF_NODE,
    TreeLayout,
)
from disco2.inference.view import RelationView

LEVELS = (0.05, 0.2, 0.4, 0.6)  # a cell is the stronger the more of these its number exceeds
WORD_BOX = 23
ABOVE_LEAF = 26  # the middle of a word's downward vector


def cell_class(value: float) -> str:
    """d2-neg4 to d2-neg1, d2-zero, d2-pos1 to d2-pos4."""
    level = sum(abs(value) >= limit for limit in LEVELS)
    if not level:
        return "d2-zero"
    return f"d2-{'neg' if value < 0 else 'pos'}{level}"


def cell(value: float, *, x: float, y: float) -> str:
    """One number; its left end is at x, its middle at y."""
    return element(
        "rect",
        class_=f"d2-cell {cell_class(value)}",
        x=x,
        y=y - CELL_HEIGHT / 2,
        width=CELL_WIDTH,
        height=CELL_HEIGHT,
    )


def cells(vector: Sequence[float], *, y: float = 0) -> str:
    """The first numbers of a vector in a row, centred at 0."""
    begin = -min(CELLS, len(vector)) * CELL_WIDTH / 2
    return "".join(
        cell(value, x=begin + place * CELL_WIDTH, y=y) for place, value in enumerate(vector[:CELLS])
    )


def draw_nodes(
    view: RelationView, side: int, layout: TreeLayout, roles: EntityRoles, state: PassState
) -> list[str]:
    """One group for each node."""
    return [_node(view, side, layout, roles, state, node) for node in range(len(layout.x))]


def _node(
    view: RelationView, side: int, layout: TreeLayout, roles: EntityRoles, state: PassState, node: int
) -> str:
    is_leaf, height = node < layout.leaves, layout.heights[node]
    mentions, ways, reads = (some.get(node, ()) for some in (roles.mentions, roles.ways, roles.reads))
    classes = ["d2-node", "d2-leaf" if is_leaf else "d2-inner", *state.classes(height)]
    if node == layout.root:
        classes.append("d2-root")
    if mentions:
        classes += ["d2-mention", chain_class(mentions[0])]
    classes += state.chosen(ways, "d2-way") + state.chosen(reads, "d2-read")
    classes += state.chosen(mentions, "d2-goal")
    inside = _leaf(view, side, layout, node) if is_leaf else _inner(view, side, layout, node)
    if ways:  # the vector is the same, whatever entity the way goes on to
        inside += _downward(view.chains[ways[0]].down[side][node], is_leaf)
    return element(
        "g",
        inside,
        class_=classes,
        data_arg=str(side + 1),
        data_node=str(node),
        data_height=str(height),
        data_way=chain_names(ways),
        data_read=chain_names(reads),
        data_mention=chain_names(mentions),
        transform=f"translate({numbers(layout.x[node], layout.y[node])})",
    )


def _leaf(view: RelationView, side: int, layout: TreeLayout, node: int) -> str:
    half = layout.half_width(node)
    drawn = element("rect", class_="d2-box", x=-half, y=-ABOVE_WORD, width=2 * half, height=WORD_BOX, rx=5)
    whole = shown(view.arguments[side].words[node])
    if whole != layout.words[node]:
        drawn = element("title", escaped(whole)) + drawn
    drawn += text_element(layout.words[node], class_="d2-word")
    if layout.labels[node]:
        drawn += text_element(layout.labels[node], class_="d2-tag", y=17)
    return drawn


def _inner(view: RelationView, side: int, layout: TreeLayout, node: int) -> str:
    label, up = layout.labels[node], view.arguments[side].up
    above = ABOVE_LABEL if label else ABOVE_STRIP
    drawn = element(
        "rect",
        class_="d2-box",
        x=-HALF_NODE,
        y=-above,
        width=2 * HALF_NODE,
        height=above + BELOW_STRIP,
        rx=5,
    )
    if label:
        drawn += text_element(label, class_="d2-label", y=-8 if up else -1)
    if up:
        return drawn + element("g", cells(up[node]), class_="d2-cells d2-up")
    return drawn if label else drawn + element("circle", class_="d2-dot", r=3)


def _downward(vector: Sequence[float], is_leaf: bool) -> str:
    """The downward vector, in the place of the upward one, or above a word."""
    return element("g", cells(vector, y=-ABOVE_LEAF if is_leaf else 0), class_="d2-cells d2-down")
