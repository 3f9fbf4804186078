"""A relation's two argument trees as one SVG, with everything in it that a page may want to show.

Looks come from ``web/trees.css`` alone: a page shows a pass by setting classes and attributes.
"""

from __future__ import annotations

from disco2.drawing import colour_scale
from disco2.drawing.arrangement import MARGIN, Arrangement, arrange
from disco2.drawing.edges import draw_downward_arrows, draw_edges
from disco2.drawing.entity_roles import EntityRoles, chain_class, chain_letter, entity_roles, mentions_of
from disco2.drawing.links import draw_mention_links, draw_roots_link
from disco2.drawing.markup import element, escaped, number, numbers, shown, text_element
from disco2.drawing.mention_marks import Marks, draw_marks, place_marks
from disco2.drawing.nodes import draw_nodes
from disco2.drawing.pass_state import PassState
from disco2.drawing.standalone_style import standalone_style
from disco2.drawing.tree_layout import TreeLayout, lay_out
from disco2.inference.view import RelationView

PLAIN = PassState()
LONGEST_TEXT = 500  # characters of an argument in the description


def draw_trees(view: RelationView, *, standalone: bool = False, state: PassState = PLAIN) -> str:
    """The SVG; ``standalone`` puts the style sheet inside, so that it can be opened without a page."""
    layouts = lay_out(view.arguments[0]), lay_out(view.arguments[1])
    roles = entity_roles(view, 0, layouts[0]), entity_roles(view, 1, layouts[1])
    marks = place_marks(layouts[0], roles[0]), place_marks(layouts[1], roles[1])
    arrangement = arrange(layouts, marks, chains=len(view.chains))
    width, height = arrangement.width, arrangement.height
    if view.dimensions:
        width = max(width, 2 * MARGIN + colour_scale.scale_width(view))
        height += colour_scale.HEIGHT
    parts = [element("title", escaped(_title(view))), element("desc", escaped(_description(view)))]
    if standalone:
        parts.append(element("style", standalone_style()))
    parts += [
        element("rect", class_="d2-paper", width=width, height=height),
        *draw_mention_links(view, arrangement, marks, state),
        draw_roots_link(arrangement, layouts),
        *(_tree(view, side, arrangement, layouts[side], roles[side], marks[side], state) for side in (0, 1)),
    ]
    if view.dimensions:
        parts.append(colour_scale.draw_scale(view, x=MARGIN, y=arrangement.height))
    size = number(width), number(height)
    return element(
        "svg",
        "\n".join(["", *parts, ""]),
        xmlns="http://www.w3.org/2000/svg",
        class_=["d2-trees"] if state.chain is None else ["d2-trees", chain_class(state.chain)],
        role="img",
        viewBox=f"0 0 {size[0]} {size[1]}",
        width=size[0],
        height=size[1],
        **state.attributes(),
    )


def _tree(
    view: RelationView,
    side: int,
    arrangement: Arrangement,
    layout: TreeLayout,
    roles: EntityRoles,
    marks: Marks,
    state: PassState,
) -> str:
    parts = [
        *draw_edges(side, layout, roles, state),
        *draw_nodes(view, side, layout, roles, state),
        *draw_downward_arrows(layout, roles, state),
        *draw_marks(marks, state),
    ]
    left, baseline = arrangement.lefts[side], arrangement.baselines[side]
    caption = text_element(f"Argument {side + 1}", class_="d2-caption", x=left, y=arrangement.captions[side])
    place = f"translate({numbers(left, baseline)})"
    return caption + "\n" + element("g", "\n".join(["", *parts, ""]), class_="d2-tree", transform=place)


def _title(view: RelationView) -> str:
    return f"Argument trees of the relation {shown(view.relation.sense)}"


def _description(view: RelationView) -> str:
    said = [
        f"Argument {number}: {shown(argument.span.text, most=LONGEST_TEXT)}"
        for number, argument in enumerate(view.arguments, start=1)
    ]
    for place, chain in enumerate(view.chains):
        first, second = (
            ", ".join(dict.fromkeys(shown(mention.text, most=60) for mention in mentions_of(chain, side)))
            for side in (0, 1)
        )
        said.append(f"Entity {chain_letter(place)}: {first} in argument 1, {second} in argument 2.")
    return "\n".join(said)
