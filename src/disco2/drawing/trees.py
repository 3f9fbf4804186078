"""A relation's two argument trees as one SVG, with everything in it that a page may want to show.

Looks come from ``web/trees.css`` alone: a page shows a pass by setting classes and attributes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from disco2.drawing.layout import (
    ABOVE_LABEL,
    ABOVE_STRIP,
    ABOVE_WORD,
    BADGE,
    BELOW_STRIP,
    CELL_HEIGHT,
    CELL_WIDTH,
    CELLS,
    HALF_NODE,
    LANE,
    MARGIN,
    Arrangement,
    Mark,
    Marks,
    TreeLayout,
    chain_class,
    chain_letter,
    chain_names,
    element,
    escaped,
    link_depth,
    linked_mentions,
    mentions_of,
    number,
    numbers,
    place_marks,
    shown,
    text_element,
    text_width,
)
from disco2.inference.view import RelationView

LONGEST_TEXT = 500  # characters of an argument in the description


def draw_trees(view: RelationView, *, stacked: bool = False) -> str:
    """The SVG. ``stacked`` draws the second tree below the first one; trees that are too wide always are."""
    layouts = [TreeLayout(argument, view.chains, side) for side, argument in enumerate(view.arguments)]
    marks = [place_marks(layout) for layout in layouts]
    arrangement = Arrangement(layouts, marks, chains=len(view.chains), stacked=stacked)
    width, height = arrangement.width, arrangement.height
    if view.dimensions:
        width = max(width, 2 * MARGIN + SCALE_WORDS + text_width(_scale_words(view), size=11))
        height += SCALE_HEIGHT
    title = f"Argument trees of the relation {shown(view.relation.sense)}"
    parts = [element("title", escaped(title)), element("desc", escaped(_description(view)))]
    parts += [
        element("rect", class_="d2-paper", width=width, height=height),
        *_mention_links(view, arrangement, marks),
        _roots_link(arrangement, layouts),
        *(_tree(view, side, arrangement, layouts[side], marks[side]) for side in (0, 1)),
    ]
    if view.dimensions:
        parts.append(_scale(view, arrangement.height))
    size = number(width), number(height)
    return element(
        "svg",
        "\n".join(["", *parts, ""]),
        xmlns="http://www.w3.org/2000/svg",
        class_="d2-trees",
        role="img",
        viewBox=f"0 0 {size[0]} {size[1]}",
        width=size[0],
        height=size[1],
    )


def _tree(view: RelationView, side: int, arrangement: Arrangement, layout: TreeLayout, marks: Marks) -> str:
    parts = [
        *_edges(side, layout),
        *(_node(view, side, layout, node) for node in range(len(layout.x))),
        *_downward_arrows(layout),
        *map(_mark, sorted(marks.items())),
    ]
    left, baseline = arrangement.lefts[side], arrangement.baselines[side]
    caption = text_element(f"Argument {side + 1}", class_="d2-caption", x=left, y=arrangement.captions[side])
    place = f"translate({numbers(left, baseline)})"
    return caption + "\n" + element("g", "\n".join(["", *parts, ""]), class_="d2-tree", transform=place)


def _description(view: RelationView) -> str:
    lines = [
        f"Argument {number}: {shown(argument.span.text, most=LONGEST_TEXT)}"
        for number, argument in enumerate(view.arguments, start=1)
    ]
    for place, chain in enumerate(view.chains):
        first, second = (
            ", ".join(dict.fromkeys(shown(mention.text, most=60) for mention in mentions_of(chain, side)))
            for side in (0, 1)
        )
        lines.append(f"Entity {chain_letter(place)}: {first} in argument 1, {second} in argument 2.")
    return "\n".join(lines)


def path(classes: str | Sequence[str], way: str, **attributes: str | Sequence[str]) -> str:
    return element("path", class_=classes, **attributes, d=way)


LEVELS = (0.05, 0.2, 0.4, 0.6)  # a cell is the stronger the more of these its number exceeds
WORD_BOX = 23
ABOVE_LEAF = 26  # the middle of a word's downward vector


def cell_class(value: float) -> str:
    """d2-neg4 to d2-neg1, d2-zero, d2-pos1 to d2-pos4."""
    level = sum(abs(value) >= limit for limit in LEVELS)
    return f"d2-{'neg' if value < 0 else 'pos'}{level}" if level else "d2-zero"


def cells(vector: Sequence[float], *, begin: float | None = None, y: float = 0) -> str:
    """Numbers in a row from ``begin`` on, their middle at y; by default the first ones, centred at 0."""
    if begin is None:
        vector = vector[:CELLS]
        begin = -len(vector) * CELL_WIDTH / 2
    size = {"y": y - CELL_HEIGHT / 2, "width": CELL_WIDTH, "height": CELL_HEIGHT}
    return "".join(
        element("rect", class_=f"d2-cell {cell_class(value)}", x=begin + place * CELL_WIDTH, **size)
        for place, value in enumerate(vector)
    )


def _node(view: RelationView, side: int, layout: TreeLayout, node: int) -> str:
    is_leaf, height = node < layout.leaves, layout.heights[node]
    mentions, ways, reads = (some.get(node, ()) for some in (layout.mentions, layout.ways, layout.reads))
    classes = ["d2-node", "d2-leaf" if is_leaf else "d2-inner"]
    if node == layout.root:
        classes.append("d2-root")
    if mentions:
        classes += ["d2-mention", chain_class(mentions[0])]
    inside = _leaf(view, side, layout, node) if is_leaf else _inner(view, side, layout, node)
    if ways:  # the downward vector is the same for all entities below
        vector = view.chains[ways[0]].down[side][node]
        inside += element("g", cells(vector, y=-ABOVE_LEAF if is_leaf else 0), class_="d2-cells d2-down")
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
    size = {"width": 2 * HALF_NODE, "height": above + BELOW_STRIP}
    drawn = element("rect", class_="d2-box", x=-HALF_NODE, y=-above, **size, rx=5)
    if label:
        drawn += text_element(label, class_="d2-label", y=-8 if up else -1)
    if up:
        return drawn + element("g", cells(up[node]), class_="d2-cells d2-up")
    return drawn if label else drawn + element("circle", class_="d2-dot", r=3)


HEAD_WIDTH, HEAD_LENGTH = 4, 6
BESIDE = 9  # how far an arrow of reading stays from the edge of the node that is read


def _edges(side: int, layout: TreeLayout) -> Iterator[str]:
    """For each child the edge to its parent; an arrow upwards is behind the edge of each left child.

    trees.css shows that arrow when the edge before it is reached.
    """
    for child, parent in enumerate(layout.parents[:-1]):
        data = {"data_arg": str(side + 1), "data_child": str(child)}
        data["data_height"] = str(layout.heights[parent])
        ways = chain_names(layout.ways.get(child, ()))
        yield path("d2-edge", _edge(layout, child, parent), **data, data_way=ways)
        if child < layout.siblings[child]:
            tip = layout.y[parent] + BELOW_STRIP
            yield path("d2-arrow d2-arrow-up", _head(layout.x[parent], tip, down=False))


def _downward_arrows(layout: TreeLayout) -> Iterator[str]:
    """What the downward pass reads: arrows from the parent, and from the sibling."""
    for node, ways in sorted(layout.ways.items()):
        if node != layout.root:
            down = _head(layout.x[node], _downward_top(layout, node), down=True)
            for kind, arrow in (("d2-arrow-down", down), ("d2-arrow-read", _reading(layout, node))):
                yield path(["d2-arrow", kind], arrow, data_way=chain_names(ways))


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


def _reading(layout: TreeLayout, node: int) -> str:
    """From the sibling to the node: straight between equals, else around one corner."""
    sibling = layout.siblings[node]
    towards = 1 if layout.x[sibling] < layout.x[node] else -1  # from the sibling to the node
    if layout.heights[sibling] < layout.heights[node]:
        x, y = layout.x[sibling] + towards * BESIDE, layout.top(sibling)
        if sibling in layout.ways:  # it may have a downward vector itself
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


def _mark(placed: tuple[tuple[int, int], Mark]) -> str:
    (chain, _), mark = placed
    line = path("d2-underline", f"M{numbers(mark.left, mark.y)}H{numbers(mark.right)}")
    badge = element("circle", class_="d2-badge", cx=mark.x, cy=mark.y, r=BADGE)
    letter = text_element(chain_letter(chain), class_="d2-letter", x=mark.x, y=mark.y + 3.5)
    classes = ["d2-mark", chain_class(chain)]
    return element("g", line + badge + letter, class_=classes, data_mark=f"c{chain}")


CORNER = 8
Point = tuple[float, float]


def _mention_links(view: RelationView, arrangement: Arrangement, marks: Sequence[Marks]) -> Iterator[str]:
    """A dashed curve for each aligned pair: below the words of trees side by side, else around the second."""

    def link_end(side: int, mark: Mark) -> Point:
        return arrangement.lefts[side] + mark.x, arrangement.baselines[side] + mark.bottom

    for place, chain in enumerate(view.chains):
        ends = [
            (link_end(0, marks[0][place, first]), link_end(1, marks[1][place, second]))
            for first, second in linked_mentions(chain)
        ]
        gutter = _gutter(arrangement, place, ends)
        for first, second in ends:
            if arrangement.stacked:
                # Out to a side, down beside the second tree, and to the mention from below. Both halves
                # begin in one place for all links of a chain: dashes of what they share lie on each other.
                over, under = (bottom + LANE * (place + 1) for bottom in arrangement.bottoms)
                middle = (gutter, (over + under) / 2)
                way = _polyline([middle, (gutter, over), (first[0], over), first])
                way += _polyline([middle, (gutter, under), (second[0], under), second])
            else:
                deep = arrangement.bottoms[0] + link_depth(abs(second[0] - first[0]), place)
                way = f"M{numbers(*first)}C{numbers(first[0], deep, second[0], deep, *second)}"
            yield path(["d2-link", chain_class(place)], way, data_link=f"c{place}")


def _roots_link(arrangement: Arrangement, layouts: Sequence[TreeLayout]) -> str:
    """The argument term: an arc above the roots, or a line beside stacked trees."""
    (x, top, y, half), (other_x, other_top, other_y, other_half) = (
        (left + tree.x[-1], baseline + tree.top(tree.root), baseline + tree.y[-1], tree.half_width(tree.root))
        for tree, left, baseline in zip(layouts, arrangement.lefts, arrangement.baselines, strict=True)
    )
    if arrangement.stacked:
        gutter = arrangement.lefts[0] - LANE * 2
        way = _polyline([(x - half, y), (gutter, y), (gutter, other_y), (other_x - other_half, other_y)])
    else:
        peak = min(top, other_top) - 46
        way = f"M{numbers(x, top)}C{numbers(x, peak, other_x, peak, other_x, other_top)}"
    return path("d2-link d2-roots", way)


def _gutter(arrangement: Arrangement, chain: int, ends: list[tuple[Point, Point]]) -> float:
    """The x where a chain's links run down, on the side that is nearer to most of its mentions."""
    left, right = arrangement.gutters
    middle = sum(first[0] + second[0] for first, second in ends) / (2 * len(ends))
    return left - LANE * (chain + 2) if middle <= (left + right) / 2 else right + LANE * (chain + 1)


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


SCALE_HEIGHT = 30
SCALE_STEPS = (-0.8, -0.5, -0.3, -0.1, 0.0, 0.1, 0.3, 0.5, 0.8)  # one number of each colour
SCALE_BEGIN = 18
SCALE_END = SCALE_BEGIN + len(SCALE_STEPS) * CELL_WIDTH
SCALE_WORDS = SCALE_END + 24


def _scale(view: RelationView, y: float) -> str:
    """All colours from -1 to 1, and which of a vector's numbers are shown."""
    parts = [
        text_element("\N{MINUS SIGN}1", class_="d2-note", y=4),
        cells(SCALE_STEPS, begin=SCALE_BEGIN),
        text_element("1", class_="d2-note", x=SCALE_END + 5, y=4),
        text_element(_scale_words(view), class_="d2-note", x=SCALE_WORDS, y=4),
    ]
    return element("g", "".join(parts), class_="d2-scale", transform=f"translate({numbers(MARGIN, y)})")


def _scale_words(view: RelationView) -> str:
    words = f"the first {min(CELLS, view.dimensions)} of the {view.dimensions} numbers of each vector"
    return words + (f" (model {view.member} of {view.members} that compose)" if view.members > 1 else "")
