"""The links across two trees: between coreferent mentions, and between the roots."""

from __future__ import annotations

from disco2.drawing.arrangement import LANE, Arrangement, link_depth
from disco2.drawing.entity_roles import chain_class, linked_mentions
from disco2.drawing.markup import element, numbers
from disco2.drawing.mention_marks import Marks
from disco2.drawing.pass_state import PassState
from disco2.drawing.tree_layout import TreeLayout
from disco2.inference.view import RelationView

CORNER = 8
Point = tuple[float, float]


def draw_mention_links(
    view: RelationView, arrangement: Arrangement, marks: tuple[Marks, Marks], state: PassState
) -> list[str]:
    """A dashed curve for each aligned pair: below the words of trees side by side, else around the second."""
    drawn = []
    for place, chain in enumerate(view.chains):
        ends = [
            (_end(arrangement, marks[0], 0, place, first), _end(arrangement, marks[1], 1, place, second))
            for first, second in linked_mentions(chain)
        ]
        gutter = _gutter(arrangement, place, ends)
        for first, second in ends:
            if arrangement.stacked:
                way = _around(arrangement, place, gutter, first, second)
            else:
                way = _below(arrangement, place, first, second)
            classes = ["d2-link", chain_class(place), *state.chosen([place], "d2-chosen")]
            drawn.append(element("path", class_=classes, data_link=f"c{place}", d=way))
    return drawn


def draw_roots_link(arrangement: Arrangement, layouts: tuple[TreeLayout, TreeLayout]) -> str:
    """The argument term: an arc above the roots, or a line beside stacked trees."""
    (x, top, y, half), (other_x, other_top, other_y, other_half) = (
        (
            left + layout.x[layout.root],
            baseline + layout.top(layout.root),
            baseline + layout.y[layout.root],
            layout.half_width(layout.root),
        )
        for layout, left, baseline in zip(layouts, arrangement.lefts, arrangement.baselines, strict=True)
    )
    if arrangement.stacked:
        gutter = arrangement.lefts[0] - LANE * 2
        way = _polyline([(x - half, y), (gutter, y), (gutter, other_y), (other_x - other_half, other_y)])
    else:
        peak = min(top, other_top) - 46
        way = f"M{numbers(x, top)}C{numbers(x, peak, other_x, peak, other_x, other_top)}"
    return element("path", class_="d2-link d2-roots", d=way)


def _end(arrangement: Arrangement, marks: Marks, side: int, chain: int, node: int) -> Point:
    mark = marks[chain, node]
    return arrangement.lefts[side] + mark.x, arrangement.baselines[side] + mark.bottom


def _below(arrangement: Arrangement, chain: int, first: Point, second: Point) -> str:
    deep = arrangement.bottoms[0] + link_depth(abs(second[0] - first[0]), chain)
    return f"M{numbers(*first)}C{numbers(first[0], deep, second[0], deep, *second)}"


def _gutter(arrangement: Arrangement, chain: int, ends: list[tuple[Point, Point]]) -> float:
    """The x where a chain's links run down, on the side that is nearer to most of its mentions."""
    left, right = arrangement.gutters
    middle = sum(first[0] + second[0] for first, second in ends) / (2 * len(ends))
    return left - LANE * (chain + 2) if middle <= (left + right) / 2 else right + LANE * (chain + 1)


def _around(arrangement: Arrangement, chain: int, gutter: float, first: Point, second: Point) -> str:
    """Down and out to a side, down beside the second tree, and to the mention from below.

    Both halves begin in the same place for all links of a chain, so that the dashes of what they share lie on
    each other.
    """
    lane = LANE * (chain + 1)
    over, under = arrangement.bottoms[0] + lane, arrangement.bottoms[1] + lane
    middle = (gutter, (over + under) / 2)
    return _polyline([middle, (gutter, over), (first[0], over), first]) + _polyline(
        [middle, (gutter, under), (second[0], under), second]
    )


def _polyline(points: list[Point]) -> str:
    """A line with rounded corners through points that lie straight above or beside each other."""
    way = f"M{numbers(*points[0])}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        entry, exit_ = _towards(corner, before), _towards(corner, after)
        way += f"L{numbers(*entry)}Q{numbers(*corner, *exit_)}"
    return way + f"L{numbers(*points[-1])}"


def _towards(corner: Point, other: Point) -> Point:
    """A point near a corner in the direction of another; at most half the way."""
    length = max(abs(other[0] - corner[0]), abs(other[1] - corner[1]))
    share = min(CORNER, length / 2) / length if length else 0
    return corner[0] + share * (other[0] - corner[0]), corner[1] + share * (other[1] - corner[1])
