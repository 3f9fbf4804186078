"""The edges of a tree, with arrows for either pass."""

from __future__ import annotations

from disco2.drawing.entity_roles import EntityRoles, chain_names
from disco2.drawing.markup import element, numbers
from disco2.drawing.nodes import ABOVE_LEAF
from disco2.drawing.pass_state import PassState
from disco2.drawing.tree_layout import ABOVE_STRIP, BELOW_STRIP, TreeLayout

HEAD_WIDTH, HEAD_LENGTH = 4, 6
BESIDE = 9  # how far an arrow of reading stays from the edge of the node that is read


def draw_edges(side: int, layout: TreeLayout, roles: EntityRoles, state: PassState) -> list[str]:
    """For each child the edge to its parent; an arrow upwards is behind the edge of each left child.

    trees.css shows that arrow when the edge before it is reached.
    """
    drawn = []
    for child, parent in enumerate(layout.parents[:-1]):
        height = layout.heights[parent]
        ways = roles.ways.get(child, ())
        drawn.append(
            element(
                "path",
                class_=["d2-edge", *state.classes(height), *state.chosen(ways, "d2-way")],
                data_arg=str(side + 1),
                data_child=str(child),
                data_height=str(height),
                data_way=chain_names(ways),
                d=_edge(layout, child, parent),
            )
        )
        if child == min(child, layout.siblings[child]):
            tip = layout.y[parent] + BELOW_STRIP
            drawn.append(
                element("path", class_="d2-arrow d2-arrow-up", d=_head(layout.x[parent], tip, down=False))
            )
    return drawn


def draw_downward_arrows(layout: TreeLayout, roles: EntityRoles, state: PassState) -> list[str]:
    """What the downward pass reads: arrows from the parent, and from the sibling."""
    drawn = []
    for node, ways in sorted(roles.ways.items()):
        if node == layout.root:
            continue
        down = _head(layout.x[node], _downward_top(layout, node), down=True)
        for kind, arrow in (("d2-arrow-down", down), ("d2-arrow-read", _reading(layout, roles, node))):
            classes = ["d2-arrow", kind, *state.chosen(ways, "d2-way")]
            drawn.append(element("path", class_=classes, data_way=chain_names(ways), d=arrow))
    return drawn


def _edge(layout: TreeLayout, child: int, parent: int) -> str:
    """Straight up from the child, and over to the parent on the last stretch."""
    x, top = layout.x[child], layout.top(child)
    end_x, end = layout.x[parent], layout.y[parent] + BELOW_STRIP
    bend = min(top - end, 0.55 * layout.step)
    start = f"M{numbers(x, top)}" + (f"V{numbers(end + bend)}" if top - end > bend else "")
    return f"{start}C{numbers(x, end + 0.35 * bend, end_x, end + 0.65 * bend, end_x, end)}"


def _downward_top(layout: TreeLayout, node: int) -> float:
    """Above a node's downward vector."""
    return layout.top(node) if node >= layout.leaves else layout.y[node] - ABOVE_LEAF - ABOVE_STRIP


def _reading(layout: TreeLayout, roles: EntityRoles, node: int) -> str:
    """From the sibling to the node: straight between equals, else around one corner."""
    sibling = layout.siblings[node]
    towards = 1 if layout.x[sibling] < layout.x[node] else -1  # from the sibling to the node
    if layout.heights[sibling] < layout.heights[node]:
        x, y = layout.x[sibling] + towards * BESIDE, layout.top(sibling)
        if sibling in roles.ways:  # it may have a downward vector itself
            y = _downward_top(layout, sibling)
        end_x, end_y = layout.x[node] - towards * layout.half_width(node), layout.y[node]
        way = f"M{numbers(x, y)}Q{numbers(x, end_y, end_x, end_y)}"
        if y - end_y > layout.step:  # a long way up: along the edge first
            corner = end_y + 0.6 * layout.step
            way = f"M{numbers(x, y)}V{numbers(corner)}Q{numbers(x, end_y, end_x, end_y)}"
        return way + _side_head(end_x, end_y, towards)
    x, y = layout.x[sibling] + towards * layout.half_width(sibling), layout.y[sibling]
    if layout.heights[sibling] == layout.heights[node]:
        y -= 6 if node < layout.leaves else 0  # in the middle of words, not on their baseline
        end_x = layout.x[node] - towards * layout.half_width(node)
        return f"M{numbers(x, y)}H{numbers(end_x)}" + _side_head(end_x, y, towards)
    end_x = layout.x[node] - towards * BESIDE
    end_y = _downward_top(layout, node)
    corner = min(end_y, y + 0.6 * layout.step)
    way = f"M{numbers(x, y)}Q{numbers(end_x, y, end_x, corner)}"
    return way + (f"V{numbers(end_y)}" if end_y > corner else "") + _head(end_x, end_y, down=True)


def _head(x: float, y: float, *, down: bool) -> str:
    """An arrow's head with its tip at (x, y)."""
    back = y - HEAD_LENGTH if down else y + HEAD_LENGTH
    return f"M{numbers(x - HEAD_WIDTH, back)}L{numbers(x, y)}L{numbers(x + HEAD_WIDTH, back)}"


def _side_head(x: float, y: float, towards: int) -> str:
    back = x - towards * HEAD_LENGTH
    return f"M{numbers(back, y - HEAD_WIDTH)}L{numbers(x, y)}L{numbers(back, y + HEAD_WIDTH)}"
